package texttool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pollux/llm"
	"pollux/llm/laxjson"
)

// toolSet is the tools that a request declares: their schemas by name.
type toolSet map[string]json.RawMessage

// newToolSet returns the set of these tools.
func newToolSet(tools []llm.FunctionDeclaration) toolSet {
	t := make(toolSet, len(tools))
	for i := range tools {
		t[tools[i].Name] = tools[i].Parameters
	}
	return t
}

// declarations returns the tools in sets, each once: those that are allowed if allowed
// is not empty.
func declarations(sets []*llm.ToolSet, allowed []string) []llm.FunctionDeclaration {
	var tools []llm.FunctionDeclaration
	known := map[string]bool{}
	for _, set := range sets {
		for _, f := range set.Functions {
			if f.Name == "" || known[f.Name] || len(allowed) > 0 && !slices.Contains(allowed, f.Name) {
				continue
			}
			known[f.Name] = true
			tools = append(tools, f)
		}
	}
	return tools
}

// has reports whether a tool is declared.
func (t toolSet) has(name string) bool {
	_, ok := t[name]
	return ok
}

// value returns the value of a parameter that a model wrote as plain text, as JSON of a
// type that the tool's schema allows. Where the schema allows a string or says nothing,
// and where text is no value of that type, the value is a string.
func (t toolSet) value(tool, parameter, text string) json.RawMessage {
	kinds := t.kinds(tool, parameter)
	word := strings.TrimSpace(text)
	if slices.Contains(kinds, "null") && strings.EqualFold(word, "null") {
		return json.RawMessage("null")
	}
	if !slices.Contains(kinds, "string") {
		for _, kind := range kinds {
			if v := convert(kind, word); v != nil {
				return v
			}
		}
	}
	return llm.AppendString(nil, strings.ToValidUTF8(text, "\uFFFD"))
}

// convert returns word as a JSON value of a type, nil if it is none.
func convert(kind, word string) json.RawMessage {
	switch kind {
	case "integer", "number":
		if word != "" && (word[0] == '-' || '0' <= word[0] && word[0] <= '9') && json.Valid([]byte(word)) {
			return json.RawMessage(word)
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

// kinds returns the JSON types that a tool's schema allows for a parameter, nil if it
// does not say.
func (t toolSet) kinds(tool, parameter string) []string {
	var s struct{ Properties map[string]json.RawMessage }
	if json.Unmarshal(t[tool], &s) != nil {
		return nil
	}
	return schemaKinds(s.Properties[parameter], 0)
}

// schemaKinds returns the JSON types that a schema allows.
func schemaKinds(schema json.RawMessage, depth int) []string {
	var s struct {
		Type         any
		AnyOf, OneOf []json.RawMessage
	}
	if json.Unmarshal(schema, &s) != nil || depth > maxNesting {
		return nil
	}
	var kinds []string
	switch v := s.Type.(type) {
	case string:
		kinds = append(kinds, strings.ToLower(v))
	case []any:
		for _, kind := range v {
			kinds = append(kinds, strings.ToLower(fmt.Sprint(kind)))
		}
	}
	for _, choice := range append(s.AnyOf, s.OneOf...) {
		kinds = append(kinds, schemaKinds(choice, depth+1)...)
	}
	return kinds
}

// properties returns the names of a tool's parameters in the order of its schema.
func (t toolSet) properties(tool string) []string {
	var s struct{ Properties json.RawMessage }
	if json.Unmarshal(t[tool], &s) != nil {
		return nil
	}
	return memberNames(s.Properties)
}

// required returns the names of the parameters that a tool requires.
func (t toolSet) required(tool string) []string {
	var s struct{ Required []string }
	_ = json.Unmarshal(t[tool], &s) // a schema that says nothing requires none
	return s.Required
}
