package agent

import (
	"encoding/json"
	"iter"

	"pollux/llm"
)

// maxEarlier is the number of tokens at the end of the history in which results are sure to stay
// as they are until the next request: a [Masker] protects more. In a small window it is an
// eighth of it, which is less than a [Compressor] keeps.
const maxEarlier = 40_000

// earlier returns the results of earlier calls of a tool for [tool.Host].Earlier, nil if the
// history may be compressed before the next request, or if a call of the same response has run
// that may have changed files. It examines the end of the history only, so that its cost does not
// grow with the conversation.
func (b *batch) earlier(j *job) func() iter.Seq2[json.RawMessage, string] {
	call := j.call
	room, w := maxEarlier, b.window()
	if w.size > 0 {
		room = min(room, w.size/8)
	}
	if call.FromClient || j.afterChange || w.isScarce() {
		return nil
	}
	return func() iter.Seq2[json.RawMessage, string] {
		return earlierResults(b.conv.tail(room), call.Name, b.mayChange)
	}
}

// mayChange reports whether calls of the tool with this name can change files. A tool that is not
// registered any more counts as one that can.
func (b *batch) mayChange(name string) bool {
	t, ok := b.tools.Lookup(name)
	return !ok || !isReadOnly(t)
}

// tail returns the last messages of the history, with at most about the given number of tokens.
func (c *conversation) tail(tokens int) []Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := len(c.history.all)
	for i > 0 {
		if tokens -= c.history.all[i-1].Content.Tokens(); tokens < 0 {
			break
		}
		i--
	}
	return c.history.all[i:len(c.history.all):len(c.history.all)]
}

// earlierResults yields the arguments and the texts of the successful calls of a tool, the newest
// first, back to the last call of a tool that may have changed files. A result whose call is not
// among the messages is left out.
func earlierResults(messages []Message, name string, mayChange func(name string) bool) iter.Seq2[json.RawMessage, string] {
	return func(yield func(json.RawMessage, string) bool) {
		for i := len(messages) - 1; i > 0; i-- {
			parts := messages[i].Content.Parts
			for k := len(parts) - 1; k >= 0; k-- {
				response := parts[k].FunctionResponse
				if response != nil && mayChange(response.Name) {
					return
				}
				if response == nil || response.Name != name {
					continue
				}
				call, output := callOf(messages[:i], response.ID), struct{ Output, Error *string }{}
				if call == nil || len(response.Parts) > 0 || json.Unmarshal(response.Response, &output) != nil || output.Output == nil || output.Error != nil {
					continue
				}
				if !yield(call.Args, *output.Output) {
					return
				}
			}
		}
	}
}

// callDistance is the number of messages before a result among which its call is: results follow
// the message of the model that has the calls, and a few messages may stand between.
const callDistance = 3

// callOf returns the call with this id in the last callDistance messages, nil if there is none.
func callOf(messages []Message, id string) *llm.FunctionCall {
	for i := len(messages) - 1; i >= max(0, len(messages)-callDistance); i-- {
		for _, call := range messages[i].Content.FunctionCalls() {
			if call.ID == id {
				return call
			}
		}
	}
	return nil
}
