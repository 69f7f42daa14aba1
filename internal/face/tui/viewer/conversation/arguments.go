package conversation

import (
	"bytes"
	"encoding/json"
	"strings"
)

// ArgumentsText returns the arguments of a call for people, one below the other: "name: value". The lines of a long text
// are below its name, indented. Arguments that are no JSON object are returned as they are.
func ArgumentsText(args json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(args))
	if t, _ := d.Token(); t != json.Delim('{') || !json.Valid(args) {
		return string(args)
	}
	var b strings.Builder
	for d.More() {
		name, _ := d.Token() // valid, as the value is
		var value json.RawMessage
		_ = d.Decode(&value)
		writeArgument(&b, name.(string), value)
	}
	return b.String()
}

// writeArgument writes one argument.
func writeArgument(b *strings.Builder, name string, value json.RawMessage) {
	b.WriteString(name + ":")
	var text string
	if json.Unmarshal(value, &text) != nil {
		var compact bytes.Buffer
		_ = json.Compact(&compact, value) // it is valid
		text = compact.String()
	}
	if !strings.Contains(text, "\n") {
		b.WriteString(" " + text + "\n")
		return
	}
	b.WriteString("\n")
	for line := range strings.Lines(text) {
		b.WriteString("  " + strings.TrimRight(line, "\r\n") + "\n")
	}
}
