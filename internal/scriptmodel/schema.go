package scriptmodel

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns a second opinion for [Options]: the vendor's published JSON
// schema in this file, whose $defs hold the types of requests. What the vendor
// has added since it was published is added to it, and requests of a type that
// it does not know pass.
func Schema(path string) (func(kind string, body []byte) error, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var defs struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(text, &defs); err != nil {
		return nil, fmt.Errorf("read schema %s: %w", path, err)
	}
	var mu sync.Mutex
	compiled := map[string]*jsonschema.Resolved{}
	compile := func(kind string) (*jsonschema.Resolved, error) {
		mu.Lock()
		defer mu.Unlock()
		if compiled[kind] == nil {
			// A schema is resolved once, so each kind has a document of its own.
			doc := new(jsonschema.Schema)
			if err := json.Unmarshal(text, doc); err != nil {
				return nil, fmt.Errorf("read schema %s: %w", path, err)
			}
			amend(doc)
			doc.Ref = "#/$defs/" + kind
			resolved, err := doc.Resolve(nil)
			if err != nil {
				return nil, fmt.Errorf("read schema %s: %w", path, err)
			}
			compiled[kind] = resolved
		}
		return compiled[kind], nil
	}
	return func(kind string, body []byte) error {
		if defs.Defs[kind] == nil {
			return nil
		}
		schema, err := compile(kind)
		if err != nil {
			return err
		}
		var value any
		if err := json.Unmarshal(body, &value); err != nil {
			return err
		}
		return schema.Validate(value)
	}, nil
}

// amend makes of what was published what the service accepts.
func amend(doc *jsonschema.Schema) {
	add := func(def, name string, schema *jsonschema.Schema) {
		if d := doc.Defs[def]; d != nil && d.Properties != nil {
			d.Properties[name] = schema
		}
	}
	add("GenerationConfigThinkingConfig", "thinkingLevel", &jsonschema.Schema{Type: "string"})
	add("FunctionResponse", "parts", &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Ref: "#/$defs/Part"}})
	require := func(def string, names ...string) {
		if d := doc.Defs[def]; d != nil {
			d.Required = names
		}
	}
	require("OutputTextContent", "type", "text")
	require("FunctionTool", "type", "name", "parameters")
}
