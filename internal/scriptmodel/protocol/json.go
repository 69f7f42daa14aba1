package protocol

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"strconv"
	"strings"
)

// TextWire is the name of the protocol of models without tool support, which write their calls
// into the text.
const TextWire = "text"

// The forms in which arguments can be sent; "" is the vendor's usual form.
const (
	ArgsObject = "object" // an object, even if the protocol requires a string
	ArgsBroken = "broken" // the first half of the JSON text
	ArgsEmpty  = "empty"  // an empty string
)

// BadParameter returns the error 400 for a parameter of a request.
func BadParameter(param, code, format string, args ...any) *Error {
	return &Error{Status: 400, Param: param, Code: code, Message: fmt.Sprintf(format, args...)}
}

// JSONKind returns the JSON type of a decoded value in words, such as "an object".
func JSONKind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	}
	return "a number"
}

// AddDetails adds the fields of details to the error e of a vendor without a field for details,
// and returns e. It leaves out Gemini's own details, which have the field @type.
func AddDetails(e map[string]any, details []json.RawMessage) map[string]any {
	for _, d := range details {
		var fields map[string]any
		if json.Unmarshal(d, &fields) != nil || fields["@type"] != nil {
			continue
		}
		maps.Copy(e, fields)
	}
	return e
}

// FinishReason translates a finish reason of Gemini: blocked if the answer was blocked, else
// other. It returns a reason in lower case, which is a vendor's own, unchanged.
func FinishReason(reason, blocked, other string) string {
	switch reason {
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY":
		return blocked
	}
	if IsCode(reason) && reason[0] <= 'Z' {
		return other
	}
	return reason
}

// AsList returns v as a list, or nil if it is none.
func AsList(v any) []any {
	l, _ := v.([]any)
	return l
}

// MustJSON encodes v as JSON. It panics if v cannot be encoded.
func MustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("scriptmodel: %v", err))
	}
	return b
}

// Vector returns an embedding without meaning; equal texts have equal ones.
func Vector(text string) []float32 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never fails
	sum := h.Sum64()
	values := make([]float32, 8)
	for i := range values {
		values[i] = float32(sum>>(8*i)&0xff)/255 - 0.5
	}
	return values
}

// AsFloat returns the value of a JSON number, or 0 if v is none.
func AsFloat(v any) float64 {
	f, _ := strconv.ParseFloat(fmt.Sprint(v), 64) // the shape requires a number
	return f
}

// AsInt returns the integer part of a JSON number, or 0 if v is none.
func AsInt(v any) int { return int(AsFloat(v)) }

// Shorten returns at most the first 400 bytes of s, for a message.
func Shorten(s string) string {
	if len(s) > 400 {
		return s[:400] + "..."
	}
	return s
}

// IsCode reports whether s is a vendor's error code, such as RESOURCE_EXHAUSTED or
// overloaded_error, and not a word of a text.
func IsCode(s string) bool {
	upper := s == strings.ToUpper(s) && len(s) > 1
	lower := s == strings.ToLower(s) && strings.Contains(s, "_")
	return (upper || lower) && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_") == ""
}

// Invalid returns the error 400 with Gemini's code INVALID_ARGUMENT.
func Invalid(format string, args ...any) *Error {
	return &Error{Status: 400, Code: "INVALID_ARGUMENT", Message: fmt.Sprintf(format, args...)}
}

// Tagger writes thoughts into the text of an answer, between <think> and </think>, if
// ThoughtField is "tags".
type Tagger struct {
	ThoughtField string // see Query
	Open         bool   // inside <think>
}

// VisibleText returns the text of p, with the thought if thoughts have no separate field.
func (t *Tagger) VisibleText(p Piece) string {
	text := ""
	if p.Thought != "" && t.ThoughtField == "tags" {
		if !t.Open {
			text, t.Open = "<think>", true
		}
		return text + p.Thought
	}
	if t.Open && (p.Text != "" || len(p.Calls) > 0 || p.Last) {
		text, t.Open = "</think>", false
	}
	return text + p.Text
}
