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
func (w *messages) Assistant(pieces []chatwire.Piece) {
	w.next(assistant)
	w.join(pieces, chatwire.Text, ``)
	w.b.Text(`"`)
	if has(pieces, chatwire.Thought) {
		w.b.Text(`,"thinking":"`)
		w.join(pieces, chatwire.Thought, ``)
		w.b.Text(`"`)
	}
	first := true
	for i := range pieces {
		p := &pieces[i]
		if p.Kind != chatwire.Call {
			continue
		}
		if first {
			w.b.Text(`,"tool_calls":[{"id":"`)
		} else {
			w.b.Text(`,{"id":"`)
		}
		first = false
		w.b.Add(p.ID)
		w.b.Text(`","function":{"name":"`)
		w.b.Add(p.Name)
		w.b.Text(`","arguments":`)
		w.b.Add(p.Data)
		w.b.Text(`}}`)
	}
	if !first {
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
func (w *messages) User(pieces []chatwire.Piece, _ bool) {
	w.next(user)
	w.join(pieces, chatwire.Text, `\n`)
	w.b.Text(`"`)
	if has(pieces, chatwire.Media) {
		w.b.Text(`,"images":[`)
		w.join(pieces, chatwire.Media, `,`)
		w.b.Text(`]`)
	}
	w.b.Text(`}`)
}

// join writes the pieces of a kind.
func (w *messages) join(pieces []chatwire.Piece, k chatwire.Kind, between string) {
	first := true
	for i := range pieces {
		if pieces[i].Kind != k {
			continue
		}
		if !first {
			w.b.Text(between)
		}
		first = false
		w.b.Add(pieces[i].Data)
		if k == chatwire.Media {
			w.images++
			w.pixels += len(pieces[i].Data)
		}
	}
}

func has(pieces []chatwire.Piece, k chatwire.Kind) bool {
	return slices.ContainsFunc(pieces, func(p chatwire.Piece) bool { return p.Kind == k })
}
