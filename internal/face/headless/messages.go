package headless

import (
	"context"
	"errors"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
	"pollux/tool"
)

// notice is a remark about a run. The zero value is none.
type notice struct {
	severity     string // severity in stream-json; "" omits the notice from the JSON formats
	message      string
	line         string // line in the text format; "" omits it there
	isTransient  bool   // not useful after the run
	isForPeople  bool   // line is printed in every format
	isUnstreamed bool   // stream-json omits the notice
}

func noticeOf(e agent.Event) notice {
	switch e := e.(type) {
	case agent.LoopDetected:
		const message = "Loop detected, stopping execution"
		return notice{severity: "warning", message: message, line: "[WARNING] " + message, isForPeople: true}
	case agent.Exhausted:
		message := wording.Exhausted(e)
		return notice{severity: "warning", message: message, line: "[WARNING] " + message, isForPeople: true}
	case agent.Stopped:
		message := wording.Stopped(e)
		if e.ByTool { // JSON formats have the result of the call
			return notice{line: oneNotice(message)}
		}
		return notice{severity: "warning", message: message, line: oneNotice(message), isUnstreamed: true} // as in Gemini CLI
	case agent.Blocked:
		message := wording.Blocked(e)
		return notice{severity: "warning", message: message, line: "[WARNING] " + oneNotice(message)}
	case agent.Waiting:
		message := wording.Retrying(e)
		if wasSilent(e) {
			return notice{severity: "warning", message: message, line: message, isTransient: true, isForPeople: true}
		}
		return notice{line: message, isForPeople: true}
	case agent.Silent:
		message := wording.Silent(e)
		n := notice{severity: "warning", message: message, line: message, isTransient: true, isForPeople: true}
		if e.Elapsed < time.Minute {
			n.line += wording.Patience
		}
		return n
	case agent.Switched:
		message := wording.Switched(e)
		return notice{severity: "warning", message: message, line: "Warning: " + message, isTransient: true}
	case agent.EditsLeft:
		message := wording.EditsLeft(e)
		return notice{severity: "warning", message: message, line: "Warning: " + message}
	case agent.Retried: // a response that is void after part of it was shown
		message := wording.Retried(e)
		return notice{severity: "warning", message: message, line: "[WARNING] " + message}
	}
	return notice{}
}

// oneNotice returns a text of a hook or a tool with all lines but the first indented, so that they
// cannot pass for lines of Pollux.
func oneNotice(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }

// wasSilent reports whether an attempt was given up because the server sent nothing. Such an
// attempt may have taken half an hour, so that its repetition is announced in every format.
func wasSilent(e agent.Waiting) bool {
	var api *llm.Error
	return errors.As(e.Err, &api) && api.Waited > 0
}

func errCancelled() error {
	return &exit.Error{Code: exit.Interrupted, Message: wording.Cancelled, Err: context.Canceled}
}

func toolErrorText(r *agent.ToolFinished) string {
	text, ok := tool.DisplayText(r.Result.Display)
	if !ok || text == "" {
		text = r.Result.Error.Message
	}
	return "Error executing tool " + r.Call.Name + ": " + text
}

// explanation is a failure as the output formats show it.
type explanation struct {
	line       string // message for people
	isFatal    bool   // the error has its own exit code
	alwaysLine bool   // printed on Err as a line in every format
	kind       string // "type" in the json format
	message    string // "message" in the json format
	details    string // "details" in the JSON formats: the provider's response as it came
	code       int
	// streamKind and streamMessage are the type and the message in the stream-json format.
	streamKind, streamMessage string
}

func (f *face) newExplanation(err error) explanation {
	if errors.Is(err, context.Canceled) && exit.CodeOf(err) == exit.Interrupted {
		err = errCancelled()
	}
	var api *llm.Error
	var fatal *exit.Error
	x := explanation{kind: exit.TypeOf(err), message: terminal.Brief(err.Error()), code: int(exit.CodeOf(err))}
	switch {
	case errors.As(err, &fatal):
		x.line, x.isFatal = terminal.Brief(fatal.Message), true
		if fatal.Code == exit.General && errors.As(err, &api) && api.IsBadKey() {
			x.code = api.Status
		}
		x.alwaysLine = fatal.Code == exit.Config || fatal.Code == exit.Untrusted
	case errors.As(err, &api):
		var at wording.Place
		if f.Place != nil {
			at = f.Place(api.Model)
		}
		x.line, x.message, x.details = terminal.Brief(wording.Failure(api, at)), terminal.Brief(api.Error()), api.Body
		x.streamKind, x.streamMessage = "unknown", terminal.Brief(wording.APIError(api))
		if api.Status == 429 {
			x.streamMessage += wording.NextStep(api, at)
		}
		if api.Status != 0 {
			x.code = api.Status
		}
		if api.Proxy != "" {
			x.message = x.line // not the provider's message, which scripts may match
		}
		if f.Debug && api.Body != "" {
			x.line += "\n[DEBUG] " + api.Body
		}
	default:
		x.line = "An unexpected critical error occurred: " + terminal.Brief(err.Error())
	}
	if x.streamKind == "" {
		x.streamKind, x.streamMessage = x.kind, x.message
	}
	return x
}
