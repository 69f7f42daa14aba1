package gemini

import (
	"strconv"

	"pollux/llm"
)

// object writes a JSON object, members that are empty left out.
type object struct {
	b    []byte
	open bool
}

func (o *object) key(k string) {
	if o.open {
		o.b = append(o.b, ',')
	} else {
		o.b = append(o.b, '{')
		o.open = true
	}
	o.b = append(llm.AppendString(o.b, k), ':')
}

func (o *object) end() []byte {
	if !o.open {
		o.b = append(o.b, '{')
	}
	return append(o.b, '}')
}

func (o *object) raw(k string, v []byte) {
	if len(v) > 0 {
		o.key(k)
		o.b = append(o.b, v...)
	}
}

func (o *object) str(k, v string) {
	if v != "" {
		o.key(k)
		o.b = llm.AppendString(o.b, v)
	}
}

func (o *object) strings(k string, v []string) {
	if len(v) == 0 {
		return
	}
	o.key(k)
	o.b = append(o.b, '[')
	for i, s := range v {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.b = llm.AppendString(o.b, s)
	}
	o.b = append(o.b, ']')
}

func (o *object) int(k string, v int) {
	if v != 0 {
		o.raw(k, strconv.AppendInt(nil, int64(v), 10))
	}
}

func (o *object) float(k string, v *float64) {
	if v != nil {
		o.raw(k, strconv.AppendFloat(nil, *v, 'g', -1, 64))
	}
}
