package compress

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// trim returns messages in which the oldest tool results, those beyond the budget, are
// shortened. Unchanged messages keep their Content. If nothing changes, trim returns messages
// itself.
func (c *Compressor) trim(messages []agent.Message) []agent.Message {
	if c.Save == nil || c.KeptChars < 0 {
		return messages
	}
	before := c.saved
	c.saved = nil
	trimmed, spent := messages, 0
	for i, m := range slices.Backward(messages) {
		var parts []llm.Part // a changed copy of the parts
		for k := len(m.Content.Parts) - 1; k >= 0; k-- {
			r := m.Content.Parts[k].FunctionResponse
			if r == nil {
				continue
			}
			text := resultText(r)
			tokens := llm.EstimateTokens([]llm.Part{{Text: text}})
			if spent+tokens > c.ResponseBudget {
				if short, ok := c.shorten(r, text, before); ok {
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

// shorten saves the text of a result to a file and returns the shortened text. It returns
// false if the result stays as it is. before holds the results that earlier attempts saved, so
// that each is saved once.
func (c *Compressor) shorten(r *llm.FunctionResponse, text string, before map[*llm.FunctionResponse]string) (string, bool) {
	short, known := before[r]
	if !known {
		if isTruncated(text, c.KeptChars) {
			return "", false
		}
		cut, _ := tool.Truncate(text, c.KeptChars, nil)
		if len(cut) >= len(text) {
			return "", false
		}
		path, err := c.Save(cmp.Or(r.Name, "unknown_tool"), c.files+1, text)
		if err != nil {
			c.Warn(fmt.Sprintf("A result of %s stays in the conversation, which is long: %v", r.Name, err))
			return "", false
		}
		c.files++
		const note = " characters."
		short = strings.Replace(cut, note, note+" For full output see: "+path, 1)
	}
	if c.saved == nil {
		c.saved = map[*llm.FunctionResponse]string{}
	}
	c.saved[r] = short
	return short, true
}

// isTruncated reports whether text has already been shortened, by trim or when the tool ran.
// Such a text exceeds the limit by the note at its start.
func isTruncated(text string, limit int) bool {
	const note = 8 << 10 // a path may be long
	return strings.HasPrefix(text, "Output too large. Showing first ") && tool.Units(text) <= limit+note
}

// resultText returns the text of a tool result.
func resultText(r *llm.FunctionResponse) string {
	var text string
	if json.Unmarshal(r.Response, &text) == nil {
		return text
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(r.Response, &fields) == nil {
		for _, key := range []string{"output", "content"} {
			if raw := fields[key]; len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
				return text
			}
		}
	}
	var pretty bytes.Buffer
	if json.Indent(&pretty, r.Response, "", "  ") != nil {
		return string(r.Response)
	}
	return pretty.String()
}
