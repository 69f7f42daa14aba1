package openai

import (
	"encoding/json"
	"strconv"
	"strings"

	"pollux/llm"
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
)

// tools writes the tools, those alone that may be called where only some may,
// and what is said about their use.
func (t *traits) tools(b *httpwire.Body, o *options, cfg *llm.Config) {
	var allowed []string
	mode := ""
	if c := cfg.ToolConfig; c != nil {
		mode = strings.ToUpper(c.Mode)
		if mode == "ANY" {
			allowed = c.Allowed
		}
	}
	choose := !t.drops("tool_choice")
	if t.NoTools || t.drops("tools") || mode == "NONE" && !choose {
		return
	}
	if !chatwire.AddTools(b, cfg.Tools, allowed, t.toolsKey, t.appendTool) {
		return
	}
	o.sent = append(o.sent, "tools")
	if choice := t.toolChoice(mode, allowed); choice != "" && choose {
		o.raw("tool_choice", []byte(choice))
	}
}

func (t *traits) toolChoice(mode string, allowed []string) string {
	switch {
	case mode == "AUTO":
		return `"auto"`
	case mode == "NONE":
		return `"none"`
	case mode != "ANY":
		return ""
	case len(allowed) != 1:
		return `"required"`
	case t.Protocol == Responses:
		return `{"type":"function","name":"` + wireName(allowed[0]) + `"}`
	}
	return `{"type":"function","function":{"name":"` + wireName(allowed[0]) + `"}}`
}

// appendTool appends a tool that is a function.
func (t *traits) appendTool(dst []byte, f *llm.FunctionDeclaration) []byte {
	if t.Protocol == Responses {
		return append(t.appendFunction(dst, f, "function"), `,"strict":false}`...)
	}
	return append(t.appendFunction(append(dst, `{"type":"function","function":`...), f, ""), `}}`...)
}

// appendFunction appends an object that is left open.
func (t *traits) appendFunction(dst []byte, f *llm.FunctionDeclaration, kind string) []byte {
	o := httpwire.Object{B: dst}
	o.String("type", kind)
	o.String("name", wireName(f.Name))
	o.String("description", f.Description)
	o.Raw("parameters", plainSchema(f.Parameters, t.StrictSchema))
	return o.B
}

// plainSchema returns a tool's schema with the flaws mended that some services
// refuse: none at all, types in capitals, numbers as strings; strictly, also
// objects that say they are open.
func plainSchema(schema json.RawMessage, strict bool) []byte {
	return chatwire.Schema(schema, func(top map[string]any) bool {
		flawed := false
		if top["type"] == nil {
			top["type"], flawed = "object", true
		}
		if top["type"] == "object" && top["properties"] == nil {
			top["properties"], flawed = map[string]any{}, true
		}
		return mend(top, strict) || flawed
	})
}

// mend mends a schema in place and reports whether it had to.
func mend(schema map[string]any, strict bool) (mended bool) {
	for key, v := range schema {
		switch key {
		case "type":
			if s, ok := v.(string); ok && s != strings.ToLower(s) {
				schema[key], mended = strings.ToLower(s), true
			}
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems",
			"minProperties", "maxProperties":
			if s, ok := v.(string); ok && json.Valid([]byte(s)) {
				if _, err := strconv.ParseFloat(s, 64); err == nil {
					schema[key], mended = json.Number(s), true
				}
			}
		case "properties", "patternProperties", "$defs", "definitions":
			if members, ok := v.(map[string]any); ok {
				for _, m := range members {
					if m, ok := m.(map[string]any); ok && mend(m, strict) {
						mended = true
					}
				}
			}
		case "items", "additionalProperties", "not":
			if m, ok := v.(map[string]any); ok && mend(m, strict) {
				mended = true
			}
			if strict && key == "additionalProperties" && v == true {
				delete(schema, key) // it is so by itself
				mended = true
			}
		case "anyOf", "oneOf", "allOf", "prefixItems":
			if list, ok := v.([]any); ok {
				for _, m := range list {
					if m, ok := m.(map[string]any); ok && mend(m, strict) {
						mended = true
					}
				}
			}
		}
	}
	return mended
}
