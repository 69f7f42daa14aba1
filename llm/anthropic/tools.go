package anthropic

import (
	"encoding/json"
	"slices"

	"github.com/go-faster/jx"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// appendTools appends a set of tools; nothing where it is empty. Like a message's
// blocks they can be marked at their last byte.
func appendTools(dst []byte, t *llm.ToolSet) []byte {
	l := blocks{b: dst}
	for i := range t.Functions {
		f := &t.Functions[i]
		l.next()
		o := httpwire.Object{B: l.b}
		o.String("name", toolName(f.Name))
		o.String("description", f.Description)
		o.Raw("input_schema", objectSchema(f.Parameters))
		l.b = o.End()
	}
	// These run at the vendor.
	if t.GoogleSearch {
		l.next()
		l.b = append(l.b, `{"type":"web_search_20250305","name":"web_search"}`...)
	}
	if t.URLContext {
		l.next()
		l.b = append(l.b, `{"type":"web_fetch_20250910","name":"web_fetch"}`...)
	}
	return l.b
}

// objectSchema returns a schema as the service wants one for a tool: of an
// object, and without what it refuses at the top. What is left out makes the
// schema wider; the tool's own validation holds all of it.
func objectSchema(schema json.RawMessage) []byte {
	o := httpwire.Object{}
	o.String("type", "object")
	d := jx.DecodeBytes(schema)
	properties := false
	err := d.Obj(func(d *jx.Decoder, key string) error {
		value, err := d.Raw()
		if err != nil || slices.Contains([]string{"$schema", "type", "oneOf", "anyOf", "allOf", "not", "enum"}, key) {
			return err
		}
		properties = properties || key == "properties"
		var compact json.RawMessage
		if compact, err = json.Marshal(json.RawMessage(value)); err != nil {
			return err
		}
		o.Raw(key, sound(compact))
		return nil
	})
	if err != nil || !properties {
		if err != nil {
			o = httpwire.Object{}
			o.String("type", "object")
		}
		o.Raw("properties", []byte(`{}`))
	}
	return o.End()
}

// absent is declared where a conversation holds calls but no tools are offered:
// the service wants some in that case. It cannot be called, see toolChoice.
const absent = `{"name":"unavailable","description":"Tools cannot be used now.","input_schema":{"type":"object","properties":{}}}`

// answerTool is the one tool of a request for JSON, whose input is the answer.
const answerTool = "answer"

// answerSchema returns the schema of the answer tool for an answer of this
// schema, and whether the answer is the member "value" of its input: a tool's
// input is an object, an answer can be anything.
func answerSchema(schema json.RawMessage) (tool []byte, wrapped bool) {
	var top struct {
		Type  any
		AnyOf []json.RawMessage
		OneOf []json.RawMessage
	}
	if json.Unmarshal(schema, &top) == nil && top.Type == "object" && top.AnyOf == nil && top.OneOf == nil {
		return objectSchema(schema), false
	}
	if !json.Valid(schema) {
		schema = json.RawMessage(`{}`)
	}
	return append(append([]byte(`{"type":"object","properties":{"value":`), schema...), `},"required":["value"]}`...), true
}

// unwrap returns the answer in the input of the answer tool.
func unwrap(input []byte, wrapped bool) string {
	if !wrapped {
		return string(input)
	}
	var in struct{ Value json.RawMessage }
	if json.Unmarshal(input, &in) != nil || len(in.Value) == 0 {
		return string(input)
	}
	return string(in.Value)
}

// toolChoice returns what the model may call, "" where that is its own choice;
// must says that it has to call something, which goes with no thinking.
func toolChoice(c *llm.ToolConfig) (choice string, must bool) {
	if c == nil {
		return "", false
	}
	switch {
	case c.Mode == "NONE":
		return `{"type":"none"}`, false
	case c.Mode == "ANY" && len(c.Allowed) == 1:
		return string(append(llm.AppendString([]byte(`{"type":"tool","name":`), toolName(c.Allowed[0])), '}')), true
	case c.Mode == "ANY":
		return `{"type":"any"}`, true
	}
	return "", false
}
