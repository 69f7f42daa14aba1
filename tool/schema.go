package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// Build checks args against the schema of t, see [Spec.Accepted], and creates an invocation. The text
// of the error is for the model: it reports the first problem in the words that
// Gemini CLI uses.
func Build(t Tool, args json.RawMessage) (Invocation, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	spec := t.Spec()
	schema := spec.Schema
	if spec.Accepted != nil {
		schema = spec.Accepted
	}
	if err := checkArgs(schema, args); err != nil {
		return nil, err
	}
	return t.Build(args)
}

// schema is a parsed schema.
type schema struct {
	source   *jsonschema.Schema
	resolved *jsonschema.Resolved
}

// schemas caches schemas by their source. A schema is compiled at the first call of its tool,
// not at start.
var schemas sync.Map // string -> *schema, nil where it does not compile

func checkArgs(source, args json.RawMessage) error {
	var value any
	if err := json.Unmarshal(args, &value); err != nil {
		return fmt.Errorf("params must be valid JSON: %w", err)
	}
	if _, ok := value.(map[string]any); !ok {
		//lint:ignore ST1005 the text is a contract
		return errors.New("Value of params must be an object")
	}
	s := compileSchema(string(source))
	if s == nil {
		return nil // a schema that does not compile accepts all arguments
	}
	err := s.resolved.Validate(value)
	if err == nil {
		return nil
	}
	if text := explain(s.source, value, "params"); text != "" {
		return errors.New(text)
	}
	return fmt.Errorf("params do not fit the tool's schema: %w", err)
}

func compileSchema(source string) *schema {
	if s, ok := schemas.Load(source); ok {
		return s.(*schema)
	}
	made := &schema{source: new(jsonschema.Schema)}
	err := json.Unmarshal([]byte(source), made.source)
	if err == nil {
		// Most tools without a $schema use this one.
		if made.source.Schema == "" {
			made.source.Schema = "http://json-schema.org/draft-07/schema#"
		}
		made.resolved, err = made.source.Resolve(nil)
	}
	if err != nil {
		made = nil
	}
	s, _ := schemas.LoadOrStore(source, made)
	return s.(*schema)
}
