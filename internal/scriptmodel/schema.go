package scriptmodel

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns a function for [Options].Validate that checks requests against the vendor's
// published JSON schema in a file, whose $defs are the types of requests. It adds members that the
// vendor has added since, and accepts requests of a type that is not in the schema.
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
			// A schema can be resolved only once, so each kind gets its own document.
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

// amend adapts the published schema to the service of today.
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
