package compress

import (
	"math"

	"pollux/agent"
	"pollux/llm"
	"pollux/llm/catalog"
)

// scale tells from our guesses how many tokens the vendor would count. The
// vendor has counted the whole request, system instruction and tools included,
// so that is what is guessed too; how far the two are apart for the history as it
// was, they are thought to be for what becomes of it. So a number that was over
// the threshold stays comparable with the one after.
//
// Where they are so far apart that no tokenizer explains it, the vendor's number
// is not believed: the guess counts.
type scale struct {
	fixed  int // tokens of a request without its messages
	factor float64
	before int // tokens of the request with the history as it is
}

// implausible is how many times a guess may be off: text of few letters to a
// token, or many, makes a difference of 3.
const implausible = 4

func measure(counted, fixed, guessed int) scale {
	s := scale{fixed: fixed, factor: 1, before: fixed + guessed}
	if s.before == 0 {
		return s
	}
	f := float64(counted) / float64(s.before)
	if f >= 1.0/implausible && f <= implausible {
		s.factor, s.before = f, counted
	}
	return s
}

// scaled returns how many tokens a request is whose messages are guessed to be
// this many.
func (s scale) scaled(guessed int) int {
	return int(math.Round(s.factor * float64(s.fixed+guessed)))
}

// estimate guesses how many tokens messages are.
func estimate(messages []agent.Message) int {
	n := 0
	for _, m := range messages {
		n += m.Content.Tokens()
	}
	return n
}

// answerTokens is about what a summary and the thoughts before it come to.
const answerTokens = 4000

// cheaper reports whether a summary of so many calls costs less from the
// conversation's own model, which has fixed tokens of instruction and tools and
// the history in its cache, than from another one, which has the history cached
// from its first call on. What is not known is not cheaper.
func cheaper(own, other *catalog.Price, fixed, history, calls int) bool {
	mine, ok := cost(own, fixed+history, true)
	first, known := cost(other, history, false)
	again, alsoKnown := cost(other, history, true)
	n := float64(calls)
	return ok && known && alsoKnown && n*mine <= first+(n-1)*again
}

func cost(p *catalog.Price, prompt int, cached bool) (usd float64, known bool) {
	u := llm.Usage{Prompt: prompt, Candidates: answerTokens}
	switch {
	case p == nil || p.CacheRead == nil: // nothing is cached
	case cached:
		u.CachedContent = prompt
	default:
		u.CacheWrite = prompt
	}
	return p.Cost(u)
}
