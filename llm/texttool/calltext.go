package texttool

import (
	"iter"
	"slices"

	"pollux/llm"
)

// withoutText yields the chunks of an answer without its visible text if it has calls. The text is held back until the
// answer ends, or breaks off.
func withoutText(chunks iter.Seq2[*llm.Response, error]) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		var held []llm.Part
		release := func() bool {
			text := join(held)
			held = nil
			return len(text) == 0 || yield(&llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(text...)}}}, nil)
		}
		for chunk, err := range chunks {
			if err != nil {
				if release() {
					yield(nil, err)
				}
				return
			}
			parts := chunk.Parts()
			hasCall := slices.ContainsFunc(parts, isCall)
			var rest []llm.Part
			for _, p := range parts {
				if isVisible(p) {
					held = append(held, p)
				} else {
					rest = append(rest, p)
				}
			}
			switch {
			case hasCall:
				held = nil
			case chunk.FinishReason() != "" && !release():
				return
			}
			if len(rest) < len(parts) {
				out := *chunk
				out.Candidates = slices.Clone(chunk.Candidates)
				out.Candidates[0].Content = llm.Model(rest...)
				chunk = &out
			}
			if !yield(chunk, nil) {
				return
			}
		}
		release()
	}
}

func isCall(p llm.Part) bool { return p.FunctionCall != nil }

// isVisible reports whether p is text that people see.
func isVisible(p llm.Part) bool { return p.IsText() && !p.Thought }
