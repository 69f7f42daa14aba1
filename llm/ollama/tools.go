package ollama

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"

	"pollux/llm"
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
)

func appendTool(dst []byte, f *llm.FunctionDeclaration) []byte {
	o := httpwire.Object{B: append(dst, `{"type":"function","function":`...)}
	o.String("name", f.Name)
	o.String("description", f.Description)
	o.Raw("parameters", serverSchema(f.Parameters))
	return append(o.End(), '}')
}

// serverSchema returns the schema of a tool's arguments in a form that the
// server can decode. The server declares Go types for some members and rejects
// requests with other types.
func serverSchema(schema json.RawMessage) []byte {
	return chatwire.FixSchema(schema, func(top map[string]any) bool {
		isChanged := false
		if top["type"] != "object" {
			top["type"], isChanged = "object", true
		}
		if _, ok := top["properties"].(map[string]any); !ok {
			top["properties"], isChanged = map[string]any{}, true
		}
		return fixSchema(top) || isChanged
	})
}

// fixSchema fixes a schema in place and reports whether it changed anything.
func fixSchema(schema map[string]any) (isChanged bool) {
	drop := func(key string) {
		delete(schema, key)
		isChanged = true
	}
	for key, v := range schema {
		ok := !isMiscased(key)
		switch key {
		case "type":
			switch t := v.(type) {
			case string:
				if t != strings.ToLower(t) {
					schema[key], isChanged = strings.ToLower(t), true
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
				isChanged = fixAll(maps.All(members), func(name string, fixed any) { members[name] = fixed }) || isChanged
			}
		case "anyOf":
			var list []any
			if list, ok = v.([]any); ok {
				isChanged = fixAll(slices.All(list), func(i int, fixed any) { list[i] = fixed }) || isChanged
			}
		}
		if !ok {
			drop(key)
		}
	}
	return isChanged
}

// isMiscased reports whether key differs from a schema keyword only in case.
// The server, which ignores case, would decode it as that keyword.
func isMiscased(key string) bool {
	for _, name := range []string{"type", "description", "required", "enum", "properties", "anyOf"} {
		if key != name && strings.EqualFold(key, name) {
			return true
		}
	}
	return false
}

// fixAll fixes schemas and reports whether it changed anything. set replaces one of
// them: a boolean schema becomes an empty object.
func fixAll[K comparable](schemas iter.Seq2[K, any], set func(K, any)) (isChanged bool) {
	for key, m := range schemas {
		schema, ok := m.(map[string]any)
		if !ok {
			schema = map[string]any{}
			set(key, schema)
		}
		isChanged = fixSchema(schema) || isChanged || !ok
	}
	return isChanged
}

func allStrings(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool {
		_, ok := v.(string)
		return !ok
	})
}
