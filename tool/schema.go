package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"pollux/llm/ellipsis"
)

// Build checks args against the schema of t, see [Spec.Accepted], and creates an invocation. Its
// error, for the model, reports the first problem in Gemini CLI's words.
func Build(t Tool, args json.RawMessage) (Invocation, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	spec := t.Spec()
	schema := spec.Schema
	if spec.Accepted != nil {
		schema = spec.Accepted
	}
	if err := CheckArgs(schema, args); err != nil {
		return nil, err
	}
	return t.Build(args)
}

// schema is a parsed schema.
type schema struct {
	source   *jsonschema.Schema
	resolved *jsonschema.Resolved
	applied  int // see countApplied
}

// schemas caches schemas by their source. A schema is compiled at the first call of its tool,
// not at start.
var schemas sync.Map // string -> *schema, nil where it does not compile

// damage describes arguments that arrived as a text, because they are not valid JSON; it is "" for others.
func damage(args any) string {
	text, ok := args.(string)
	if !ok {
		return ""
	}
	var value any
	err := json.Unmarshal([]byte(text), &value)
	if err == nil {
		return ", not a string with one."
	}
	return fmt.Sprintf(". What arrived is not valid JSON (%v). Escape quotes and line breaks in its strings. It begins with: %s", err, ellipsis.Bytes(text, 200))
}

// CheckArgs returns an error for the model if the arguments of a call do not fit a schema. Arguments are valid under a
// schema that cannot be used.
func CheckArgs(source, args json.RawMessage) error {
	var value any
	if err := json.Unmarshal(args, &value); err != nil {
		return fmt.Errorf("params must be valid JSON: %w", err)
	}
	if _, ok := value.(map[string]any); !ok {
		return errors.New("Value of params must be an object" + damage(value)) // the beginning is a contract
	}
	s := compileSchema(string(source))
	if s == nil || !isBearable(s.applied, value) {
		return nil // values that cannot be checked are valid
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
	s, _ := schemas.LoadOrStore(source, parseSchema(source))
	return s.(*schema)
}

// parseSchema returns nil for a schema that does not compile.
func parseSchema(source string) *schema {
	s := &schema{source: new(jsonschema.Schema)}
	if !isPlain(source) || json.Unmarshal([]byte(source), s.source) != nil {
		return nil
	}
	// Most tools without a $schema use this one.
	if s.source.Schema == "" {
		s.source.Schema = "http://json-schema.org/draft-07/schema#"
	}
	var ok bool
	if s.applied, ok = countApplied(s.source); !ok {
		return nil
	}
	var err error
	if s.resolved, err = s.source.Resolve(nil); err != nil {
		return nil
	}
	return s
}
