package plain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
	"pollux/tool"
)

// voice puts a run into words.
type voice struct {
	screen *screen
	clean  terminal.Linear
	held   string      // of the answer: a word that may go on
	timer  *time.Timer // until it is written all the same
	spoken bool        // the answer has begun and not ended
	calls  calls
}

// begin is the start of a prompt.
func (v *voice) begin() { v.calls = calls{} }

// text is a piece of the answer. Words are written whole, for they are read aloud
// as they come.
func (v *voice) text(s string) {
	s = v.held + v.clean.Strip(s)
	if !v.spoken {
		if s = strings.TrimLeft(s, "\n"); strings.TrimSpace(s) == "" {
			v.held = s
			return
		}
		v.spoken = true
		s = "Model: " + s
	}
	cut := wordStart(s)
	s, v.held = s[:cut], s[cut:]
	v.screen.text(s)
	if v.held != "" {
		v.timer.Reset(hesitation)
	}
}

// hesitation is how long the rest of a word is waited for.
const hesitation = 200 * time.Millisecond

// speakUp writes a word that may not be whole.
func (v *voice) speakUp() {
	if v.spoken {
		v.screen.text(v.held)
		v.held = ""
	}
}

// longestWord is how much of a word is waited for, in bytes.
const longestWord = 64

// wordStart returns where the last word of s begins, if it may go on; else len(s).
// Scripts without spaces are not waited for.
func wordStart(s string) int {
	const firstIdeograph = 0x2E80
	for i := len(s); i > 0; {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		switch {
		case unicode.IsSpace(r):
			return i
		case r >= firstIdeograph || len(s)-i > longestWord:
			return len(s)
		}
		i -= n
	}
	return 0
}

// end is the end of a piece of the answer: what follows is something else.
func (v *voice) end() {
	v.timer.Stop()
	rest := v.held + v.clean.Flush()
	v.held = ""
	if v.spoken {
		v.screen.text(strings.TrimRight(rest, " \n"))
	} else if strings.TrimSpace(rest) != "" {
		v.screen.text("Model: " + strings.TrimSpace(rest))
	}
	v.spoken = false
	v.screen.endLine()
}

// event says what an event means.
func (l *loop) event(e agent.Event) {
	if l.o.Stats != nil {
		l.o.Stats.See(e)
	}
	if t, ok := e.(agent.Text); ok {
		l.job.spoke = l.job.spoke || t.Text != ""
		l.voice.text(t.Text)
		return
	}
	if quiet(e, l.o) != "" {
		return
	}
	l.voice.end()
	switch e := e.(type) {
	case agent.ToolRequested:
		l.job.spoke = true
		l.voice.calls.add(e.Call)
	case agent.ToolUpdated:
		l.update(e)
	case agent.ToolAsked:
		c := l.voice.calls.of(e.Call)
		c.asked = true
		_, c.answered = e.Details.(*tool.QuestionConfirmation)
		l.wait(&question{call: e.Call, details: e.Details, answer: e.Answer})
	case agent.ToolFinished:
		l.finish(e)
	case agent.Cancelled:
		l.cancelled()
	case agent.Overflow:
		l.job.cancelled = true // what was typed behind it would not fit either
		l.keep(l.job.prompt)
		l.screen.line("Error: " + terminal.Text(wording.Overflow(e)))
	default:
		if text := words(e); text != "" {
			l.screen.line(terminal.Text(text))
		}
	}
}

// quiet says why nothing is said of an event, "" if something is.
func quiet(e agent.Event, o Options) (why string) {
	switch e := e.(type) {
	case agent.TurnStarted:
		return "the answer or the next call shows it"
	case agent.ModelInfo:
		return "a change of the model is told, and /model tells which one it is"
	case agent.Thinking:
		return "thoughts are told whole"
	case agent.Thought:
		if !o.Thoughts {
			return "thoughts are not wanted"
		}
	case agent.Finished:
		if e.Reason.Note() == "" {
			return "the end of the answer shows it"
		}
	}
	return ""
}

