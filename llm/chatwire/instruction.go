package chatwire

import (
	"encoding/json"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// Instruction returns the text of a system instruction as the contents of a
// JSON string, without quotes. It returns nil if content is nil.
func Instruction(content *llm.Content) []byte {
	if content == nil {
		return nil
	}
	return content.Encoded("chatwire/instruction", func(dst []byte, c *llm.Content) []byte { return appendJoined(dst, c.Parts, `\n`) })
}

// JSONInstruction returns an instruction to respond in JSON, and according to
// schema if it is not empty, as the contents of a JSON string. Services without
// a parameter for JSON output need it.
func JSONInstruction(schema json.RawMessage) []byte {
	words := "Answer with one JSON value and nothing else."
	if len(schema) > 0 {
		words += " It has to fit this JSON schema: " + string(schema)
	}
	return AppendInner(nil, words)
}

// AddLines adds the given contents of JSON strings as the lines of one string.
func AddLines(b *httpwire.Body, inner [][]byte) {
	for i, s := range inner {
		if i > 0 {
			b.Text(`\n`)
		}
		b.Add(s)
	}
}
