package telemetry

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
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
		return appendList(b, v, func(b []byte, s string) []byte { return llm.AppendString(b, clean(s)) })
	}
	return append(b, "null"...)
}

// appendList appends a JSON array of items, which one appends.
func appendList[T any](b []byte, items []T, one func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(b, item)
	}
	return append(b, ']')
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
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// place is a position in a trace.
type place struct {
	trace  [16]byte
	span   [8]byte
	parent [8]byte // zero if there is none
}

func (p place) known() bool { return p.trace != [16]byte{} }

// placeOf returns the position of a prompt's span.
func (t *Telemetry) placeOf(promptID string) place {
	if w := t.prompt(promptID); w != nil {
		return w.in
	}
	return place{}
}

// below returns the position of a new span below a prompt's span.
func (t *Telemetry) below(promptID string) place {
	parent := t.placeOf(promptID)
	p := newPlace()
	if parent.known() {
		p.trace, p.parent = parent.trace, parent.span
	}
	return p
}

func newPlace() place {
	var p place
	_, _ = rand.Read(p.trace[:]) // never fails
	_, _ = rand.Read(p.span[:])
	return p
}

// placeIn returns the position of a new span below that of a W3C traceparent, or in a trace of its own if that is none.
func placeIn(traceparent string) place {
	p := newPlace()
	fields := strings.Split(traceparent, "-")
	const version, flags = 2, 2
	if len(fields) < 4 || len(fields[0]) != version || fields[0] == "ff" || fields[0] == "00" && len(fields) > 4 || len(fields[3]) != flags || traceparent != strings.ToLower(traceparent) {
		return p
	}
	var above place
	trace, traceErr := hex.DecodeString(fields[1])
	span, spanErr := hex.DecodeString(fields[2])
	isWhole := copy(above.trace[:], trace) == len(above.trace) && copy(above.span[:], span) == len(above.span)
	if traceErr != nil || spanErr != nil || !isWhole || len(trace) > len(above.trace) || len(span) > len(above.span) || !above.known() || above.span == [8]byte{} {
		return p
	}
	p.trace, p.parent = above.trace, above.span
	return p
}

// ended records a span that ends now.
func (t *Telemetry) ended(name string, in place, start time.Time, failure string, more attrs) {
	t.put(&span{name: name, in: in, start: start, end: time.Now(), failure: failure, attrs: slices.Concat(attrs{{"gen_ai.operation.name", name}, {"gen_ai.agent.name", "gemini-cli"}, {"gen_ai.conversation.id", t.o.Session()}}, more)})
}
