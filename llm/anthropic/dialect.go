package anthropic

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"pollux/llm"
)

// dialect describes how to write requests to a model: the quirks of its service and
// the parameters that the service has refused. The zero value has no known quirks.
type dialect struct {
	Quirks
	triedOther bool // the service has refused a thinking mode before
	noTemperature, noTopP, noTopK,
	noEffort, noDisplay, noDisabled, noPrefill bool
	plainSystem bool // the system instruction is a string, not a list of blocks
}

// adapt changes q so that the service accepts it, according to the error with which
// it refused q. It reports whether to send q again. Changes that hold for all
// requests to the model are in q.dialect. Each refusal removes something, so that
// retries end.
func (q *query) adapt(refusal *llm.Error) bool {
	if refusal.Status != http.StatusBadRequest && refusal.Status != http.StatusUnprocessableEntity {
		return false
	}
	m := strings.ToLower(refusal.Message)
	if contains(m, "max_tokens") || contains(m, "maximum tokens") {
		return q.adaptMaxTokens(m)
	}
	before := q.dialect
	switch {
	case contains(m, "expected `thinking`"), contains(m, "reasoning_content is missing"):
		// Only this conversation is affected: another model started it.
		was := q.noThinking
		q.noThinking = true
		return !was
	case contains(m, "thinking` block"), contains(m, "thinking blocks"), contains(m, "signature") && contains(m, "thinking"):
		return q.dropThoughts()
	case contains(m, "system") && contains(m, "string") && !q.plainSystem:
		q.plainSystem = true
	case contains(m, "display") && q.thinkingMode == ThinkingAdaptive:
		q.noDisplay = true
	case (contains(m, "effort") || contains(m, "output_config")) && q.thinkingMode == ThinkingAdaptive && !q.noEffort:
		q.noEffort = true
	case contains(m, "interleaved-thinking"), contains(m, "anthropic-beta"), contains(m, "anthropic_beta"), contains(m, "beta flag"), contains(m, "beta header"):
		q.NoBetas = true
	case contains(m, "prefill"), contains(m, "must end with a user message"):
		q.noPrefill = true
	case contains(m, "tool_choice"):
		q.NoForce = true
	case contains(m, "cache_control"):
		q.NoCache = true
	// Check thinking before sampling: a message about their conflict names both.
	case contains(m, "thinking") && q.thinkingMode == ThinkingNone:
		q.noDisabled = true
	case contains(m, "thinking"):
		q.Thinking = q.nextThinking()
		q.triedOther = true
	case contains(m, "top_p"): // before temperature, which the message may also name
		q.noTopP = true
	case contains(m, "top_k"):
		q.noTopK = true
	case contains(m, "temperature"):
		q.noTemperature = true
	}
	return q.dialect != before
}

func contains(message, word string) bool { return strings.Contains(message, word) }

// nextThinking returns the thinking mode to try after the service has refused the
// current one: first the other mode, then none.
func (q *query) nextThinking() Thinking {
	switch {
	case q.triedOther:
		return ThinkingNone
	case q.thinkingMode == ThinkingAdaptive:
		return ThinkingEnabled
	}
	return ThinkingAdaptive
}

// dropThoughts removes the thoughts in the history so far. The service rejects
// thoughts of other models or accounts. It returns false if they are already removed.
func (q *query) dropThoughts() bool {
	if n := len(q.Contents); n > 0 && q.lastRejected != q.Contents[n-1] {
		q.lastRejected = q.Contents[n-1]
		return true
	}
	return false
}

// minAnswer is the smallest max_tokens worth a request.
const minAnswer = 2048

// adaptMaxTokens sets the maximum length of the response from an error message such
// as "max_tokens: 65536 > 32000, which is the maximum allowed number of output
// tokens", "input length and `max_tokens` exceed context limit: 190000 + 65536 >
// 200000", or on Bedrock "the maximum tokens you requested exceeds the model limit of
// 4096".
func (q *query) adaptMaxTokens(m string) bool {
	sum := regexp.MustCompile(`(\d+) \+ (\d+) > (\d+)`).FindStringSubmatch(m)
	most := regexp.MustCompile(`(?:\d+ > |model limit of )(\d+)`).FindStringSubmatch(m)
	switch {
	case sum != nil:
		tokensLeft := parseNumber(sum[3]) - parseNumber(sum[1])
		if tokensLeft < minAnswer || q.tokensLeft > 0 {
			return false
		}
		q.tokensLeft = tokensLeft
		return true
	case most != nil && parseNumber(most[1]) > 0 && (q.MaxTokens == 0 || parseNumber(most[1]) < q.MaxTokens):
		q.MaxTokens = parseNumber(most[1])
		return true
	}
	return false
}

// parseNumber returns the value of digits, 0 if it overflows an int.
func parseNumber(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
