package anthropic

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"pollux/llm"
)

// manner is how a model's requests are written: by the service's quirks, and by
// what it has refused. The zero value is a model of which nothing is known but
// what the tables say.
type manner struct {
	Quirks
	tried bool // the other way to think was refused before
	noTemperature, noTopP, noTopK,
	noEffort, noDisplay, noDisabled, noPrefill bool
}

// learn makes q what the service will take, going by why it refused q. It
// reports whether the request is worth sending again; what holds for every
// request to the model is in q.manner then. Each refusal takes something away, so
// that there is an end to them.
func (q *question) learn(refusal *llm.Error) bool {
	if refusal.Status != http.StatusBadRequest {
		return false
	}
	m := strings.ToLower(refusal.Message)
	if has(m, "max_tokens") || has(m, "maximum tokens") {
		return q.learnLength(m)
	}
	before := q.manner
	switch {
	case has(m, "expected `thinking`"), has(m, "reasoning_content is missing"):
		// It is about this conversation, which another model began.
		was := q.unthinking
		q.unthinking = true
		return !was
	case has(m, "thinking` block"), has(m, "thinking blocks"), has(m, "signature") && has(m, "thinking"):
		return q.forget()
	case has(m, "display") && q.thinking == ThinkingAdaptive:
		q.noDisplay = true
	case (has(m, "effort") || has(m, "output_config")) && q.thinking == ThinkingAdaptive && !q.noEffort:
		q.noEffort = true
	case has(m, "interleaved-thinking"), has(m, "anthropic-beta"), has(m, "anthropic_beta"), has(m, "beta flag"), has(m, "beta header"):
		q.NoBetas = true
	case has(m, "prefill"), has(m, "must end with a user message"):
		q.noPrefill = true
	case has(m, "tool_choice"):
		q.NoForce = true
	case has(m, "cache_control"):
		q.NoCache = true
	// Thinking comes before sampling: that the two do not go together names both.
	case has(m, "thinking") && q.thinking == ThinkingNone:
		q.noDisabled = true
	case has(m, "thinking"):
		q.Thinking = q.otherWay()
		q.tried = true
	case has(m, "top_p"): // before temperature, which may be named beside it
		q.noTopP = true
	case has(m, "top_k"):
		q.noTopK = true
	case has(m, "temperature"):
		q.noTemperature = true
	}
	return q.manner != before
}

func has(message, word string) bool { return strings.Contains(message, word) }

// otherWay returns how to ask for thoughts where the way it was done is not
// taken: the other way, and none at all behind that.
func (q *question) otherWay() Thinking {
	switch {
	case q.tried:
		return ThinkingNone
	case q.thinking == ThinkingAdaptive:
		return ThinkingEnabled
	}
	return ThinkingAdaptive
}

// forget leaves the thoughts in the history so far out: they were made by a
// model, for an account or in a form that this one does not know.
func (q *question) forget() bool {
	if n := len(q.Contents); n > 0 && q.foreign != q.Contents[n-1] {
		q.foreign = q.Contents[n-1]
		return true
	}
	return false
}

// minRoom is the shortest answer that is worth asking for.
const minRoom = 2048

// learnLength finds in a message how long an answer may be: "max_tokens: 65536 >
// 32000, which is the maximum allowed number of output tokens", "input length and
// `max_tokens` exceed context limit: 190000 + 65536 > 200000", or on Bedrock "the
// maximum tokens you requested exceeds the model limit of 4096".
func (q *question) learnLength(m string) bool {
	sum := regexp.MustCompile(`(\d+) \+ (\d+) > (\d+)`).FindStringSubmatch(m)
	most := regexp.MustCompile(`(?:\d+ > |model limit of )(\d+)`).FindStringSubmatch(m)
	switch {
	case sum != nil:
		room := number(sum[3]) - number(sum[1])
		if room < minRoom || q.room > 0 {
			return false
		}
		q.room = room
		return true
	case most != nil && number(most[1]) > 0 && (q.MaxTokens == 0 || number(most[1]) < q.MaxTokens):
		q.MaxTokens = number(most[1])
		return true
	}
	return false
}

// number returns the value of digits, 0 where no int holds it.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
