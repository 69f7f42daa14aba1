package gemini

import (
	"bytes"
	"encoding/json"

	"github.com/go-faster/jx"
)

// maxSchemaDepth limits the nesting that nullable looks into.
const maxSchemaDepth = 64

// nullable returns a compact JSON schema in which the types [X, "null"] are X that may be null, which is how the
// vendor describes them. The order of the members stays.
func nullable(schema []byte) []byte {
	if !bytes.Contains(schema, []byte(`"null"`)) {
		return schema
	}
	var e jx.Writer
	if rewriteTypes(jx.DecodeBytes(schema), &e, maxSchemaDepth) != nil {
		return schema
	}
	return e.Buf
}

// compact returns JSON without space between its tokens, which is the same bytes if there is none; ok is false if the
// bytes are no JSON. Most schemas are compact, and [json.Compact] takes almost three times as long to find out.
func compact(b []byte) (_ []byte, ok bool) {
	if !hasSpace(b) && jx.Valid(b) {
		return b, true
	}
	var out bytes.Buffer
	err := json.Compact(&out, b)
	return out.Bytes(), err == nil
}

// hasSpace reports whether JSON has space outside of its strings.
func hasSpace(b []byte) bool {
	inString := false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			inString = !inString
		case inString && c == '\\':
			i++
		case !inString && c <= ' ':
			return true
		}
	}
	return false
}

// rewriteTypes copies a value from d to e.
func rewriteTypes(d *jx.Decoder, e *jx.Writer, depth int) error {
	if kind := d.Next(); kind != jx.Object && kind != jx.Array || depth == 0 {
		raw, err := d.Raw()
		e.Raw(raw)
		return err
	}
	isFirst := true
	separate := func() {
		if !isFirst {
			e.Comma()
		}
		isFirst = false
	}
	if d.Next() == jx.Array {
		e.ArrStart()
		err := d.Arr(func(d *jx.Decoder) error {
			separate()
			return rewriteTypes(d, e, depth-1)
		})
		e.ArrEnd()
		return err
	}
	e.ObjStart()
	err := d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		separate()
		e.ByteStr(key)
		e.RawStr(":")
		switch string(key) {
		case "type":
			raw, err := d.Raw()
			if one := otherThanNull(raw); one != nil {
				e.Raw(one)
				e.RawStr(`,"nullable":true`)
				return err
			}
			e.Raw(raw)
			return err
		case "default", "const", "enum", "examples": // values, not schemas
			raw, err := d.Raw()
			e.Raw(raw)
			return err
		}
		return rewriteTypes(d, e, depth-1)
	})
	e.ObjEnd()
	return err
}

// otherThanNull returns the member beside "null" of a list of two types, nil if raw is none.
func otherThanNull(raw []byte) (other []byte) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil
	}
	n, nulls := 0, 0
	err := jx.DecodeBytes(raw).Arr(func(d *jx.Decoder) error {
		n++
		one, err := d.Raw()
		if string(one) == `"null"` {
			nulls++
		} else {
			other = one
		}
		return err
	})
	if err != nil || n != 2 || nulls != 1 {
		return nil
	}
	return other
}
