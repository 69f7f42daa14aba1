package agent

import (
	"encoding/json"
	"iter"
	"slices"
	"sync"

	"pollux/llm"
	"pollux/tool"
)

// maxEarlier is the number of tokens at the end of the history in which results are sure to stay
// as they are until the next request: a [Masker] protects more. In a small window it is an
// eighth of it, which is less than a [Compressor] keeps.
const maxEarlier = 40_000

// earlier returns the results of earlier calls of a tool for [tool.Host].Earlier, nil if the
// history may be compressed before the next request, or if a call of the same response has run
// that may have changed files. It uses an index of the end of the history, so that its cost does not
// grow with the conversation.
func (b *batch) earlier(j *job) func() iter.Seq2[json.RawMessage, func() (string, bool)] {
	call := j.call
	room, w := maxEarlier, b.window()
	if w.size > 0 {
		room = min(room, w.size/8)
	}
	if call.FromClient || j.afterChange || w.isScarce() {
		return nil
	}
	return func() iter.Seq2[json.RawMessage, func() (string, bool)] {
		return earlierResults(b.conv.lastResults(room), call.Name, b.mayChange)
	}
}

// mayChange reports whether calls of the tool with this name can change files. A tool that is not
// registered any more counts as one that can.
func (b *batch) mayChange(name string) bool {
	t, ok := b.tools.Lookup(name)
	return !ok || !tool.EffectOf(t, nil).Reads
}

type pastResult struct {
	name string // of the tool
	// start is the number of tokens in the history before the call.
	start int
	// args are the arguments of the call, and text decodes the text of the result, once. Both are nil
	// if the call is not in one of the messages before the result, or if the result has no text.
	args json.RawMessage
	text func() (string, bool) // false for a failed call
}

// callDistance is the number of messages before a result among which its call is: results follow
// the message of the model that has the calls, and a few messages may stand between.
const callDistance = 3

// index adds the results in c, the next content of the history, to h.results, and drops those that
// are too far back.
func (h *history) index(c *llm.Content) {
	for _, p := range c.Parts {
		if p.FunctionResponse != nil {
			h.results = append(h.results, h.pastResult(p.FunctionResponse))
		}
	}
	for len(h.results) > 0 && h.tokens-h.results[0].start > maxEarlier {
		h.results = h.results[1:]
	}
}

func (h *history) pastResult(response *llm.FunctionResponse) pastResult {
	past := pastResult{name: response.Name, start: h.tokens}
	for i, start := len(h.all)-1, h.tokens; i >= max(0, len(h.all)-callDistance); i-- {
		start -= h.all[i].Content.Tokens()
		for _, p := range h.all[i].Content.Parts {
			if call := p.FunctionCall; call != nil && call.ID == response.ID && len(response.Parts) == 0 {
				past.start, past.args = start, call.Args
				past.text = sync.OnceValues(func() (string, bool) { return textOf(response) })
				return past
			}
		}
	}
	return past
}

// textOf returns the text of a result, false for a failed call.
func textOf(response *llm.FunctionResponse) (string, bool) {
	var result struct{ Output, Error *string }
	if json.Unmarshal(response.Response, &result) != nil || result.Output == nil || result.Error != nil {
		return "", false
	}
	return *result.Output, true
}

// lastResults returns the results at the end of the history that lie, with their calls, within at most
// about the given number of tokens, which is at most maxEarlier.
func (c *conversation) lastResults(tokens int) []pastResult {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.history.results
	i := len(all)
	for i > 0 && c.history.tokens-all[i-1].start <= tokens {
		i--
	}
	return all[i:len(all):len(all)]
}

// earlierResults yields the arguments and the texts of the calls of a tool, the newest first, back to the
// last call of a tool that may have changed files.
func earlierResults(results []pastResult, name string, mayChange func(name string) bool) iter.Seq2[json.RawMessage, func() (string, bool)] {
	return func(yield func(json.RawMessage, func() (string, bool)) bool) {
		for _, past := range slices.Backward(results) {
			if mayChange(past.name) {
				return
			}
			if past.name == name && past.text != nil && !yield(past.args, past.text) {
				return
			}
		}
	}
}
