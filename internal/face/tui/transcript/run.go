package transcript

import (
	"errors"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/face/tui/styled"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
)

// loopText is the message for a run that repeats itself.
const loopText = "A potential loop was detected. This can happen due to repetitive tool calls or other model behavior. The request has been halted."

// handleRun takes an event of the run in progress.
func (t *Transcript) handleRun(e agent.Event, at time.Time) {
	if text, isText := e.(agent.Text); isText {
		t.addText(text.Text)
		return
	}
	if t.isHidden(e) {
		return
	}
	t.endAnswer()
	switch e := e.(type) {
	case agent.ToolRequested, agent.ToolUpdated, agent.ToolAsked, agent.ToolFinished, agent.Nested:
		t.handleCall(e, at)
	case agent.ModelInfo:
		t.showModel(e.Model)
	case agent.Thought:
		t.add(apart, t.fit(func(t *Transcript) []styled.Line { return t.thoughtLines(e) }))
	case agent.Citations:
		t.add(apart, t.citationLines(e.Text))
	case agent.Joined:
		if !e.IsNotice { // a warning has reported it
			t.Prompt(e.Text())
		}
	default:
		t.addNote(e)
	}
}

// isHidden reports whether the transcript shows nothing of an event. The answer goes on behind it.
func (t *Transcript) isHidden(e agent.Event) bool {
	switch e := e.(type) {
	case agent.Thinking:
		return true
	case agent.Thought:
		return !t.Options.ShowsThoughts
	case agent.Citations:
		return t.Options.HidesCitations || strings.TrimSpace(e.Text) == ""
	case agent.Waiting: // the row of the work in progress counts down to the next request
		return !t.Options.ShowsErrors
	case agent.Retried: // no text is void; if all attempts fail, InvalidStream reports it once
		return e.Cause.Type == "NO_RESPONSE_TEXT" || e.Cause.Type == "THINKING_ONLY_RESPONSE"
	}
	return false
}

// addNote adds a note about an event that needs no state.
func (t *Transcript) addNote(e agent.Event) {
	switch e := e.(type) {
	case agent.Finished:
		if text := e.Reason.Note(); text != "" {
			t.Warn(text)
		}
	case agent.Retried:
		t.Warn(wording.Retried(e))
	case agent.Waiting:
		t.Info(wording.Retrying(e))
	case agent.Silent:
		t.Info(silentText(e))
	case agent.Switched:
		t.Warn(wording.Switched(e))
	case agent.EditsLeft:
		t.Warn(t.shortText(wording.EditsLeft(e)))
	case agent.Compressed:
		text, _ := wording.Compressed(e.Compression) // a failed one is no event
		t.Info(text)
	case agent.Overflow:
		t.Error(wording.Overflow(e))
	case agent.InvalidStream:
		t.Error(wording.InvalidStream(e))
	case agent.Exhausted:
		t.Warn(wording.Exhausted(e))
	case agent.LoopDetected:
		t.Info(loopText)
	case agent.MaxTurns:
		t.Error(wording.MaxTurns)
	case agent.Stopped:
		t.Info(wording.Stopped(e))
	case agent.Blocked:
		t.Warn(wording.Blocked(e))
	}
}

// silentText returns the message for a server that has sent nothing yet. The first one has advice.
func silentText(e agent.Silent) string {
	if e.Elapsed < time.Minute {
		return wording.Silent(e) + wording.Patience
	}
	return wording.Silent(e)
}

// showModel adds a note if the model has changed.
func (t *Transcript) showModel(model string) {
	if t.Options.ShowsModel && model != t.model {
		t.model = model
		t.Info("Responding with " + model)
	}
}

// thoughtLines returns a thought: its subject, and its text below.
func (t *Transcript) thoughtLines(e agent.Thought) []styled.Line {
	head, body := t.Look.Theme.Comment(), t.Look.Theme.Comment()
	head.Attrs |= styled.Bold
	body.Attrs |= styled.Italic
	lines := t.hang(styled.Span{}, []string{strings.TrimSpace("Thinking... " + terminal.Cut(e.Subject, maxNote))}, head)
	if text := excerpt(e.Description, maxLines); text != "" {
		lines = append(lines, t.hang(styled.Span{}, strings.Split(text, "\n"), body)...)
	}
	return lines
}

// citationLines returns the sources of an answer. The terminal wraps their addresses, so that it can open them.
func (t *Transcript) citationLines(text string) []styled.Line {
	lines := cleanLines(excerpt(text, maxLines))
	for _, l := range lines {
		for i := range l {
			l[i].Style = t.Look.Theme.Secondary()
		}
	}
	return lines
}

// failure returns the message for the error of a run or a command.
func (t *Transcript) failure(err error) string {
	var api *llm.Error
	var known *exit.Error
	switch {
	case errors.As(err, &known):
		return terminal.Brief(known.Message)
	case errors.As(err, &api):
		var at wording.Place
		if t.Options.Place != nil {
			at = t.Options.Place(api.Model)
		}
		text := "[API Error: " + terminal.Brief(wording.Failure(api, at)) + "]"
		if t.Options.IsDebug && api.Body != "" {
			text += "\n[DEBUG] " + api.Body
		}
		return text
	}
	return terminal.Brief(err.Error())
}
