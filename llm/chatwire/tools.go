package chatwire

import (
	"bytes"
	"encoding/json"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// AddTools adds the member "tools" with the functions of sets, preceded by a
// comma. Without functions it adds nothing and returns false. encode appends
// the definition of a function; the result is cached with the set under key.
func AddTools(b *httpwire.Body, sets []*llm.ToolSet, key string, encode func(dst []byte, f *llm.FunctionDeclaration) []byte) bool {
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
		for len(record) > 0 {
			record = p.read(record)
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

// FixSchema returns the schema of a function's arguments in compact form. fix
// corrects the parsed schema in place and reports whether it changed anything;
// if not, FixSchema preserves the order of members. If schema is not a JSON
// object, the result is a schema that accepts any arguments.
func FixSchema(schema json.RawMessage, fix func(schema map[string]any) (fixed bool)) []byte {
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
	if fix(value) {
		if fixed, err := json.Marshal(value); err == nil {
			return fixed
		}
	}
	return b.Bytes()
}
