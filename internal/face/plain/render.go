package plain

import (
	"errors"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/face/kit"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
)

// renderer writes the model's answer to the screen in whole words.
type renderer struct {
	screen   *screen
	clean    terminal.Linear
	blank    string      // white space before the answer
	timer    *time.Timer // writes an incomplete word
	inAnswer bool        // within an answer
	calls    kit.Calls
}

func (v *renderer) addText(s string) { v.addClean(v.clean.Strip(s)) }

func (v *renderer) addClean(s string) {
	if !v.inAnswer {
		s = strings.TrimLeft(v.blank+s, "\n")
		if v.blank = ""; isBlank(s) {
			v.blank = s
			return
		}
		v.inAnswer = true
		v.screen.label("Model: ")
	}
	if v.screen.text(s) {
		v.timer.Reset(wordDelay)
	}
}

// wordDelay is how long an incomplete word is held back.
const wordDelay = 200 * time.Millisecond

// endAnswer ends the answer and its line.
func (v *renderer) endAnswer() {
	v.timer.Stop()
	if rest := v.clean.Flush(); !isBlank(rest) {
		v.addClean(strings.TrimRight(rest, " \n"))
		v.timer.Stop()
	}
	v.inAnswer, v.blank = false, ""
	v.screen.endText()
}

func (l *loop) showEvent(e agent.Event) {
	hasBegun := l.renderer.calls.Observe(e)
	if t, ok := e.(agent.Text); ok {
		l.renderer.addText(t.Text)
		return
	}
	if isHidden(e, l.look) {
		return
	}
	l.renderer.endAnswer()
	switch e := e.(type) {
	case agent.ToolUpdated:
		if hasBegun {
			l.showStarted(e)
			l.status.Reset(statusInterval)
		}
	case agent.ToolFinished:
		l.showFinished(e)
	case agent.Nested:
		l.showNested(e)
	case agent.Overflow:
		l.screen.line("Error: " + terminal.Text(wording.Overflow(e)))
	default:
		if text := eventText(e); text != "" {
			l.screen.message(terminal.Text(text))
		}
	}
}

// isHidden reports whether the screen shows nothing of an event, not even that the answer has ended.
func isHidden(e agent.Event, look look) bool {
	switch e := e.(type) {
	case agent.TurnStarted, agent.ModelInfo, agent.Thinking: // later events show them
		return true
	case agent.Thought:
		return !look.showThoughts
	case agent.Citations:
		return look.hideCitations
	case agent.Nested: // the calls of an agent inside a call are shown when they have ended
		_, isEnd := e.Event.(agent.ToolFinished)
		return !isEnd
	case agent.Retried: // no text is void; if all attempts fail, InvalidStream reports it once
		return e.Cause.Type == "NO_RESPONSE_TEXT" || e.Cause.Type == "THINKING_ONLY_RESPONSE"
	case agent.Finished:
		return e.Reason.Note() == ""
	}
	return false
}

// eventText returns the message for an event that needs no state.
func eventText(e agent.Event) string {
	switch e := e.(type) {
	case agent.Thought:
		return "Thinking: " + strings.TrimSpace(e.Subject+"\n"+e.Description)
	case agent.Citations:
		return e.Text
	case agent.Finished:
		return "Warning: " + e.Reason.Note()
	case agent.Retried:
		return "Warning: " + wording.Retried(e)
	case agent.Waiting:
		return wording.Retrying(e)
	case agent.Silent:
		if e.Elapsed < time.Minute {
			return wording.Silent(e) + wording.Patience
		}
		return wording.Silent(e)
	case agent.Switched:
		return "Warning: " + wording.Switched(e)
	case agent.EditsLeft:
		return "Warning: " + wording.EditsLeft(e)
	case agent.Joined:
		if e.IsNotice { // a warning has reported it
			return ""
		}
		return "Sent to the model: " + e.Text()
	case agent.Compressed:
		text, _ := wording.Compressed(e.Compression) // a failed one is no event
		return text
	case agent.InvalidStream:
		return "Error: " + wording.InvalidStream(e)
	case agent.Exhausted:
		return "Warning: " + wording.Exhausted(e)
	case agent.LoopDetected:
		return "A potential loop was detected. This can happen due to repetitive tool calls or other model behavior. The request has been halted."
	case agent.MaxTurns:
		return "Error: " + wording.MaxTurns
	case agent.Stopped:
		return wording.Stopped(e)
	case agent.Blocked:
		return wording.Blocked(e)
	}
	return ""
}

// showCancelled shows that the work in progress was cancelled.
func (l *loop) showCancelled(e kit.Cancelled) {
	l.renderer.endAnswer()
	switch {
	case e.ByInterrupt && !e.IsLeaving:
		l.screen.line("Request cancelled. Press Ctrl+C again to exit.")
	case e.ByInterrupt, e.IsLeaving:
		l.screen.line("Request cancelled.")
	default:
		l.screen.line("User cancelled the request.")
	}
}

func (l *loop) errorText(err error) string {
	var api *llm.Error
	var known *exit.Error
	text := terminal.Brief(err.Error())
	switch {
	case errors.As(err, &known):
		text = terminal.Brief(known.Message)
	case errors.As(err, &api):
		text = terminal.Brief(wording.Failure(api, l.look.place(api.Model)))
		if l.look.debug && api.Body != "" {
			text += "\n[DEBUG] " + api.Body
		}
	}
	return "Error: " + terminal.Visible(text)
}

// silenceLimit is the time without output before a message about it: a screen reader shows no activity.
const silenceLimit = 30 * time.Second

// watchSilence begins to measure the time without output.
func (l *loop) watchSilence() {
	l.patience = silenceLimit
	l.silence.Reset(silenceLimit)
}

// showStillWorking shows the running calls, at doubling intervals.
func (l *loop) showStillWorking() {
	if !l.state.IsBusy || l.dialog != nil || l.screen.isLent() {
		return
	}
	if idle := l.screen.idleTime(); idle < silenceLimit {
		l.patience = silenceLimit
		l.silence.Reset(silenceLimit - idle)
		return
	}
	l.screen.message("Still working" + l.runningText() + ".")
	l.patience *= 2
	l.silence.Reset(l.patience)
}
