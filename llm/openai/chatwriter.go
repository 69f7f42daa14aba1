package openai

import (
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
)

// chatWriter writes the messages of a Chat Completions request.
type chatWriter struct {
	listWriter
	pendingSystem [][]byte // system instruction that goes into the first user message
}

// writeSystem writes the system instruction, or keeps it for the first user
// message if the model has no system role.
func (w *chatWriter) writeSystem(instructions [][]byte) {
	role := w.t.SystemRole
	switch {
	case len(instructions) == 0:
		return
	case role == "user":
		w.pendingSystem = instructions
		return
	case role == "":
		role = "system"
	}
	w.beginElement()
	w.b.Text(`{"role":"`)
	w.b.Text(role)
	w.b.Text(`","content":"`)
	chatwire.AddLines(w.b, instructions)
	w.b.Text(`"}`)
}

// flushSystem writes the system instruction as a user message if no user
// message has included it.
func (w *chatWriter) flushSystem() {
	if len(w.pendingSystem) > 0 {
		w.beginElement()
		w.b.Text(`{"role":"user","content":"`)
		chatwire.AddLines(w.b, w.pendingSystem)
		w.b.Text(`"}`)
		w.pendingSystem = nil
	}
}

// Assistant implements [chatwire.Writer].
func (w *chatWriter) Assistant(pieces chatwire.Pieces) {
	w.beginElement()
	calls, thoughts := pieces.Has(chatwire.Call), pieces.Has(chatwire.Thought)
	inContent := w.t.ReasoningOut == "content" && thoughts
	switch {
	case inContent || pieces.Has(chatwire.Text):
		w.b.Text(`{"role":"assistant","content":"`)
		if inContent {
			w.b.Text(`<think>\n`)
			pieces.Join(w.b, chatwire.Thought, ``)
			w.b.Text(`</think>\n\n`)
		}
		pieces.Join(w.b, chatwire.Text, `\n`)
		w.b.Text(`"`)
	case w.t.EmptyContent:
		w.b.Text(`{"role":"assistant","content":""`)
	default:
		w.b.Text(`{"role":"assistant","content":null`)
	}
	switch out := w.t.ReasoningOut; {
	case out == "" || out == "content":
	case thoughts && out == "reasoning_details":
		w.b.Text(`,"reasoning_details":[`)
		pieces.Join(w.b, chatwire.Thought, `,`)
		w.b.Text(`]`)
	case thoughts:
		w.b.Text(`,"`)
		w.b.Text(out)
		w.b.Text(`":"`)
		pieces.Join(w.b, chatwire.Thought, ``)
		w.b.Text(`"`)
	case calls && w.t.ReasoningFill && out != "reasoning_details":
		w.b.Text(`,"`)
		w.b.Text(out)
		w.b.Text(`":" "`) // some servers treat an empty string as missing
	}
	if calls {
		w.b.Text(`,"tool_calls":[{"id":"`)
		pieces.Join(w.b, chatwire.Call, `,{"id":"`)
		w.b.Text(`]`)
	}
	w.b.Text(`}`)
}

// Result implements [chatwire.Writer].
func (w *chatWriter) Result(id, _, text []byte) {
	w.beginElement()
	w.b.Text(`{"role":"tool","tool_call_id":"`)
	w.b.Add(id)
	w.b.Text(`","content":"`)
	w.b.Add(text)
	w.b.Text(`"}`)
}

// User implements [chatwire.Writer].
func (w *chatWriter) User(pieces chatwire.Pieces, afterResults bool) {
	if afterResults && w.t.AnswerAfterTool {
		w.beginElement()
		w.b.Text(`{"role":"assistant","content":"I have the results."}`)
	}
	w.beginElement()
	if !pieces.Has(chatwire.Media) {
		w.b.Text(`{"role":"user","content":"`)
		if len(w.pendingSystem) > 0 {
			chatwire.AddLines(w.b, w.pendingSystem)
			w.b.Text(`\n\n`)
			w.pendingSystem = nil
		}
		pieces.Join(w.b, chatwire.Text, `\n`)
		w.b.Text(`"}`)
		return
	}
	w.b.Text(`{"role":"user","content":[`)
	if len(w.pendingSystem) > 0 {
		w.b.Text(`{"type":"text","text":"`)
		chatwire.AddLines(w.b, w.pendingSystem)
		w.b.Text(`"},`)
		w.pendingSystem = nil
	}
	addBlocks(w.b, pieces, `{"type":"text","text":"`)
	w.b.Text(`]}`)
}

// addBlocks adds the pieces of a user message as content blocks. text is the
// beginning of a text block, up to its opening quote.
func addBlocks(b *httpwire.Body, pieces chatwire.Pieces, text string) {
	for i := range pieces {
		if i > 0 {
			b.Text(`,`)
		}
		if pieces[i].Kind == chatwire.Media {
			b.Add(pieces[i].Data)
			continue
		}
		b.Text(text)
		b.Add(pieces[i].Data)
		b.Text(`"}`)
	}
}
