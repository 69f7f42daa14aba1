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
	chatwire.Write(to, m, m.withoutUnreadable(contents), thoughts)
}

// withoutUnreadable returns contents without the images up to the message with which the server could not read one: it does not say
// which.
func (m *model) withoutUnreadable(contents []*llm.Content) []*llm.Content {
	last := slices.Index(contents, m.unreadable)
	if m.unreadable == nil || last < 0 {
		return contents
	}
	contents = slices.Clone(contents)
	for i, c := range contents[:last+1] {
		if parts, ok := withoutImages(c.Parts); ok {
			contents[i] = &llm.Content{Role: c.Role, Parts: parts}
		}
	}
	return contents
}

// withoutImages returns parts with a line of text for each image, and whether there is one.
func withoutImages(parts []llm.Part) ([]llm.Part, bool) {
	out, found := slices.Clone(parts), false
	for i := range out {
		p := &out[i]
		switch {
		case p.InlineData != nil && isSupportedImage(p.InlineData):
			name := p.InlineData.MIMEType
			if p.InlineData.DisplayName != "" {
				name += " " + p.InlineData.DisplayName
			}
			*p, found = llm.Text("["+name+" left out: the server could not read this image, or another one]"), true
		case p.FunctionResponse != nil:
			if inner, ok := withoutImages(p.FunctionResponse.Parts); ok {
				response := *p.FunctionResponse
				response.Parts = inner
				p.FunctionResponse, found = &response, true
			}
		}
	}
	return out, found
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
