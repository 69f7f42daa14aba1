package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"pollux/llm"
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
	open := false
	for _, set := range cfg.Tools {
		record := set.Encoded(t.toolsKey, t.appendTools)
		for i := 0; len(record) > 0; i++ {
			var p piece
			p, record = nextPiece(record)
			if len(allowed) > 0 && !slices.Contains(allowed, set.Functions[i].Name) {
				continue
			}
			if open {
				b.Text(`,`)
			} else {
				b.Text(`,"tools":[`)
				open = true
			}
			b.Add(p.data)
		}
	}
	if !open {
		return
	}
	b.Text(`]`)
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

// appendTools appends a record with a piece for each function.
func (t *traits) appendTools(dst []byte, set *llm.ToolSet) []byte {
	for i := range set.Functions {
		f := &set.Functions[i]
		start := len(dst)
		dst = beginPiece(dst, call, "")
		if t.Protocol == Responses {
			dst = append(t.appendFunction(dst, f, "function"), `,"strict":false}`...)
		} else {
			dst = append(t.appendFunction(append(dst, `{"type":"function","function":`...), f, ""), `}}`...)
		}
		dst = endPiece(dst, start)
	}
	return dst
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
	var b bytes.Buffer
	if json.Compact(&b, schema) != nil || b.Len() == 0 || b.Bytes()[0] != '{' {
		return []byte(`{"type":"object","properties":{}}`)
	}
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	var value map[string]any
	if d.Decode(&value) != nil {
		return []byte(`{"type":"object","properties":{}}`)
	}
	flawed := false
	if value["type"] == nil {
		value["type"], flawed = "object", true
	}
	if value["type"] == "object" && value["properties"] == nil {
		value["properties"], flawed = map[string]any{}, true
	}
	if mend(value, strict) || flawed {
		if mended, err := json.Marshal(value); err == nil {
			return mended
		}
	}
	return b.Bytes() // as its author ordered it
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
