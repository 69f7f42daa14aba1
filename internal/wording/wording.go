// Package wording says in words what happens to a run: what every face tells a
// person in the same sentences, some of which scripts know (spec/agent.md §10.3, §12,
// spec/tui.md §10.5). What it returns is as foreign as what went in: a face cleans it
// like all else.
package wording

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"

	"pollux/agent"
	"pollux/llm"
)

// Sentences without anything to fill in.
const (
	// Discarded follows an answer that was already on its way when it broke.
	Discarded = "The answer broke off and is asked for again: the text of this turn so far is void"
	// MaxTurns ends a session that has used up its turns.
	MaxTurns = "Reached max session turns for this session. Increase the number of turns by specifying maxSessionTurns in settings.json."
)

// Stopped says that a hook or a tool ended the run.
func Stopped(e agent.Stopped) string {
	return "Agent execution stopped: " + either(e.SystemMessage, e.Reason)
}

// Blocked says that a hook refused a prompt or an answer.
func Blocked(e agent.Blocked) string {
	return "Agent execution blocked: " + either(e.SystemMessage, e.Reason)
}

func either(system, reason string) string {
	if s := strings.TrimSpace(system); s != "" {
		return s
	}
	return reason
}

// Switched says that another model answers, and why.
func Switched(e agent.Switched) string {
	cause := Reason(e.Err)
	if cause != "" {
		cause = " (" + cause + ")"
	}
	return fmt.Sprintf("%s could not answer%s. Switched to %s.", e.From, cause, e.To)
}

// Reason is what an error says, as part of a sentence; "" for no error.
func Reason(err error) string {
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

// InvalidStream says what became of an answer that cannot be used (spec/agent.md §12).
func InvalidStream(e agent.InvalidStream) string {
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

// Overflow says that a prompt does not fit.
func Overflow(e agent.Overflow) string {
	message := fmt.Sprintf("Context window will overflow (estimated: %d, remaining: %d). Send less at once, or start a new session.",
		e.Estimate, e.Remaining)
	if said := Reason(e.Err); said != "" {
		message += " The model's server says: " + said + "."
	}
	return message
}

// APIError is the message of a failed request (spec/agent.md §10.3).
func APIError(e *llm.Error) string {
	if e.Status != 0 && e.Code != "" {
		return fmt.Sprintf("[API Error: %s (Status: %s)]", e.Error(), e.Code)
	}
	return fmt.Sprintf("[API Error: %s]", e.Error())
}

// NextStep is what a person can do about a failed request, to follow its message
// on the same line; "" if the message must do.
func NextStep(e *llm.Error) string {
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
