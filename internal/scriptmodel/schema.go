package scriptmodel

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns a second opinion for [Options]: the vendor's published JSON
// schema in this file, whose $defs hold the types of requests. What the vendor
// has added since it was published is added to it.
func Schema(path string) (func(kind string, body []byte) error, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	compiled := map[string]*jsonschema.Resolved{}
	for _, kind := range []string{"GenerateContentRequest", "CountTokensRequest"} {
		// A schema is resolved once, so each kind has a document of its own.
		doc := new(jsonschema.Schema)
		if err := json.Unmarshal(text, doc); err != nil {
			return nil, fmt.Errorf("read schema %s: %w", path, err)
		}
		addNewer(doc)
		doc.Ref = "#/$defs/" + kind
		if compiled[kind], err = doc.Resolve(nil); err != nil {
			return nil, fmt.Errorf("read schema %s: %w", path, err)
		}
	}
	return func(kind string, body []byte) error {
		var value any
		if err := json.Unmarshal(body, &value); err != nil {
			return err
		}
		return compiled[kind].Validate(value)
	}, nil
}

func addNewer(doc *jsonschema.Schema) {
	add := func(def, name string, schema *jsonschema.Schema) {
		if d := doc.Defs[def]; d != nil && d.Properties != nil {
			d.Properties[name] = schema
		}
	}
	add("GenerationConfigThinkingConfig", "thinkingLevel", &jsonschema.Schema{Type: "string"})
	add("FunctionResponse", "parts", &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Ref: "#/$defs/Part"}})
}
