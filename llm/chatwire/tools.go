package chatwire

import (
	"bytes"
	"encoding/json"
	"slices"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// AddTools adds the member "tools" behind another one: the functions of sets, or
// those that are allowed where only some are. It reports whether there are any;
// without any there is no such member. Functions are kept under key as encode
// appends them.
func AddTools(b *httpwire.Body, sets []*llm.ToolSet, allowed []string, key string, encode func(dst []byte, f *llm.FunctionDeclaration) []byte) bool {
	open := false
	for _, set := range sets {
		record := set.Encoded(key, func(dst []byte, set *llm.ToolSet) []byte {
			for i := range set.Functions {
				start := len(dst)
				dst = endPiece(encode(beginPiece(dst, Call, "", ""), &set.Functions[i]), start)
			}
			return dst
		})
		var p Piece
		for i := 0; len(record) > 0; i++ {
			record = p.read(record)
			if len(allowed) > 0 && !slices.Contains(allowed, set.Functions[i].Name) {
				continue
			}
			if open {
				b.Text(`,`)
			} else {
				b.Text(`,"tools":[`)
				open = true
			}
			b.Add(p.Data)
		}
	}
	if open {
		b.Text(`]`)
	}
	return open
}

// Schema returns the schema of a function's arguments with its flaws mended. That
// is what mend does, in place, reporting whether it had to; where it had not, the
// schema stays as its author ordered it. What is no object at all becomes the
// schema of arguments of which nothing is known.
func Schema(schema json.RawMessage, mend func(schema map[string]any) (mended bool)) []byte {
	const anything = `{"type":"object","properties":{}}`
	var b bytes.Buffer
	if json.Compact(&b, schema) != nil || b.Len() == 0 || b.Bytes()[0] != '{' {
		return []byte(anything)
	}
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	var value map[string]any
	if d.Decode(&value) != nil {
		return []byte(anything)
	}
	if mend(value) {
		if mended, err := json.Marshal(value); err == nil {
			return mended
		}
	}
	return b.Bytes()
}
