package ollama

import (
	"slices"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
)

// writeConversation writes contents. It includes only the thoughts of the
// current tool loop, which explain its calls.
func (m *model) writeConversation(contents []*llm.Content, to *messageWriter) {
	thoughts := len(contents)
	if m.thinkingSupport != catalog.No {
		thoughts = toolLoopStart(contents)
	}
	chatwire.Write(to, m, contents, thoughts)
}

// toolLoopStart returns the index of the last prompt, after which the current
// tool loop begins, or -1 if there is none.
func toolLoopStart(contents []*llm.Content) int {
	for i, c := range slices.Backward(contents) {
		if c.Role != llm.RoleModel && !c.HasFunctionResponse() {
			return i
		}
	}
	return -1
}

// messageWriter writes the array of messages in a body.
type messageWriter struct {
	b          *httpwire.Body
	hasMessage bool
	imageCount int // written so far
	imageBytes int // their encoded size
}

// The beginnings of messages, including the opening quote of the content.
const (
	systemHead    = `{"role":"system","content":"`
	userHead      = `{"role":"user","content":"`
	assistantHead = `{"role":"assistant","content":"`
	toolHead      = `{"role":"tool","content":"`
)

// beginMessage writes the head of a message, after a comma if it is not the
// first.
func (w *messageWriter) beginMessage(head string) {
	if w.hasMessage {
		w.b.Text(`,`)
	}
	w.hasMessage = true
	w.b.Text(head)
}

func (w *messageWriter) writeSystem(instructions [][]byte) {
	if len(instructions) > 0 {
		w.beginMessage(systemHead)
		chatwire.AddLines(w.b, instructions)
		w.b.Text(`"}`)
	}
}

// CallID implements [chatwire.Writer]. Ids need not be unique.
func (w *messageWriter) CallID(id []byte) []byte { return id }

// Assistant implements [chatwire.Writer].
func (w *messageWriter) Assistant(pieces chatwire.Pieces) {
	w.beginMessage(assistantHead)
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
func (w *messageWriter) Result(id, name, text []byte) {
	w.beginMessage(toolHead)
	w.b.Add(text)
	w.b.Text(`","tool_name":"`)
	w.b.Add(name)
	w.b.Text(`","tool_call_id":"`)
	w.b.Add(id)
	w.b.Text(`"}`)
}

// User implements [chatwire.Writer].
func (w *messageWriter) User(pieces chatwire.Pieces, _ bool) {
	w.beginMessage(userHead)
	pieces.Join(w.b, chatwire.Text, `\n`)
	w.b.Text(`"`)
	if pieces.Has(chatwire.Media) {
		w.b.Text(`,"images":[`)
		pieces.Join(w.b, chatwire.Media, `,`)
		w.b.Text(`]`)
		for i := range pieces {
			if pieces[i].Kind == chatwire.Media {
				w.imageCount++
				w.imageBytes += len(pieces[i].Data)
			}
		}
	}
	w.b.Text(`}`)
}
