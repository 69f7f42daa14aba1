package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Build checks args against t's schema and makes an invocation of them. The
// error is for the model: it names the first thing that is wrong in the words
// that models and scripts know from Gemini CLI (spec/tools.md §1.2).
func Build(t Tool, args json.RawMessage) (Invocation, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	if err := checkArgs(t.Spec().Schema, args); err != nil {
		return nil, err
	}
	return t.Build(args)
}

// schemas keeps compiled schemas by their source: a tool's schema is compiled
// at its first call, not at start.
var schemas sync.Map // string -> *jsonschema.Schema, or nil where it does not compile

func checkArgs(source, args json.RawMessage) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		return fmt.Errorf("params must be valid JSON: %w", err)
	}
	if _, ok := value.(map[string]any); !ok {
		return fmt.Errorf("Value of params must be an object") //nolint:staticcheck // the text is a contract
	}
	schema := compiled(string(source))
	if schema == nil {
		return nil // a schema that does not compile checks nothing (spec/tools.md §1.2)
	}
	if err := schema.Validate(value); err != nil {
		if v, ok := err.(*jsonschema.ValidationError); ok {
			return fmt.Errorf("%s", firstCause(v))
		}
		return err
	}
	return nil
}

func compiled(source string) *jsonschema.Schema {
	if s, ok := schemas.Load(source); ok {
		return s.(*jsonschema.Schema)
	}
	var schema *jsonschema.Schema
	if doc, err := jsonschema.UnmarshalJSON(strings.NewReader(source)); err == nil {
		c := jsonschema.NewCompiler()
		c.DefaultDraft(jsonschema.Draft7)
		c.AssertFormat()
		if err := c.AddResource("params.json", doc); err == nil {
			schema, _ = c.Compile("params.json")
		}
	}
	s, _ := schemas.LoadOrStore(source, schema)
	return s.(*jsonschema.Schema)
}

// firstCause says what the first leaf of a validation error says, as Ajv would.
func firstCause(e *jsonschema.ValidationError) string {
	for len(e.Causes) > 0 {
		if _, ok := e.ErrorKind.(*kind.AnyOf); ok {
			break
		}
		e = e.Causes[0]
	}
	at := "params"
	for _, p := range e.InstanceLocation {
		at += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(p)
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return fmt.Sprintf("%s must have required property '%s'", at, k.Missing[0])
	case *kind.Type:
		return fmt.Sprintf("%s must be %s", at, strings.Join(k.Want, ","))
	case *kind.Enum:
		return at + " must be equal to one of the allowed values"
	case *kind.Const:
		return at + " must be equal to constant"
	case *kind.Minimum:
		return fmt.Sprintf("%s must be >= %s", at, k.Want.RatString())
	case *kind.Maximum:
		return fmt.Sprintf("%s must be <= %s", at, k.Want.RatString())
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("%s must be > %s", at, k.Want.RatString())
	case *kind.ExclusiveMaximum:
		return fmt.Sprintf("%s must be < %s", at, k.Want.RatString())
	case *kind.AdditionalProperties:
		return at + " must NOT have additional properties"
	case *kind.MinItems:
		return fmt.Sprintf("%s must NOT have fewer than %d items", at, k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("%s must NOT have more than %d items", at, k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("%s must NOT have fewer than %d characters", at, k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("%s must NOT have more than %d characters", at, k.Want)
	case *kind.Pattern:
		return fmt.Sprintf("%s must match pattern %q", at, k.Want)
	case *kind.Format:
		return fmt.Sprintf("%s must match format %q", at, k.Want)
	case *kind.UniqueItems:
		return at + " must NOT have duplicate items"
	case *kind.AnyOf:
		return at + " must match a schema in anyOf"
	case *kind.OneOf:
		return at + " must match exactly one schema in oneOf"
	}
	return fmt.Sprintf("%s is invalid: %v", at, e.Error())
}
