package openai

import (
	"encoding/json"
	"strconv"
	"strings"

	"pollux/llm"
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
)

// writeTools writes the tools and the tool choice. If only some tools are
// allowed, it writes only those.
func (t *traits) writeTools(b *httpwire.Body, o *memberWriter, cfg *llm.Config) {
	canChoose := !t.isDropped("tool_choice")
	if t.NoTools || t.isDropped("tools") || cfg.CallMode() == "NONE" && !canChoose {
		return
	}
	if !chatwire.AddTools(b, cfg.OfferedTools(), t.toolsKey, t.appendTool) {
		return
	}
	o.names = append(o.names, "tools")
	if choice := t.toolChoice(cfg); choice != "" && canChoose {
		o.add("tool_choice", []byte(choice))
	}
}

// toolChoice returns the JSON of the tool choice, "" for the default.
func (t *traits) toolChoice(cfg *llm.Config) string {
	switch cfg.CallMode() {
	case "AUTO":
		return `"auto"`
	case "NONE":
		return `"none"`
	case "ANY":
	default:
		return ""
	}
	allowed := cfg.ToolConfig.Allowed
	switch {
	case len(allowed) != 1:
		return `"required"`
	case t.Protocol == Responses:
		return `{"type":"function","name":"` + wireName(allowed[0]) + `"}`
	}
	return `{"type":"function","function":{"name":"` + wireName(allowed[0]) + `"}}`
}

func (t *traits) appendTool(dst []byte, f *llm.FunctionDeclaration) []byte {
	if t.Protocol == Responses {
		return append(t.appendFunction(dst, f, "function"), `,"strict":false}`...)
	}
	return append(t.appendFunction(append(dst, `{"type":"function","function":`...), f, ""), `}}`...)
}

// appendFunction appends a function object without its closing brace.
func (t *traits) appendFunction(dst []byte, f *llm.FunctionDeclaration, kind string) []byte {
	o := httpwire.Object{B: dst}
	o.String("type", kind)
	o.String("name", wireName(f.Name))
	description := f.Description
	if t.maxDescription > 0 {
		description = httpwire.Clip([]byte(description), t.maxDescription)
	}
	o.String("description", description)
	o.Raw("parameters", plainSchema(f.Parameters, t.StrictSchema))
	return o.B
}

// plainSchema returns a tool schema without the flaws that some services
// reject: a missing schema, types in capitals and numbers as strings. If strict
// is set, it also removes "additionalProperties": true.
func plainSchema(schema json.RawMessage, strict bool) []byte {
	return chatwire.FixSchema(schema, func(top map[string]any) bool {
		isChanged := false
		if top["type"] == nil {
			top["type"], isChanged = "object", true
		}
		if top["type"] == "object" && top["properties"] == nil {
			top["properties"], isChanged = map[string]any{}, true
		}
		return fixSchema(top, strict) || isChanged
	})
}

// fixSchema fixes a schema in place and reports whether it changed anything.
func fixSchema(schema map[string]any, strict bool) (isChanged bool) {
	fixChild := func(v any) {
		if m, ok := v.(map[string]any); ok && fixSchema(m, strict) {
			isChanged = true
		}
	}
	for key, v := range schema {
		switch key {
		case "type":
			if s, ok := v.(string); ok && s != strings.ToLower(s) {
				schema[key], isChanged = strings.ToLower(s), true
			}
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems",
			"minProperties", "maxProperties":
			if s, ok := v.(string); ok && json.Valid([]byte(s)) {
				if _, err := strconv.ParseFloat(s, 64); err == nil {
					schema[key], isChanged = json.Number(s), true
				}
			}
		case "properties", "patternProperties", "$defs", "definitions":
			if members, ok := v.(map[string]any); ok {
				for _, m := range members {
					fixChild(m)
				}
			}
		case "items", "additionalProperties", "not":
			fixChild(v)
			if strict && key == "additionalProperties" && v == true {
				delete(schema, key) // true is the default
				isChanged = true
			}
		case "anyOf", "oneOf", "allOf", "prefixItems":
			if list, ok := v.([]any); ok {
				for _, m := range list {
					fixChild(m)
				}
			}
		}
	}
	return isChanged
}
