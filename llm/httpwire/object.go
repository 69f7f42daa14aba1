package httpwire

import (
	"bytes"
	"encoding/json"
	"strconv"

	"pollux/llm"

	"github.com/go-faster/jx"
)

// Object appends a JSON object to B, member by member. Its methods omit members
// with empty values. The zero value is ready to use.
type Object struct {
	B []byte
	// Open reports whether B already contains a member, so that the next one
	// needs a comma.
	Open bool
}

// Key appends the name of a member. The caller appends the value to B.
func (o *Object) Key(k string) {
	if o.Open {
		o.B = append(o.B, ',')
	} else {
		o.B = append(o.B, '{')
		o.Open = true
	}
	o.B = append(llm.AppendString(o.B, k), ':')
}

// End closes the object and returns B.
func (o *Object) End() []byte {
	if !o.Open {
		o.B = append(o.B, '{')
	}
	return append(o.B, '}')
}

// Raw adds a member with a JSON value, unless v is empty.
func (o *Object) Raw(k string, v []byte) {
	if len(v) > 0 {
		o.Key(k)
		o.B = append(o.B, v...)
	}
}

// String adds a string, unless it is empty.
func (o *Object) String(k, v string) {
	if v != "" {
		o.Key(k)
		o.B = llm.AppendString(o.B, v)
	}
}

// Strings adds an array of strings, unless it is empty.
func (o *Object) Strings(k string, v []string) {
	if len(v) == 0 {
		return
	}
	o.Key(k)
	o.B = append(o.B, '[')
	for i, s := range v {
		if i > 0 {
			o.B = append(o.B, ',')
		}
		o.B = llm.AppendString(o.B, s)
	}
	o.B = append(o.B, ']')
}

// Int adds a number, unless it is 0.
func (o *Object) Int(k string, v int) {
	if v != 0 {
		o.Key(k)
		o.B = strconv.AppendInt(o.B, int64(v), 10)
	}
}

// Float adds a number, unless v is nil.
func (o *Object) Float(k string, v *float64) {
	if v != nil {
		o.Key(k)
		o.B = strconv.AppendFloat(o.B, *v, 'g', -1, 64)
	}
}

// AsObject returns raw if it is a JSON object, as services require for the
// arguments and result of a call. It returns {} for an empty value, and an
// object with the single member key for any other, such as those of another
// provider's model or of an edited session.
func AsObject(raw json.RawMessage, key string) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return json.RawMessage(`{}`)
	}
	valid := jx.Valid(raw) // in a seventh of the time of encoding/json
	if valid && raw[0] == '{' {
		return raw
	}
	o := Object{}
	if valid {
		o.Raw(key, raw)
	} else {
		o.String(key, string(raw))
	}
	return o.End()
}
