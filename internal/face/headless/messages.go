package headless

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/llm"
	"pollux/tool"
)

// What to add to the message of a request refused with status 429, by the kind
// of account (spec/agent.md §10.3).
const (
	QuotaHintKey    = "\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method"
	QuotaHintVertex = "\nPlease wait and try again later. To increase your limits, request a quota increase through Vertex, or switch to another /auth method"
)

// notice is a remark on how a run went.
type notice struct {
	severity string // as stream-json calls it; "" keeps it out of the JSON formats
	message  string
	line     string // the form for people; "" keeps it out of the text format
	passing  bool   // of no use when all is over
}

func loopNotice() notice {
	const message = "Loop detected, stopping execution"
	return notice{severity: "warning", message: message, line: "[WARNING] " + message}
}

func stoppedNotice(e agent.Stopped) notice {
	message := "Agent execution stopped: " + either(e.SystemMessage, e.Reason)
	return notice{severity: "warning", message: message, line: message}
}

func blockedNotice(e agent.Blocked) notice {
	message := "Agent execution blocked: " + either(e.SystemMessage, e.Reason)
	return notice{severity: "warning", message: message, line: "[WARNING] " + message}
}

// maxTurnsNotice has no line: the error that ends the run says it better.
func maxTurnsNotice() notice {
	return notice{severity: "error", message: "Maximum session turns exceeded"}
}

func waitingNotice(e agent.Waiting) notice {
	cause := reason(e.Err)
	if cause != "" {
		cause = ": " + cause
	}
	return notice{line: fmt.Sprintf("[WARNING] Attempt %d of %d failed%s. Trying again in %s.",
		e.Attempt, e.MaxAttempts, cause, e.Delay.Round(100*time.Millisecond))}
}

func switchedNotice(e agent.Switched) notice {
	cause := reason(e.Err)
	if cause != "" {
		cause = " (" + cause + ")"
	}
	message := fmt.Sprintf("%s could not answer%s. Switched to %s.", e.From, cause, e.To)
	return notice{severity: "warning", message: message, line: "Warning: " + message, passing: true}
}

// reason is what an error says, as part of a sentence.
func reason(err error) string {
	if err == nil {
		return ""
	}
	line := strings.Join(strings.Fields(err.Error()), " ") // some have a second one
	if len(line) > longestReason {
		return strings.ToValidUTF8(line[:longestReason], "") + "…"
	}
	return strings.TrimSuffix(line, ".")
}

// longestReason is in bytes. What is longer repeats the request, or is a page.
const longestReason = 500

// discardNotice follows an answer that was already on its way when it broke.
func discardNotice() notice {
	const message = "The answer broke off and is asked for again: the text of this turn so far is void"
	return notice{severity: "warning", message: message, line: "[WARNING] " + message}
}

func either(system, reason string) string {
	if s := strings.TrimSpace(system); s != "" {
		return s
	}
	return reason
}

// invalidText says what became of an answer that cannot be used (spec/agent.md §12).
func invalidText(e agent.InvalidStream) string {
	switch e.Type {
	case "THINKING_ONLY_RESPONSE":
		return "The model returned reasoning thoughts but no final response text. If your context window is near capacity, try using /compress."
	case "MAX_TOKENS_EXCEEDED":
		return "Model response was truncated because it exceeded the token limit. Try using /compress to free up context space."
	case "SAFETY_BLOCKED":
		return "The model response was blocked due to safety settings."
	case "RECITATION_BLOCKED":
		return "The model response was blocked due to recitation/copyright filters."
	case "OTHER_BLOCKED":
		return "The model response was blocked due to other policy settings."
	case "NO_RESPONSE_TEXT":
		return "The model returned an empty response with no text or thoughts. This may be a transient API issue; please try again."
	}
	if e.Message != "" {
		return e.Message
	}
	return "The model gave no usable answer (" + e.Type + ")."
}

func errCancelled() error {
	return &exit.Error{Code: exit.Interrupted, Message: "Operation cancelled.", Err: context.Canceled}
}

