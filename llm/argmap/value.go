package argmap

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"pollux/llm"
	"pollux/llm/laxjson"
)

// fit returns the value of a member in a type that the schema allows. It reports whether the
// member stays: null, and an empty string, stand for no value where the schema allows neither.
func (s *schema) fitMember(m member, depth int) (json.RawMessage, bool) {
	property := s.property(m.name)
	isNone := string(m.value) == "null" && !property.allows("null") ||
		string(m.value) == `""` && !property.allows("string") && !property.allows("array")
	if isNone && len(property.kinds) > 0 && !slices.Contains(s.required, m.name) {
		return nil, false
	}
	return property.fit(m.value, depth), true
}

// fit returns a value in a type that the schema allows, or as it is if there is no one reading.
func (s *schema) fit(value json.RawMessage, depth int) json.RawMessage {
	value = bytes.TrimSpace(value)
	if len(s.kinds) == 0 || len(value) == 0 || depth > maxNesting {
		return value
	}
	kind := kindOf(value)
	switch {
	case kind == "object" && s.allows(kind):
		return s.fitObject(value, depth)
	case kind == "array" && s.allows(kind):
		return s.fitArray(value, depth)
	case s.allows(kind), kind == "number" && s.allows("integer"), kind == "null":
		return value
	}
	text := string(value)
	if kind == "string" && json.Unmarshal(value, &text) != nil {
		return value
	}
	if kind == "string" {
		for _, k := range s.kinds {
			if v := fromWord(k, strings.TrimSpace(text)); v != nil {
				return s.fit(v, depth+1)
			}
		}
	}
	switch {
	case s.allows("string") && (kind == "number" || kind == "boolean"):
		return llm.AppendString(nil, text)
	case s.allows("array") && kind != "array":
		return s.fitSingle(value, depth)
	}
	return value
}

func (s *schema) fitObject(value json.RawMessage, depth int) json.RawMessage {
	if len(s.properties) == 0 {
		return value
	}
	given, err := members(value)
	if err != nil {
		return value
	}
	var fitted []member
	hasChanged := false
	for _, m := range given {
		v, keep := s.fitMember(m, depth+1)
		hasChanged = hasChanged || !keep || !bytes.Equal(v, m.value)
		if keep {
			fitted = append(fitted, member{m.name, v})
		}
	}
	if !hasChanged {
		return value
	}
	return encode(fitted)
}

func (s *schema) fitArray(value json.RawMessage, depth int) json.RawMessage {
	var items []json.RawMessage
	if len(s.items.kinds) == 0 || json.Unmarshal(value, &items) != nil {
		return value
	}
	hasChanged := false
	for i, v := range items {
		items[i] = s.items.fit(v, depth+1)
		hasChanged = hasChanged || !bytes.Equal(items[i], v)
	}
	if !hasChanged {
		return value
	}
	return slices.Concat([]byte{'['}, bytes.Join(asBytes(items), []byte{','}), []byte{']'})
}

func asBytes(values []json.RawMessage) [][]byte {
	out := make([][]byte, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// fitSingle returns an array of one value if that can be an item.
func (s *schema) fitSingle(value json.RawMessage, depth int) json.RawMessage {
	item := s.items.fit(value, depth+1)
	if kind := kindOf(item); len(s.items.kinds) > 0 && !s.items.allows(kind) && (kind != "number" || !s.items.allows("integer")) {
		return value
	}
	return slices.Concat([]byte{'['}, item, []byte{']'})
}

// kindOf returns the JSON type of a value. Whole numbers are numbers.
func kindOf(value json.RawMessage) string {
	switch value[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// FromText returns the value of a tool's parameter that a model wrote as plain text, as JSON of
// a type that the tool's schema allows. The value is a string if the schema allows a string, has
// no such parameter or no type for it, and if text is not a value of an allowed type.
func FromText(schema json.RawMessage, parameter, text string) json.RawMessage {
	s := parse(schema).property(parameter)
	word := strings.TrimSpace(text)
	if s.allows("null") && strings.EqualFold(word, "null") {
		return json.RawMessage("null")
	}
	if !s.allows("string") {
		for _, kind := range s.kinds {
			if v := fromWord(kind, word); v != nil {
				return v
			}
		}
	}
	return llm.AppendString(nil, strings.ToValidUTF8(text, "\uFFFD"))
}

// fromWord returns word as a JSON value of a type, nil if it is none. Numbers and booleans may
// stand in quotes.
func fromWord(kind, word string) json.RawMessage {
	if kind == "integer" || kind == "number" || kind == "boolean" {
		word = withoutQuotes(word)
	}
	switch kind {
	case "integer", "number":
		if word != "" && (word[0] == '-' || '0' <= word[0] && word[0] <= '9') && json.Valid([]byte(word)) {
			return wholeNumber(kind, word)
		}
	case "boolean":
		if b := strings.ToLower(word); b == "true" || b == "false" {
			return json.RawMessage(b)
		}
	case "array", "object":
		if word == "" || word[0] != map[string]byte{"array": '[', "object": '{'}[kind] {
			return nil
		}
		if json.Valid([]byte(word)) {
			return json.RawMessage(word)
		}
		var r laxjson.Reader
		if n, status := r.Add(word); status == laxjson.Done && strings.TrimSpace(word[n:]) == "" {
			return r.JSON()
		}
	}
	return nil
}

// withoutQuotes returns word without the quotes around it, if there are any.
func withoutQuotes(word string) string {
	if n := len(word); n > 1 && (word[0] == '"' || word[0] == '\'') && word[n-1] == word[0] {
		return strings.TrimSpace(word[1 : n-1])
	}
	return word
}

// wholeNumber returns a number, without the fraction if it is 0 and the type is integer.
func wholeNumber(kind, number string) json.RawMessage {
	const exact = 1 << 53
	if f, err := strconv.ParseFloat(number, 64); kind == "integer" && err == nil && f == math.Trunc(f) && math.Abs(f) < exact {
		return strconv.AppendInt(nil, int64(f), 10)
	}
	return json.RawMessage(number)
}
