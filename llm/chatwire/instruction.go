package chatwire

import (
	"encoding/json"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// Instruction returns what a model is told before all else as the inside of a
// JSON string; nothing where it is told nothing.
func Instruction(said *llm.Content) []byte {
	if said == nil {
		return nil
	}
	return said.Encoded("chatwire/instruction", func(dst []byte, c *llm.Content) []byte { return appendJoined(dst, c.Parts, `\n`) })
}

// AskForJSON tells a model in words to answer in JSON, to whose service it cannot
// be said otherwise; that fits schema if there is one. It is the inside of a JSON
// string.
func AskForJSON(schema json.RawMessage) []byte {
	words := "Answer with one JSON value and nothing else."
	if len(schema) > 0 {
		words += " It has to fit this JSON schema: " + string(schema)
	}
	return AppendInner(nil, words)
}

// AddLines adds the insides of JSON strings as the lines of one.
func AddLines(b *httpwire.Body, inner [][]byte) {
	for i, s := range inner {
		if i > 0 {
			b.Text(`\n`)
		}
		b.Add(s)
	}
}
