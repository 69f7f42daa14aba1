package compress

import (
	"math"

	"pollux/agent"
	"pollux/llm"
	"pollux/llm/catalog"
)

// scale converts estimates into the vendor's token counts. The vendor has counted the whole
// request, including system instruction and tools. The ratio of that number to the estimate is
// assumed to stay the same for the compressed history, so that the sizes before and after are
// comparable.
//
// If no tokenizer could explain the ratio, scale uses the estimate.
type scale struct {
	fixed  int // tokens of a request without its messages
	factor float64
	before int // tokens of the request with the current history
}

// maxError is the factor by which an estimate may be wrong. Texts differ by a factor of 3 in
// their number of letters per token.
const maxError = 4

func measure(counted, fixed, guessed int) scale {
	s := scale{fixed: fixed, factor: 1, before: fixed + guessed}
	if s.before == 0 {
		return s
	}
	f := float64(counted) / float64(s.before)
	if f >= 1.0/maxError && f <= maxError {
		s.factor, s.before = f, counted
	}
	return s
}

// scaled returns the tokens of a request whose messages are estimated to have guessed tokens.
func (s scale) scaled(guessed int) int {
	return int(math.Round(s.factor * float64(s.fixed+guessed)))
}

func estimate(messages []agent.Message) int {
	n := 0
	for _, m := range messages {
		n += m.Content.Tokens()
	}
	return n
}

// answerTokens is the typical size of a summary and the thoughts before it.
const answerTokens = 4000

// isCheaper reports whether a summary in the given number of calls is known to cost no more
// with the conversation's own model than with the other. The own model reads fixed tokens of
// system instruction and tools and the history from its cache. The other has the history in
// its cache from the second call on.
func isCheaper(own, other *catalog.Price, fixed, history, calls int) bool {
	mine, ok := cost(own, fixed+history, true)
	first, known := cost(other, history, false)
	again, alsoKnown := cost(other, history, true)
	n := float64(calls)
	return ok && known && alsoKnown && n*mine <= first+(n-1)*again
}

func cost(p *catalog.Price, prompt int, cached bool) (usd float64, known bool) {
	u := llm.Usage{Prompt: prompt, Candidates: answerTokens}
	switch {
	case p == nil || p.CacheRead == nil: // the vendor has no cache
	case cached:
		u.CachedContent = prompt
	default:
		u.CacheWrite = prompt
	}
	return p.Cost(u)
}
