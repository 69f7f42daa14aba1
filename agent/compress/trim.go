package compress

import (
	"cmp"
	"fmt"
	"slices"

	"pollux/agent"
	"pollux/agent/shorten"
	"pollux/llm"
	"pollux/tool"
)

// trim returns messages in which the oldest tool results, those beyond the budget, are
// shortened. Unchanged messages keep their Content. If nothing changes, trim returns messages
// itself.
func (w *compression) trim(messages []agent.Message) []agent.Message {
	if w.Save == nil || w.KeptChars < 0 {
		return messages
	}
	budget, kept := w.ResponseBudget, w.KeptChars
	if w.Limit > 0 { // half of a small window for all, a tenth for one
		budget, kept = min(budget, w.Limit/2), min(kept, w.Limit/10*charsPerToken)
	}
	before := w.saved
	w.saved = map[*llm.FunctionResponse]string{}
	trimmed, spent := messages, 0
	for i, m := range slices.Backward(messages) {
		var parts []llm.Part // a changed copy of the parts
		for k := len(m.Content.Parts) - 1; k >= 0; k-- {
			r := m.Content.Parts[k].FunctionResponse
			if r == nil {
				continue
			}
			text := shorten.Text(r.Response)
			tokens := llm.EstimateTokens([]llm.Part{{Text: text}})
			if spent+tokens > budget {
				if short, ok := w.shorten(r, text, kept, before); ok {
					if parts == nil {
						parts = slices.Clone(m.Content.Parts)
					}
					cut := llm.Output(r.ID, r.Name, short)
					cut.Parts = r.Parts
					parts[k].FunctionResponse = cut
					tokens = llm.EstimateTokens([]llm.Part{{Text: short}})
				}
			}
			spent += tokens
		}
		if parts != nil {
			if isSame(trimmed, messages) {
				trimmed = slices.Clone(messages)
			}
			trimmed[i].Content = &llm.Content{Role: m.Content.Role, Parts: parts}
		}
	}
	return trimmed
}

const charsPerToken = 4

// shorten saves the text of a result to a file and returns its first and last characters, as
// many as to be kept. It returns false if the result stays as it is. before holds the results
// that earlier attempts saved, so that each is saved once.
func (w *compression) shorten(r *llm.FunctionResponse, text string, kept int, before map[*llm.FunctionResponse]string) (string, bool) {
	short, known := before[r]
	if !known {
		if tool.IsShortened(text) && tool.Units(text) <= kept+maxNotice {
			return "", false
		}
		var err error
		short = tool.Shorten(text, kept, func() (where string) {
			where, err = w.saveResult(cmp.Or(r.Name, "unknown_tool"), text)
			return where
		})
		if err != nil || len(short) >= len(text) {
			return "", false
		}
	}
	w.saved[r] = short
	return short, true
}

// maxNotice is the length of the notice at the start of a shortened result, in characters; a
// path may be long.
const maxNotice = 8 << 10

// saveResult writes a result to a file and returns the sentence that names it.
func (w *compression) saveResult(tool, text string) (string, error) {
	path, err := w.Save(tool, w.files+1, text)
	if err != nil {
		w.Warn(fmt.Sprintf("A result of %s stays in the conversation, which is long: %v", tool, err))
		return "", err
	}
	w.files++
	return "For full output see: " + path, nil
}
