package openai

import (
	"pollux/llm"
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
)

// converse writes contents. Where the model does not want all its thoughts back
// it gets those of the running tool loop.
func (t *traits) converse(contents []*llm.Content, to chatwire.Writer) {
	thoughts := -1
	if !t.ReasoningKeep && t.Protocol != Responses {
		thoughts = loopStart(contents)
	}
	chatwire.Write(to, t, contents, thoughts)
}

// loopStart is the index of the last prompt: the running tool loop is behind it.
// What the user adds to results, before the model has answered them, is none.
func loopStart(contents []*llm.Content) int {
	said := func(i int) bool { return contents[i].Role != llm.RoleModel && !contents[i].HasFunctionResponse() }
	for i := len(contents) - 1; i >= 0; i-- {
		if !said(i) {
			continue
		}
		first := i
		for first > 0 && said(first-1) {
			first--
		}
		if first == 0 || contents[first-1].Role == llm.RoleModel {
			return i
		}
		i = first
	}
	return -1
}

// list is the list of messages, or items, in a body.
type list struct {
	b     *httpwire.Body
	t     *traits
	begun bool
	used  idSet
}

// next begins the next element.
func (l *list) next() {
	if l.begun {
		l.b.Text(`,`)
	}
	l.begun = true
}

// CallID implements [chatwire.Writer]: no two calls share an id.
func (l *list) CallID(id []byte) []byte { return l.used.add(l.t, id) }
