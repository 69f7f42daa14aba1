package working

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
)

// delay is the reason why a response takes longer: a [retry] or a [silence].
type delay interface {
	text(now time.Time) string
	// of returns the call in which the agent runs that waits for the response, nil for the main agent.
	of() *agent.ToolCall
}

// agentOf is the agent that waits: that of a call, nil for the main agent.
type agentOf struct{ call *agent.ToolCall }

func (a agentOf) of() *agent.ToolCall { return a.call }

// retry is a request that is sent again.
type retry struct {
	agentOf
	model    string
	attempts string // number of the next attempt and of all, "" if unknown
	cause    string
	until    time.Time // of the wait before the next attempt, zero for none
	wait     time.Duration
}

// text returns the model, the time left, the attempts and the cause.
func (r *retry) text(now time.Time) string {
	text := "Retrying"
	if r.model != "" {
		text += " " + r.model
	}
	if left := min(r.until.Sub(now), r.wait); left > 0 {
		text += " in " + seconds(left+time.Second-1) // begun seconds count
	}
	if r.attempts != "" {
		text += " (" + r.attempts + ")"
	}
	return text + ": " + r.cause
}

// silence is a server that has sent nothing of its response.
type silence struct {
	agentOf
	event agent.Silent
	at    time.Time // of the event
}

// text returns the sentence of [wording.Silent] with the time that has passed until now, without a period.
func (s *silence) text(now time.Time) string {
	e := s.event
	e.Elapsed += max(now.Sub(s.at), 0)
	return strings.TrimSuffix(wording.Silent(e), ".")
}

// newRetry returns the retry of a failed request.
func newRetry(e agent.Waiting, by agentOf, at time.Time) *retry {
	return &retry{
		agentOf: by, model: clean(e.Model), attempts: attempts(e.Attempt+1, e.MaxAttempts), cause: shortCause(e.Err),
		until: at.Add(e.Delay), wait: e.Delay,
	}
}

// newRepeat returns the retry of a response that is unusable.
func newRepeat(e agent.Retried, by agentOf, model string) *retry {
	cause := "the response was unusable"
	switch e.Cause.Type {
	case "INCOMPLETE_STREAM", "NO_FINISH_REASON":
		cause = "the response was cut off"
	case "CONTEXT_WINDOW":
		cause = "the request was too large"
	case "MEDIA_REFUSED":
		cause = "the request was refused"
	case "LOOP_DETECTED":
		cause = "the response repeated itself"
	}
	return &retry{agentOf: by, model: model, attempts: attempts(e.Attempt, e.MaxAttempts), cause: cause}
}

func newSilence(e agent.Silent, by agentOf, at time.Time) *silence {
	e.Model, e.Host = clean(e.Model), clean(e.Host)
	return &silence{by, e, at}
}

// attempts returns the number of an attempt, and of all, such as "2/4".
func attempts(n, most int) string {
	if most <= 0 || n <= 0 {
		return ""
	}
	return strconv.Itoa(n) + "/" + strconv.Itoa(most)
}

// shortCause returns the first sentence of an error, with the HTTP status if the sentence does not have it.
func shortCause(err error) string {
	text, _, _ := strings.Cut(terminal.Title(wording.Reason(err)), ". ")
	if text == "" {
		text = "the request failed"
	}
	var e *llm.Error
	if errors.As(err, &e) && e.Status > 200 && !strings.Contains(text, strconv.Itoa(e.Status)) {
		text = fmt.Sprintf("%s (status %d)", text, e.Status)
	}
	return text
}