func maxTurnsError() error {
	return &exit.Error{
		Code:    exit.TurnLimit,
		Message: "Reached max session turns for this session. Increase the number of turns by specifying maxSessionTurns in settings.json.",
	}
}

func overflowError(e agent.Overflow) error {
	message := fmt.Sprintf("Context window will overflow (estimated: %d, remaining: %d). Send less at once, or start a new session.",
		e.Estimate, e.Remaining)
	if said := reason(e.Err); said != "" {
		message += " The model's server says: " + said + "."
	}
	return &exit.Error{Code: exit.General, Message: message, Err: e.Err}
}

// toolErrorText says that a call failed.
func toolErrorText(r *agent.ToolFinished) string {
	text, ok := displayText(r.Result.Display)
	if !ok || text == "" {
		text = r.Result.Error.Message
	}
	return "Error executing tool " + r.Call.Name + ": " + text
}

// displayText returns what a person sees of a result, if that is a text.
func displayText(d tool.Display) (string, bool) {
	switch d := d.(type) {
	case tool.TextDisplay:
		return string(d), true
	case tool.TerminalDisplay:
		return string(d), true
	}
	return "", false
}

// explanation is a failure in the forms that the formats ask for (spec/cli.md §6.5).
type explanation struct {
	line    string // for a person
	fatal   bool   // one of the failures with an exit code of its own
	plain   bool   // told on Err as a line in every format
	kind    string // "type" in the json format
	message string // "message" in the json format
	code    int
	// The stream-json format has its own idea of type and message.
	streamKind, streamMessage string
}

func (f *face) explain(err error) explanation {
	if errors.Is(err, context.Canceled) && exit.CodeOf(err) == exit.Interrupted {
		err = errCancelled()
	}
	var api *llm.Error
	var fatal *exit.Error
	x := explanation{kind: exit.TypeOf(err), message: err.Error(), code: int(exit.CodeOf(err))}
	switch {
	case errors.As(err, &fatal):
		x.line, x.fatal = fatal.Message, true
		x.plain = fatal.Code == exit.Config || fatal.Code == exit.Untrusted
	case errors.As(err, &api):
		x.line = apiErrorText(api)
		if api.Status == 429 {
			x.line += f.QuotaHint
		}
		x.streamKind, x.streamMessage = "unknown", x.line
		x.line += nextStep(api)
		if api.Body != "" {
			x.message = api.Body
		}
		if api.Status != 0 {
			x.code = api.Status
		}
		if f.Debug && api.Body != "" {
			x.line += "\n[DEBUG] " + api.Body
		}
	default:
		x.line = "An unexpected critical error occurred: " + err.Error()
	}
	if x.streamKind == "" {
		x.streamKind, x.streamMessage = x.kind, x.message
	}
	return x
}

// nextStep is what a person can do about a failed request, on the same line;
// "" if the message must do.
func nextStep(e *llm.Error) string {
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(e, &untrusted):
		return " If a proxy or gateway of your own signs that certificate, name the file of its CA in NODE_EXTRA_CA_CERTS."
	case e.Kind == llm.KindNetwork:
		return " Check the network connection, and HTTPS_PROXY and GOOGLE_GEMINI_BASE_URL if they are set."
	case e.Kind == llm.KindUnauthorized:
		return " Check the API key, and security.auth.selectedType in your settings."
	case e.Kind == llm.KindModelNotFound:
		return " Choose another model with --model, GEMINI_MODEL or model.name in your settings."
	case e.Link != "":
		return " See " + e.Link
	}
	return ""
}

// apiErrorText is the message of a failed request (spec/agent.md §10.3).
func apiErrorText(e *llm.Error) string {
	if e.Status != 0 && e.Code != "" {
		return fmt.Sprintf("[API Error: %s (Status: %s)]", e.Error(), e.Code)
	}
	return fmt.Sprintf("[API Error: %s]", e.Error())
}
