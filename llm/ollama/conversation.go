package ollama

import (
	"slices"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
)

// converse writes contents. Of thoughts only those of the running tool loop go
// back: they are the reasons for its calls.
func (m *model) converse(contents []*llm.Content, to *messages) {
	thoughts := len(contents)
	if m.thinks != catalog.No {
		thoughts = loopStart(contents)
	}
	chatwire.Write(to, m, contents, thoughts)
}

// loopStart is the index of the last prompt: the running tool loop is behind it.
func loopStart(contents []*llm.Content) int {
	for i, c := range slices.Backward(contents) {
		if c.Role == llm.RoleModel || c.HasFunctionResponse() {
			continue
		}
		return i
	}
	return -1
}

// messages is the list of messages in a body.
type messages struct {
	b      *httpwire.Body
	begun  bool
	images int // so far
	pixels int // bytes of them
}

// The beginnings of messages, up to the inside of their content.
const (
	system    = `{"role":"system","content":"`
	user      = `{"role":"user","content":"`
	assistant = `{"role":"assistant","content":"`
	tool      = `{"role":"tool","content":"`
)

// next begins a message.
func (w *messages) next(head string) {
	if w.begun {
		w.b.Text(`,`)
	}
	w.begun = true
	w.b.Text(head)
}

// system writes the system instruction, if there is any.
func (w *messages) system(said [][]byte) {
	if len(said) > 0 {
		w.next(system)
		chatwire.AddLines(w.b, said)
		w.b.Text(`"}`)
	}
}

// CallID implements [chatwire.Writer]. The server does not mind two of the same.
func (w *messages) CallID(id []byte) []byte { return id }

// Assistant implements [chatwire.Writer].
func (w *messages) Assistant(pieces chatwire.Pieces) {
	w.next(assistant)
	pieces.Join(w.b, chatwire.Text, ``)
	w.b.Text(`"`)
	if pieces.Has(chatwire.Thought) {
		w.b.Text(`,"thinking":"`)
		pieces.Join(w.b, chatwire.Thought, ``)
		w.b.Text(`"`)
	}
	if pieces.Has(chatwire.Call) {
		w.b.Text(`,"tool_calls":[{"id":"`)
		pieces.Join(w.b, chatwire.Call, `,{"id":"`)
		w.b.Text(`]`)
	}
	w.b.Text(`}`)
}

// Result implements [chatwire.Writer].
func (w *messages) Result(id, name, text []byte) {
	w.next(tool)
	w.b.Add(text)
	w.b.Text(`","tool_name":"`)
	w.b.Add(name)
	w.b.Text(`","tool_call_id":"`)
	w.b.Add(id)
	w.b.Text(`"}`)
}

// User implements [chatwire.Writer].
func (w *messages) User(pieces chatwire.Pieces, _ bool) {
	w.next(user)
	pieces.Join(w.b, chatwire.Text, `\n`)
	w.b.Text(`"`)
	if pieces.Has(chatwire.Media) {
		w.b.Text(`,"images":[`)
		pieces.Join(w.b, chatwire.Media, `,`)
		w.b.Text(`]`)
		for i := range pieces {
			if pieces[i].Kind == chatwire.Media {
				w.images++
				w.pixels += len(pieces[i].Data)
			}
		}
	}
	w.b.Text(`}`)
}
