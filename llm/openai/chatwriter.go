package openai

import (
	"slices"

	"pollux/llm/httpwire"
)

// chatWriter writes messages of Chat Completions.
type chatWriter struct {
	b       *httpwire.Body
	t       *traits
	begun   bool
	pending [][]byte // of the system instruction: it goes into the first message of the user
}

func (w *chatWriter) next() {
	if w.begun {
		w.b.Text(`,`)
	}
	w.begun = true
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
	addLines(w.b, said)
	w.b.Text(`"}`)
}

// flushSystem writes the system instruction where no message of the user took it.
func (w *chatWriter) flushSystem() {
	if len(w.pending) > 0 {
		w.next()
		w.b.Text(`{"role":"user","content":"`)
		addLines(w.b, w.pending)
		w.b.Text(`"}`)
		w.pending = nil
	}
}

// addLines adds the insides of strings as lines of one.
func addLines(b *httpwire.Body, inner [][]byte) {
	for i, s := range inner {
		if i > 0 {
			b.Text(`\n`)
		}
		b.Add(s)
	}
}

func (w *chatWriter) assistant(pieces []piece) {
	w.next()
	texts, calls, thoughts := 0, 0, 0
	for i := range pieces {
		switch pieces[i].kind {
		case text:
			texts++
		case call:
			calls++
		case thought:
			thoughts++
		}
	}
	inText := w.t.ReasoningOut == "content" && thoughts > 0
	switch {
	case texts > 0 || inText:
		w.b.Text(`{"role":"assistant","content":"`)
		if inText {
			w.b.Text(`<think>\n`)
			w.join(pieces, thought, ``)
			w.b.Text(`</think>\n\n`)
		}
		w.join(pieces, text, `\n`)
		w.b.Text(`"`)
	case w.t.EmptyContent:
		w.b.Text(`{"role":"assistant","content":""`)
	default:
		w.b.Text(`{"role":"assistant","content":null`)
	}
	switch out := w.t.ReasoningOut; {
	case out == "" || out == "content":
	case thoughts > 0 && out == "reasoning_details":
		w.b.Text(`,"reasoning_details":[`)
		w.join(pieces, thought, `,`)
		w.b.Text(`]`)
	case thoughts > 0:
		w.b.Text(`,"`)
		w.b.Text(out)
		w.b.Text(`":"`)
		w.join(pieces, thought, ``)
		w.b.Text(`"`)
	case calls > 0 && w.t.ReasoningFill && out != "reasoning_details":
		w.b.Text(`,"`)
		w.b.Text(out)
		w.b.Text(`":" "`) // some take nothing for missing
	}
	if calls > 0 {
		w.b.Text(`,"tool_calls":[{"id":"`)
		w.join(pieces, call, `,{"id":"`)
		w.b.Text(`]`)
	}
	w.b.Text(`}`)
}

// join writes the pieces of a kind.
func (w *chatWriter) join(pieces []piece, k kind, between string) {
	first := true
	for i := range pieces {
		if pieces[i].kind != k {
			continue
		}
		if !first {
			w.b.Text(between)
		}
		first = false
		w.b.Add(pieces[i].id)
		w.b.Add(pieces[i].data)
	}
}

func (w *chatWriter) result(id, text []byte) {
	w.next()
	w.b.Text(`{"role":"tool","tool_call_id":"`)
	w.b.Add(id)
	w.b.Text(`","content":"`)
	w.b.Add(text)
	w.b.Text(`"}`)
}

func (w *chatWriter) user(pieces []piece, afterResults bool) {
	if afterResults && w.t.AnswerAfterTool {
		w.next()
		w.b.Text(`{"role":"assistant","content":"I have the results."}`)
	}
	w.next()
	if !slices.ContainsFunc(pieces, func(p piece) bool { return p.kind == media }) {
		w.b.Text(`{"role":"user","content":"`)
		if len(w.pending) > 0 {
			addLines(w.b, w.pending)
			w.b.Text(`\n\n`)
			w.pending = nil
		}
		w.join(pieces, text, `\n`)
		w.b.Text(`"}`)
		return
	}
	w.b.Text(`{"role":"user","content":[`)
	if len(w.pending) > 0 {
		w.b.Text(`{"type":"text","text":"`)
		addLines(w.b, w.pending)
		w.b.Text(`"},`)
		w.pending = nil
	}
	for i := range pieces {
		if i > 0 {
			w.b.Text(`,`)
		}
		if pieces[i].kind == media {
			w.b.Add(pieces[i].data)
			continue
		}
		w.b.Text(`{"type":"text","text":"`)
		w.b.Add(pieces[i].data)
		w.b.Text(`"}`)
	}
	w.b.Text(`]}`)
}
