package telemetry

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"pollux/llm"
)

// record is one thing that happened: an event with its attributes.
type record struct {
	at     time.Time
	body   string // for people
	failed bool
	in     place
	attrs  attrs
}

// span is something that took its time.
type span struct {
	name       string
	in         place // its own; the parent is in.parent
	start, end time.Time
	failure    string // "" if it went well
	attrs      attrs
}

// attr is one attribute. The value is a string, bool, int, float64, []string or JSON,
// or a func() string for a text that is put together only when it is written.
type attr struct {
	key   string
	value any
}

type attrs []attr

// add appends an attribute.
func (a *attrs) add(key string, value any) { *a = append(*a, attr{key, value}) }

// some appends a text, unless it is empty.
func (a *attrs) some(key, value string) {
	if value != "" {
		a.add(key, value)
	}
}

// size is about how many bytes the attributes hold.
func (a attrs) size() int {
	n := 0
	for _, one := range a {
		n += 64
		if s, ok := one.value.(string); ok {
			n += len(s)
		}
	}
	return n
}

// appendJSON appends the attributes as an object, their texts as clean leaves them.
func (a attrs) appendJSON(b []byte, clean func(string) string) []byte {
	b = append(b, '{')
	for i, one := range a {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(llm.AppendString(b, one.key), ':')
		b = appendJSONValue(b, one.value, clean)
	}
	return append(b, '}')
}

func appendJSONValue(b []byte, value any, clean func(string) string) []byte {
	switch v := value.(type) {
	case string:
		return llm.AppendString(b, clean(v))
	case func() string:
		return llm.AppendString(b, clean(v()))
	case json.RawMessage: // of our own making
		return append(b, v...)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case float64:
		return appendFloat(b, v)
	case []string:
		b = append(b, '[')
		for i, s := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = llm.AppendString(b, clean(s))
		}
		return append(b, ']')
	}
	return append(b, "null"...)
}

func appendFloat(b []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}

// stamp is a time as events have it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// pretty returns JSON with an indentation of two, as it is where it is none.
func pretty(raw json.RawMessage) string {
	b, err := indent(raw)
	if err != nil {
		return string(raw)
	}
	return string(b)
}

// appendQuoted appends s as it stands in a JSON string.
func appendQuoted(b []byte, s string) []byte {
	quoted := llm.AppendString(nil, s)
	return append(b, quoted[1:len(quoted)-1]...)
}
