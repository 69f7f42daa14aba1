package anthropic

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"pollux/llm"
)

// quirks is what the service has refused of a model's requests. The zero value
// is a model of which nothing is known but what the tables say.
type quirks struct {
	style     style // how it is asked to think
	tried     bool  // the other style was refused before
	maxTokens int   // the longest answer, where less than the table's
	noTemperature, noTopP, noTopK,
	noEffort, noDisplay, noDisabled, noInterlace,
	noMarks, noPrefill, noForce bool
}

// learn makes q what the service will take, going by why it refused q. It
// reports whether the request is worth sending again; what holds for every
// request to the model is in q.quirks then. Each refusal takes something away, so
// that there is an end to them.
func (q *question) learn(refusal *llm.Error) bool {
	if refusal.Status != http.StatusBadRequest {
		return false
	}
	m := strings.ToLower(refusal.Message)
	if has(m, "max_tokens") {
		return q.learnLength(m)
	}
	before := q.quirks
	switch {
	case has(m, "thinking` block"), has(m, "thinking blocks"), has(m, "signature") && has(m, "thinking"):
		return q.forget()
	case has(m, "display") && q.thinking == styleAdaptive:
		q.noDisplay = true
	case (has(m, "effort") || has(m, "output_config")) && q.thinking == styleAdaptive && !q.noEffort:
		q.noEffort = true
	case has(m, "interleaved-thinking"):
		q.noInterlace = true
	case has(m, "prefill"), has(m, "must end with a user message"):
		q.noPrefill = true
	case has(m, "tool_choice"):
		q.noForce = true
	case has(m, "cache_control"):
		q.noMarks = true
	// Thinking comes before sampling: that the two do not go together names both.
	case has(m, "thinking") && q.thinking == styleNone:
		q.noDisabled = true
	case has(m, "thinking"):
		q.style = q.otherStyle()
		q.tried = true
	case has(m, "top_p"): // before temperature, which may be named beside it
		q.noTopP = true
	case has(m, "top_k"):
		q.noTopK = true
	case has(m, "temperature"):
		q.noTemperature = true
	}
	return q.quirks != before
}

func has(message, word string) bool { return strings.Contains(message, word) }

// otherStyle returns how to ask for thoughts where the way it was done is not
// taken: the other way, and none at all behind that.
func (q *question) otherStyle() style {
	switch {
	case q.tried:
		return styleNone
	case q.thinking == styleAdaptive:
		return styleEnabled
	}
	return styleAdaptive
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
// 32000, which is the maximum allowed number of output tokens", or "input length
// and `max_tokens` exceed context limit: 190000 + 65536 > 200000".
func (q *question) learnLength(m string) bool {
	sum := regexp.MustCompile(`(\d+) \+ (\d+) > (\d+)`).FindStringSubmatch(m)
	most := regexp.MustCompile(`\d+ > (\d+)`).FindStringSubmatch(m)
	switch {
	case sum != nil:
		room := number(sum[3]) - number(sum[1])
		if room < minRoom || q.room > 0 {
			return false
		}
		q.room = room
		return true
	case most != nil && q.maxTokens == 0 && number(most[1]) > 0:
		q.maxTokens = number(most[1])
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
