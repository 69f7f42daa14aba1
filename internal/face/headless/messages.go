package headless

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/wording"
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
	message := wording.Stopped(e)
	return notice{severity: "warning", message: message, line: message}
}

func blockedNotice(e agent.Blocked) notice {
	message := wording.Blocked(e)
	return notice{severity: "warning", message: message, line: "[WARNING] " + message}
}

func waitingNotice(e agent.Waiting) notice {
	cause := wording.Reason(e.Err)
	if cause != "" {
		cause = ": " + cause
	}
	return notice{line: fmt.Sprintf("[WARNING] Attempt %d of %d failed%s. Trying again in %s.",
		e.Attempt, e.MaxAttempts, cause, e.Delay.Round(100*time.Millisecond))}
}

func switchedNotice(e agent.Switched) notice {
	message := wording.Switched(e)
	return notice{severity: "warning", message: message, line: "Warning: " + message, passing: true}
}

// discardNotice follows an answer that was already on its way when it broke.
func discardNotice() notice {
	return notice{severity: "warning", message: wording.Discarded, line: "[WARNING] " + wording.Discarded}
}

func errCancelled() error {
	return &exit.Error{Code: exit.Interrupted, Message: "Operation cancelled.", Err: context.Canceled}
}

func maxTurnsError() error {
	return &exit.Error{Code: exit.TurnLimit, Message: wording.MaxTurns}
}

func overflowError(e agent.Overflow) error {
	return &exit.Error{Code: exit.General, Message: wording.Overflow(e), Err: e.Err}
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
		x.line = wording.APIError(api)
		if api.Status == 429 {
			x.line += f.QuotaHint
		}
		x.streamKind, x.streamMessage = "unknown", x.line
		x.line += wording.NextStep(api)
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
