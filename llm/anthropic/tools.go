package anthropic

import (
	"encoding/json"
	"slices"

	"github.com/go-faster/jx"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// appendTools appends the declarations of a set of tools, nothing if the set is
// empty. A cache mark can replace the last byte.
func appendTools(dst []byte, t *llm.ToolSet) []byte {
	l := blocks{b: dst}
	for i := range t.Functions {
		f := &t.Functions[i]
		l.startBlock()
		o := httpwire.Object{B: l.b}
		o.String("name", toolName(f.Name))
		o.String("description", f.Description)
		o.Raw("input_schema", objectSchema(f.Parameters))
		l.b = o.End()
	}
	// The vendor runs these tools.
	if t.GoogleSearch {
		l.startBlock()
		l.b = append(l.b, `{"type":"web_search_20250305","name":"web_search"}`...)
	}
	if t.URLContext {
		l.startBlock()
		l.b = append(l.b, `{"type":"web_fetch_20250910","name":"web_fetch"}`...)
	}
	return l.b
}

// objectSchema returns the schema of a tool's input in a form that the service
// accepts: of type object, without some keywords at the top level. The result is less
// strict; the tool validates its input against the whole schema.
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
		o.Raw(key, fixSurrogates(compact))
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

// placeholderTool is declared if the conversation contains tool calls but the request
// offers no tools, because the service then requires a tool. The tool choice prevents
// that the model calls it.
const placeholderTool = `{"name":"unavailable","description":"Tools cannot be used now.","input_schema":{"type":"object","properties":{}}}`

// answerTool is the only tool of a request for JSON. Its input is the response.
const answerTool = "answer"

// answerSchema returns the input schema of answerTool for a response with this
// schema. If the response is not an object, it is wrapped in the member "value",
// because the input of a tool must be an object.
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

// unwrap returns the response in the input of answerTool.
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

// toolChoice returns the JSON of the tool choice, "" for the default. isForced means
// that the model must call a tool, which excludes thinking.
func toolChoice(c *llm.Config) (choice string, isForced bool) {
	switch c.CallMode() {
	case "NONE":
		return `{"type":"none"}`, false
	case "ANY":
		if allowed := c.ToolConfig.Allowed; len(allowed) == 1 {
			return string(append(llm.AppendString([]byte(`{"type":"tool","name":`), toolName(allowed[0])), '}')), true
		}
		return `{"type":"any"}`, true
	}
	return "", false
}
