package argmap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"pollux/llm"
	"pollux/llm/laxjson"
)

// maxNesting is the maximum depth at which values are read by their schema.
const maxNesting = 8

// parameters is the part of a schema that describes an object.
type parameters struct {
	Properties map[string]json.RawMessage
	Required   []string
}

// parseSchema returns the description of an object, without properties if schema has none.
func parseSchema(schema json.RawMessage) parameters {
	var p parameters
	if json.Unmarshal(schema, &p) != nil {
		return parameters{}
	}
	return p
}

// fit returns the value of a member in a type that the schema allows. It reports whether the
// member stays: null, and an empty string, stand for no value where the schema allows neither.
func (p *parameters) fit(m member, depth int) (json.RawMessage, bool) {
	schema := p.Properties[m.name]
	kinds := Kinds(schema)
	isNone := string(m.value) == "null" && !slices.Contains(kinds, "null") ||
		string(m.value) == `""` && !slices.Contains(kinds, "string") && !slices.Contains(kinds, "array")
	if isNone && len(kinds) > 0 && !slices.Contains(p.Required, m.name) {
		return nil, false
	}
	return fit(schema, m.value, depth), true
}

// fit returns a value in a type that the schema allows, or as it is if there is no one reading.
func fit(schema, value json.RawMessage, depth int) json.RawMessage {
	kinds := Kinds(schema)
	value = bytes.TrimSpace(value)
	if len(kinds) == 0 || len(value) == 0 || depth > maxNesting {
		return value
	}
	kind := kindOf(value)
	switch {
	case kind == "object" && slices.Contains(kinds, kind):
		return fitObject(schema, value, depth)
	case kind == "array" && slices.Contains(kinds, kind):
		return fitArray(schema, value, depth)
	case slices.Contains(kinds, kind), kind == "number" && slices.Contains(kinds, "integer"), kind == "null":
		return value
	}
	text := string(value)
	if kind == "string" && json.Unmarshal(value, &text) != nil {
		return value
	}
	if kind == "string" {
		for _, k := range kinds {
			if v := fromWord(k, strings.TrimSpace(text)); v != nil {
				return fit(schema, v, depth+1)
			}
		}
	}
	switch {
	case slices.Contains(kinds, "string") && (kind == "number" || kind == "boolean"):
		return llm.AppendString(nil, text)
	case slices.Contains(kinds, "array") && kind != "array":
		return fitSingle(schema, value, depth)
	}
	return value
}

// fitObject fits the members of an object.
func fitObject(schema, value json.RawMessage, depth int) json.RawMessage {
	given, err := members(value)
	p := parseSchema(schema)
	if err != nil || len(p.Properties) == 0 {
		return value
	}
	var fitted []member
	hasChanged := false
	for _, m := range given {
		v, keep := p.fit(m, depth+1)
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

// itemsOf returns the schema of the items of an array, nil if there is none.
func itemsOf(schema json.RawMessage) json.RawMessage {
	var s struct{ Items json.RawMessage }
	_ = json.Unmarshal(schema, &s) // a schema that says nothing allows all items
	return s.Items
}

// fitArray fits the items of an array.
func fitArray(schema, value json.RawMessage, depth int) json.RawMessage {
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil {
		return value
	}
	of := itemsOf(schema)
	hasChanged := false
	for i, v := range items {
		items[i] = fit(of, v, depth+1)
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
func fitSingle(schema, value json.RawMessage, depth int) json.RawMessage {
	of := itemsOf(schema)
	item := fit(of, value, depth+1)
	if kinds, kind := Kinds(of), kindOf(item); len(kinds) > 0 && !slices.Contains(kinds, kind) && (kind != "number" || !slices.Contains(kinds, "integer")) {
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

// FromText returns the value of a parameter that a model wrote as plain text, as JSON of a type
// that its schema allows. Where the schema allows a string or says nothing, and where text is
// no value of that type, the value is a string.
func FromText(schema json.RawMessage, text string) json.RawMessage {
	kinds := Kinds(schema)
	word := strings.TrimSpace(text)
	if slices.Contains(kinds, "null") && strings.EqualFold(word, "null") {
		return json.RawMessage("null")
	}
	if !slices.Contains(kinds, "string") {
		for _, kind := range kinds {
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

// withoutQuotes returns what stands in quotes in word, or word if it has none.
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

// Kinds returns the JSON types that a schema allows, nil if it does not say.
func Kinds(schema json.RawMessage) []string { return kinds(schema, 0) }

func kinds(schema json.RawMessage, depth int) []string {
	var s struct {
		Type         any
		AnyOf, OneOf []json.RawMessage
	}
	if len(schema) == 0 || json.Unmarshal(schema, &s) != nil || depth > maxNesting {
		return nil
	}
	var out []string
	switch v := s.Type.(type) {
	case string:
		out = append(out, strings.ToLower(v))
	case []any:
		for _, kind := range v {
			out = append(out, strings.ToLower(fmt.Sprint(kind)))
		}
	}
	for _, choice := range append(s.AnyOf, s.OneOf...) {
		out = append(out, kinds(choice, depth+1)...)
	}
	return out
}
