package scriptmodel

import (
	"bytes"
	"fmt"
	"os"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema returns a second opinion for [Options]: the vendor's published JSON
// schema in this file, whose $defs hold the types of requests. What the vendor
// has added since it was published is added to it.
func Schema(path string) (func(kind string, body []byte) error, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read schema %s: %w", path, err)
	}
	addNewer(doc)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("vendor.json", doc); err != nil {
		return nil, fmt.Errorf("read schema %s: %w", path, err)
	}
	compiled := map[string]*jsonschema.Schema{}
	for _, kind := range []string{"GenerateContentRequest", "CountTokensRequest"} {
		if compiled[kind], err = c.Compile("vendor.json#/$defs/" + kind); err != nil {
			return nil, fmt.Errorf("read schema %s: %w", path, err)
		}
	}
	return func(kind string, body []byte) error {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
		if err != nil {
			return err
		}
		return compiled[kind].Validate(value)
	}, nil
}

func addNewer(doc any) {
	add := func(def, name string, schema any) {
		m, _ := doc.(map[string]any)
		m, _ = m["$defs"].(map[string]any)
		m, _ = m[def].(map[string]any)
		if m, _ = m["properties"].(map[string]any); m != nil {
			m[name] = schema
		}
	}
	add("GenerationConfigThinkingConfig", "thinkingLevel", map[string]any{"type": "string"})
	add("FunctionResponse", "parts", map[string]any{"type": "array", "items": map[string]any{"$ref": "#/$defs/Part"}})
}
