package httpwire

import (
	"bytes"
	"encoding/json"
	"strconv"

	"pollux/llm"
)

// Object writes a JSON object behind what B holds, member by member; members
// whose value is empty are left out. The zero value is an object not begun.
type Object struct {
	B []byte
	// Open says that B holds a member already: the next one gets a comma.
	Open bool
}

// Key begins a member. Its value is to be appended to B.
func (o *Object) Key(k string) {
	if o.Open {
		o.B = append(o.B, ',')
	} else {
		o.B = append(o.B, '{')
		o.Open = true
	}
	o.B = append(llm.AppendString(o.B, k), ':')
}

// End ends the object and returns B.
func (o *Object) End() []byte {
	if !o.Open {
		o.B = append(o.B, '{')
	}
	return append(o.B, '}')
}

// Raw adds a member whose value is JSON already.
func (o *Object) Raw(k string, v []byte) {
	if len(v) > 0 {
		o.Key(k)
		o.B = append(o.B, v...)
	}
}

// String adds a string.
func (o *Object) String(k, v string) {
	if v != "" {
		o.Key(k)
		o.B = llm.AppendString(o.B, v)
	}
}

// Strings adds a list of strings.
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

// Int adds a number that is not 0.
func (o *Object) Int(k string, v int) {
	if v != 0 {
		o.Key(k)
		o.B = strconv.AppendInt(o.B, int64(v), 10)
	}
}

// Float adds a number that is there.
func (o *Object) Float(k string, v *float64) {
	if v != nil {
		o.Key(k)
		o.B = strconv.AppendFloat(o.B, *v, 'g', -1, 64)
	}
}

// AsObject returns the arguments or the result of a call, which services want to
// be an object. Anything else (another vendor's model wrote it, or a hand-edited
// session) becomes the member key of one.
func AsObject(raw json.RawMessage, key string) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return json.RawMessage(`{}`)
	}
	valid := json.Valid(raw)
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
