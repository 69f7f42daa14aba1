package headless

import (
	"strings"

	"pollux/agent"
)

// unfinished is why a run without an error has not done its work, as the JSON formats name it; "" if it has.
type unfinished string

const (
	isEmpty     unfinished = "empty"         // the model gave no answer
	isBlocked   unfinished = "blocked"       // the provider refused the prompt or stopped the answer because of its content
	isCutOff    unfinished = "cut_off"       // the answer ended early, such as at the limit of its length
	isLoop      unfinished = "loop"          // the model repeated itself
	isExhausted unfinished = "continuations" // the prompt caused as many requests as it may
)

// status is the value of the member status for such a run.
const status = "unfinished"

// observe updates u with an event. A new turn takes back what was wrong with the one before it.
func (u *unfinished) observe(e agent.Event) {
	switch e := e.(type) {
	case agent.TurnStarted:
		*u = ""
	case agent.Finished:
		if e.Reason.Note() == "" {
			break
		}
		*u = isCutOff
		if e.Reason.IsRefusal() {
			*u = isBlocked
		}
	case agent.InvalidStream:
		switch {
		case strings.HasSuffix(e.Type, "_BLOCKED"):
			*u = isBlocked
		case e.Type == "MAX_TOKENS_EXCEEDED":
			*u = isCutOff
		default:
			*u = isEmpty
		}
	case agent.LoopDetected:
		*u = isLoop
	case agent.Exhausted:
		*u = isExhausted
	}
}

// appendUnfinished appends the members status and reason of an object, without status if it has one.
func appendUnfinished(b []byte, u unfinished, hasStatus bool) []byte {
	if u == "" {
		return b
	}
	if !hasStatus {
		b = appendString(append(b, `,"status":`...), status)
	}
	return appendString(append(b, `,"reason":`...), string(u))
}
