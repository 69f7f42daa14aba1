package ollama

import (
	"encoding/json"
	"strings"

	"pollux/llm"
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
)

// appendTool appends a tool that is a function.
func appendTool(dst []byte, f *llm.FunctionDeclaration) []byte {
	o := httpwire.Object{B: append(dst, `{"type":"function","function":`...)}
	o.String("name", f.Name)
	o.String("description", f.Description)
	o.Raw("parameters", plainSchema(f.Parameters))
	return append(o.End(), '}')
}

// plainSchema returns the schema of a tool's arguments in the form in which the
// server can read it: it knows the types of some members and refuses a request in
// which one of them is of another.
func plainSchema(schema json.RawMessage) []byte {
	return chatwire.Schema(schema, func(top map[string]any) bool {
		flawed := false
		if top["type"] != "object" {
			top["type"], flawed = "object", true
		}
		if _, ok := top["properties"].(map[string]any); !ok {
			top["properties"], flawed = map[string]any{}, true
		}
		return mend(top) || flawed
	})
}

// mend mends a schema in place and reports whether it had to.
func mend(schema map[string]any) (mended bool) {
	drop := func(key string) {
		delete(schema, key)
		mended = true
	}
	for key, v := range schema {
		ok := !misspelt(key)
		switch key {
		case "type":
			switch t := v.(type) {
			case string:
				if t != strings.ToLower(t) {
					schema[key], mended = strings.ToLower(t), true
				}
			case []any:
				ok = allStrings(t)
			default:
				ok = false
			}
		case "description":
			_, ok = v.(string)
		case "required":
			var list []any
			list, ok = v.([]any)
			ok = ok && allStrings(list)
		case "enum":
			_, ok = v.([]any)
		case "properties":
			var members map[string]any
			if members, ok = v.(map[string]any); ok {
				mended = mendMembers(members) || mended
			}
		case "anyOf":
			var list []any
			if list, ok = v.([]any); ok {
				mended = mendList(list) || mended
			}
		}
		if !ok {
			drop(key)
		}
	}
	return mended
}

// misspelt reports whether a key is none of a schema, but taken for one by the
// server, which does not tell capitals from small letters.
func misspelt(key string) bool {
	for _, name := range []string{"type", "description", "required", "enum", "properties", "anyOf"} {
		if key != name && strings.EqualFold(key, name) {
			return true
		}
	}
	return false
}

// mendMembers mends the schemas of properties; one that is true, and so says
// nothing, becomes an object that says as much.
func mendMembers(members map[string]any) (mended bool) {
	for name, m := range members {
		schema, ok := m.(map[string]any)
		if !ok {
			schema = map[string]any{}
			members[name] = schema
		}
		mended = mend(schema) || mended || !ok
	}
	return mended
}

func mendList(list []any) (mended bool) {
	for i, m := range list {
		schema, ok := m.(map[string]any)
		if !ok {
			schema = map[string]any{}
			list[i] = schema
		}
		mended = mend(schema) || mended || !ok
	}
	return mended
}

func allStrings(list []any) bool {
	for _, v := range list {
		if _, ok := v.(string); !ok {
			return false
		}
	}
	return true
}
