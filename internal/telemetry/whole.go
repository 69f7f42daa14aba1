package telemetry

import (
	"cmp"
	"strings"

	"pollux/llm"
)

// whole is a model's complete response, assembled from chunks, up to about maxText bytes. A
// secret that is split between chunks is found only in the complete response.
type whole struct {
	newest  llm.Response // metadata of the latest chunks
	parts   []llm.Part
	open    strings.Builder // text of the last part
	thought bool            // the last part is a thought
	size    int
}

func (w *whole) add(r *llm.Response) {
	for _, p := range r.Parts() {
		if w.size > maxText {
			break
		}
		plain := p.IsText() && p.ThoughtSignature == ""
		if !plain || p.Thought != w.thought {
			w.end()
		}
		if plain {
			w.thought = p.Thought
			w.open.WriteString(p.Text)
			w.size += len(p.Text)
			continue
		}
		w.parts = append(w.parts, p)
		w.size += len(p.AppendJSON(nil))
	}
	before := w.newest
	if w.newest = *r; len(r.Candidates) == 0 {
		w.newest.Candidates = before.Candidates
	}
	w.newest.Usage = cmp.Or(r.Usage, before.Usage)
	w.newest.PromptFeedback = cmp.Or(r.PromptFeedback, before.PromptFeedback)
}

// end completes the current part.
func (w *whole) end() {
	if w.open.Len() > 0 {
		w.parts = append(w.parts, llm.Part{Text: w.open.String(), Thought: w.thought})
		w.open.Reset()
	}
}

// text returns the response as JSON, as a list with a single unstreamed response.
func (w *whole) text() string {
	w.end()
	r := w.newest
	if len(r.Candidates) > 0 {
		one := r.Candidates[0]
		one.Content = llm.Model(w.parts...)
		r.Candidates = []llm.Candidate{one}
	}
	return string(append(r.AppendJSON([]byte{'['}), ']'))
}

// message returns the response in the format of the conventions for generative AI.
func (w *whole) message(reasons []string) string {
	w.end()
	b := appendMessageParts([]byte(`[{"role":"assistant","parts":`), w.parts)
	for _, reason := range reasons {
		b = llm.AppendString(append(b, `,"finish_reason":`...), reason)
	}
	return string(append(b, "}]"...))
}
