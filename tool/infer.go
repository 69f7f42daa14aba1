package tool

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// inferred is the schema of a struct.
type inferred struct {
	encoded    json.RawMessage
	parameters map[string]bool // names of the properties
}

// inferSchema returns the schema of a struct as [Func] describes it.
func inferSchema[Args any]() (inferred, error) {
	t := reflect.TypeFor[Args]()
	if t.Kind() != reflect.Struct {
		return inferred{}, fmt.Errorf("the arguments are a %s, want a struct", t)
	}
	s, err := jsonschema.ForType(t, nil)
	if err != nil {
		return inferred{}, err
	}
	if err := refine(s, t); err != nil {
		return inferred{}, err
	}
	// Calls may have arguments for others than the tool, such as wait_for_previous.
	s.AdditionalProperties = nil
	encoded, err := json.Marshal(s)
	if err != nil {
		return inferred{}, err
	}
	names := map[string]bool{}
	for name := range s.Properties {
		names[name] = true
	}
	return inferred{encoded, names}, nil
}

// refine adapts the schema that package jsonschema infers for a type: values are never null, and
// pointers are optional. It returns an error for types that encoding/json decodes in another way
// than the schema describes.
func refine(s *jsonschema.Schema, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
	switch {
	case isStandard(t):
		return nil
	case decodesItself(t):
		return fmt.Errorf("type %s decodes itself from JSON: its schema is not known", t)
	}
	switch t.Kind() {
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return fmt.Errorf("type %s is an interface with methods, which JSON cannot be decoded into", t)
		}
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return fmt.Errorf("type %s holds bytes, which are not an array in JSON: use a string", t)
		}
		return refine(s.Items, t.Elem())
	case reflect.Map:
		return refine(s.AdditionalProperties, t.Elem())
	case reflect.Struct:
		return refineStruct(s, t)
	}
	return nil
}

// isStandard reports whether package jsonschema knows the schema of a type of the standard library.
func isStandard(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[big.Int](), reflect.TypeFor[big.Rat](), reflect.TypeFor[big.Float]():
		return true
	}
	return false
}

func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

func refineStruct(s *jsonschema.Schema, t reflect.Type) error {
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous {
			if name != "" {
				return fmt.Errorf("field %s.%s is embedded and has a name in JSON: give it a name in Go too", t, field.Name)
			}
			continue
		}
		if name == "" {
			name = field.Name
		}
		property := s.Properties[name]
		if property == nil || !field.IsExported() || field.Tag.Get("json") == "-" {
			continue
		}
		if slices.Contains(strings.Split(options, ","), "string") {
			return fmt.Errorf("field %s.%s: the option string of the json tag is not supported", t, field.Name)
		}
		if err := refine(property, field.Type); err != nil {
			return fmt.Errorf("field %s.%s: %w", t, field.Name, err)
		}
		if field.Type.Kind() == reflect.Pointer {
			s.Required = slices.DeleteFunc(s.Required, func(required string) bool { return required == name })
		}
		if values, ok := field.Tag.Lookup("enum"); ok {
			if err := setEnum(property, values); err != nil {
				return fmt.Errorf("field %s.%s: %w", t, field.Name, err)
			}
		}
	}
	return nil
}

// setEnum limits a string, a number or the items of an array to values, which commas separate.
func setEnum(s *jsonschema.Schema, values string) error {
	if s.Items != nil {
		s = s.Items
	}
	for value := range strings.SplitSeq(values, ",") {
		switch s.Type {
		case "string":
			s.Enum = append(s.Enum, value)
		case "integer", "number":
			n := json.Number(value)
			if _, err := n.Float64(); err != nil || !json.Valid([]byte(value)) {
				return fmt.Errorf("the value %q of the enum tag is not a number", value)
			}
			s.Enum = append(s.Enum, n)
		default:
			return fmt.Errorf("the enum tag is for strings and numbers")
		}
	}
	return nil
}
