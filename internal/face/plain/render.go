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

// addText writes a piece of the answer.
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

// showEvent shows an event of the run.
func (l *loop) showEvent(e agent.Event) {
	hasBegun := l.renderer.calls.Observe(e)
	if t, ok := e.(agent.Text); ok {
		l.renderer.addText(t.Text)
		return
	}
	if skipReason(e, l.look.showThoughts) != "" {
		return
	}
	l.renderer.endAnswer()
	switch e := e.(type) {
	case agent.ToolUpdated:
		if hasBegun {
			l.showStarted(e)
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

// skipReason returns why an event is not shown, "" if it is shown.
func skipReason(e agent.Event, showThoughts bool) (why string) {
	switch e := e.(type) {
	case agent.TurnStarted:
		return "the answer or the next call shows it"
	case agent.ModelInfo:
		return "another event shows a change of the model, and /model shows the current one"
	case agent.Thinking:
		return "thoughts are shown when they are complete"
	case agent.Nested:
		if _, ok := e.Event.(agent.ToolFinished); !ok {
			return "of an agent inside a call only its own calls are shown, when they have ended"
		}
	case agent.Thought:
		if !showThoughts {
			return "thoughts are not wanted"
		}
	case agent.Retried:
		if e.Cause.Type == "NO_RESPONSE_TEXT" || e.Cause.Type == "THINKING_ONLY_RESPONSE" {
			return "no text is void; if all attempts fail, InvalidStream reports it once"
		}
	case agent.Finished:
		if e.Reason.Note() == "" {
			return "the end of the answer shows it"
		}
	}
	return ""
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
	case agent.Joined:
		return "Sent to the model: " + e.Text()
	case agent.Compressed:
		text, _ := wording.Compressed(e.Compression) // a failed one is no event
		return text
	case agent.InvalidStream:
		return "Error: " + wording.InvalidStream(e)
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

// errorText returns the message for a failed run or command.
func (l *loop) errorText(err error) string {
	var api *llm.Error
	var known *exit.Error
	text := terminal.Brief(err.Error())
	switch {
	case errors.As(err, &known):
		text = terminal.Brief(known.Message)
	case errors.As(err, &api):
		at := wording.Place{InSession: true}
		if l.look.place != nil {
			at = l.look.place()
		}
		text = terminal.Brief(wording.Failure(api, at))
		if l.look.debug && api.Body != "" {
			text += "\n[DEBUG] " + api.Body
		}
	}
	return "Error: " + terminal.Visible(text)
}

// silenceTimer fires when nothing was shown for a while during a job, because a screen
// reader shows no activity.
type silenceTimer struct {
	timer *time.Timer
	next  time.Duration
}

// silenceLimit is the time without output before the first message.
const silenceLimit = 30 * time.Second

func (s *silenceTimer) begin() {
	s.next = silenceLimit
	s.timer.Reset(silenceLimit)
}

func (s *silenceTimer) stop() { s.timer.Stop() }

// showStillWorking shows what is running, at doubling intervals.
func (l *loop) showStillWorking() {
	s := &l.silence
	if !l.state.IsBusy || l.dialog != nil || l.screen.isLent() {
		return
	}
	idle := l.screen.idleTime(l.now())
	if idle < silenceLimit {
		s.next = silenceLimit
		s.timer.Reset(silenceLimit - idle)
		return
	}
	l.screen.message("Still working" + l.runningText() + ".")
	s.next *= 2
	s.timer.Reset(s.next)
}
