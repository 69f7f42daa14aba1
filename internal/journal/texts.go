package journal

import (
	"encoding/json"
	"iter"
	"time"

	"pollux/llm"
)

// Text is a text of a message in a session file.
type Text struct {
	Kind string // user, gemini or tool
	Time time.Time
	Text string
}

// Texts returns what the record in a line says: prompts, responses, and the arguments and results of
// tool calls, without thoughts. It returns nothing for a line that it cannot read.
func Texts(line []byte) iter.Seq[Text] {
	return func(yield func(Text) bool) {
		var records []*record
		switch k, _ := kindOf(line); k {
		case messageRecord:
			if r, err := decodeRecord(line); err == nil {
				records = append(records, r)
			}
		case replaceRecord:
			if s, err := decodeSet(line); err == nil {
				records = s.messages
			}
		case headerRecord:
			_, records, _ = decodeHeader(line)
		}
		for _, r := range records {
			for t := range r.texts() {
				if !yield(t) {
					return
				}
			}
		}
	}
}

func (r *record) texts() iter.Seq[Text] {
	return func(yield func(Text) bool) {
		if r.kind != "user" && r.kind != "gemini" || isNoPrompt(llm.PartsText(r.parts)) {
			return
		}
		if r.shown != "" && r.shown != nothingShown && !yield(Text{r.kind, r.time, r.shown}) {
			return
		}
		parts := r.parts
		for i := range r.calls {
			parts = append(parts, llm.Part{FunctionCall: &llm.FunctionCall{Args: r.calls[i].Args}})
			parts = append(parts, resultParts(r.calls[i])...)
		}
		for _, p := range parts {
			kind, text := r.kind, p.Text
			switch {
			case p.Thought:
				continue
			case p.FunctionCall != nil:
				kind, text = "tool", jsonText(p.FunctionCall.Args)
			case p.FunctionResponse != nil:
				kind, text = "tool", jsonText(p.FunctionResponse.Response)
			}
			if text != "" && !yield(Text{kind, r.time, text}) {
				return
			}
		}
	}
}

// jsonText returns the strings in an object, one on a line, or the JSON itself.
func jsonText(object json.RawMessage) string {
	var members map[string]any
	if json.Unmarshal(object, &members) != nil {
		return string(object)
	}
	all := ""
	for _, v := range members {
		if s, ok := v.(string); ok {
			all += s + "\n"
		}
	}
	if all == "" {
		return string(object)
	}
	return all
}
