package openai

import (
	"pollux/llm"
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
)

// writeConversation writes contents. Unless ReasoningKeep is set, it includes
// only the thoughts of the current tool loop.
func (t *traits) writeConversation(contents []*llm.Content, to chatwire.Writer) {
	thoughts := -1
	if !t.ReasoningKeep && t.Protocol != Responses {
		thoughts = toolLoopStart(contents)
	}
	chatwire.Write(to, t, contents, thoughts)
}

// toolLoopStart returns the index of the last prompt, after which the current
// tool loop begins, or -1 if there is none. Text that the user adds to tool
// results before the model has responded to them is not a prompt.
func toolLoopStart(contents []*llm.Content) int {
	isPrompt := func(i int) bool { return contents[i].Role != llm.RoleModel && !contents[i].HasFunctionResponse() }
	for i := len(contents) - 1; i >= 0; i-- {
		if !isPrompt(i) {
			continue
		}
		first := i
		for first > 0 && isPrompt(first-1) {
			first--
		}
		if first == 0 || contents[first-1].Role == llm.RoleModel {
			return i
		}
		i = first
	}
	return -1
}

// listWriter writes the array of messages or items in a body.
type listWriter struct {
	b          *httpwire.Body
	t          *traits
	hasElement bool
	usedIDs    idSet
}

// beginElement writes the comma before every element but the first.
func (l *listWriter) beginElement() {
	if l.hasElement {
		l.b.Text(`,`)
	}
	l.hasElement = true
}

// CallID implements [chatwire.Writer]: it makes the ids of calls unique.
func (l *listWriter) CallID(id []byte) []byte { return l.usedIDs.add(l.t, id) }
