package openai

import (
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
)

// chatWriter writes messages of Chat Completions.
type chatWriter struct {
	list
	pending [][]byte // of the system instruction: it goes into the first message of the user
}

// system writes the system instruction.
func (w *chatWriter) system(said [][]byte) {
	role := w.t.SystemRole
	switch {
	case len(said) == 0:
		return
	case role == "user":
		w.pending = said
		return
	case role == "":
		role = "system"
	}
	w.next()
	w.b.Text(`{"role":"`)
	w.b.Text(role)
	w.b.Text(`","content":"`)
	chatwire.AddLines(w.b, said)
	w.b.Text(`"}`)
}

// flushSystem writes the system instruction where no message of the user took it.
func (w *chatWriter) flushSystem() {
	if len(w.pending) > 0 {
		w.next()
		w.b.Text(`{"role":"user","content":"`)
		chatwire.AddLines(w.b, w.pending)
		w.b.Text(`"}`)
		w.pending = nil
	}
}

// Assistant implements [chatwire.Writer].
func (w *chatWriter) Assistant(pieces chatwire.Pieces) {
	w.next()
	calls, thoughts := pieces.Has(chatwire.Call), pieces.Has(chatwire.Thought)
	inText := w.t.ReasoningOut == "content" && thoughts
	switch {
	case inText || pieces.Has(chatwire.Text):
		w.b.Text(`{"role":"assistant","content":"`)
		if inText {
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
		w.b.Text(`":" "`) // some take nothing for missing
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
	w.next()
	w.b.Text(`{"role":"tool","tool_call_id":"`)
	w.b.Add(id)
	w.b.Text(`","content":"`)
	w.b.Add(text)
	w.b.Text(`"}`)
}

// User implements [chatwire.Writer].
func (w *chatWriter) User(pieces chatwire.Pieces, afterResults bool) {
	if afterResults && w.t.AnswerAfterTool {
		w.next()
		w.b.Text(`{"role":"assistant","content":"I have the results."}`)
	}
	w.next()
	if !pieces.Has(chatwire.Media) {
		w.b.Text(`{"role":"user","content":"`)
		if len(w.pending) > 0 {
			chatwire.AddLines(w.b, w.pending)
			w.b.Text(`\n\n`)
			w.pending = nil
		}
		pieces.Join(w.b, chatwire.Text, `\n`)
		w.b.Text(`"}`)
		return
	}
	w.b.Text(`{"role":"user","content":[`)
	if len(w.pending) > 0 {
		w.b.Text(`{"type":"text","text":"`)
		chatwire.AddLines(w.b, w.pending)
		w.b.Text(`"},`)
		w.pending = nil
	}
	addBlocks(w.b, pieces, `{"type":"text","text":"`)
	w.b.Text(`]}`)
}

// addBlocks adds what a user says as blocks; text opens one of text.
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