// words says what an event means, in a line or several.
func words(e agent.Event) string {
	switch e := e.(type) {
	case agent.Thought:
		return "Thinking: " + strings.TrimSpace(e.Subject+"\n"+e.Description)
	case agent.Citations:
		return e.Text
	case agent.Finished:
		return "Warning: " + e.Reason.Note()
	case agent.Retried:
		return "Warning: " + wording.Discarded + "."
	case agent.Waiting:
		return waiting(e.Retry)
	case agent.Switched:
		return "Warning: " + wording.Switched(e)
	case agent.Compressed:
		return compressed(e.Compression)
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

func waiting(r llm.Retry) string {
	cause := wording.Reason(r.Err)
	if cause != "" {
		cause = ": " + cause
	}
	seconds := max(1, int(r.Delay.Round(time.Second)/time.Second))
	return fmt.Sprintf("Retrying %s in %ds (%d/%d)%s", r.Model, seconds, r.Attempt+1, r.MaxAttempts, cause)
}

// compressed tells of a compression (spec/tui.md §1.2).
func compressed(c agent.Compression) string {
	const small = 50_000
	switch c.Status {
	case agent.CompressedOK, agent.CompressContentTruncated:
		return fmt.Sprintf("Chat history compressed from %d to %d tokens.", c.Before, c.After)
	case agent.CompressInflated:
		if c.Before < small {
			return "Compression was not beneficial for this history size."
		}
		return "Chat history compression did not reduce size. This may indicate issues with the compression prompt."
	case agent.CompressTokenCountError:
		return "Could not compress chat history due to a token counting error."
	case agent.CompressEmptySummary:
		return "Chat history compression failed: the model returned an empty summary."
	}
	return "Nothing to compress."
}

// cancelled tells of the end of a job that was called off.
func (l *loop) cancelled() {
	l.job.cancelled = true
	l.voice.end()
	switch {
	case l.job.interrupted && !l.leaving:
		l.screen.line("Request cancelled. Press Ctrl+C again to quit.")
	case l.job.interrupted, l.leaving:
		l.screen.line("Request cancelled.")
	default:
		l.screen.line("User cancelled the request.")
	}
}

// failure says why a job could not go on.
func (l *loop) failure(err error) string {
	var api *llm.Error
	var known *exit.Error
	text := err.Error()
	switch {
	case errors.Is(err, context.Canceled) && l.job != nil && l.job.interrupted:
		l.job.cancelled = true
		return "Request cancelled. Press Ctrl+C again to quit."
	case errors.As(err, &known):
		text = known.Message
	case errors.As(err, &api):
		text = wording.APIError(api)
		if api.Status == 429 && l.o.QuotaHint != nil {
			text += l.o.QuotaHint()
		}
		text += wording.NextStep(api)
		if l.o.Debug && api.Body != "" {
			text += "\n[DEBUG] " + api.Body
		}
	}
	return "Error: " + terminal.Text(text)
}

// silence tells a person who hears nothing that there is work going on.
type silence struct {
	timer *time.Timer
	next  time.Duration
}

// patient is how long nothing is said before that.
const patient = 30 * time.Second

func (s *silence) begin(l *loop) {
	if l.job != nil {
		s.next = patient
		s.timer.Reset(patient)
	}
}

func (s *silence) stop() { s.timer.Stop() }

// breakSilence says what is going on, less and less often.
func (l *loop) breakSilence() {
	s := &l.silent
	if l.job == nil || l.dialog != nil || l.screen.lent() {
		return
	}
	quiet := l.screen.quiet(l.now())
	if quiet < patient {
		s.next = patient
		s.timer.Reset(patient - quiet)
		return
	}
	l.screen.line("Still working" + l.voice.calls.running(l.o.Title) + ".")
	s.next *= 2
	s.timer.Reset(s.next)
}
