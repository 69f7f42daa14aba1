package telemetry

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"pollux/llm"
)

// record is an event with its attributes.
type record struct {
	at     time.Time
	body   string // for users
	failed bool
	in     place
	attrs  attrs
}

// span is a span of a trace.
type span struct {
	name       string
	in         place // its own position; the parent is in.parent
	start, end time.Time
	failure    string // "" if there was no error
	attrs      attrs
}

// attr is one attribute. The value is a string, bool, int, float64, []string or JSON, or a
// func() string for a text that is built only when it is written.
type attr struct {
	key   string
	value any
}

type attrs []attr

// add appends an attribute.
func (a *attrs) add(key string, value any) { *a = append(*a, attr{key, value}) }

// addText appends a text attribute unless it is empty.
func (a *attrs) addText(key, value string) {
	if value != "" {
		a.add(key, value)
	}
}

// size returns the approximate size of the attributes in bytes.
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

// appendJSON appends the attributes as an object. Texts are passed through clean.
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
	case json.RawMessage: // encoded by this package
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

// stamp returns a time in the format of events.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// pretty returns JSON indented by two spaces, or raw if it is not valid JSON.
func pretty(raw json.RawMessage) string {
	b, err := indent(raw)
	if err != nil {
		return string(raw)
	}
	return string(b)
}
