package argmap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// maxNesting is the maximum depth at which values are read by their schema.
const maxNesting = 8

// schema is the part of a JSON schema by which values are read.
type schema struct {
	kinds      []string // the JSON types that it allows, nil for no limit
	properties map[string]*schema
	required   []string
	items      *schema // of a schema with kinds
}

// anything is a schema that allows all values.
var anything = &schema{}

// schemas caches parsed schemas by their source: a tool has the same schema at each call.
var schemas sync.Map // string -> *schema

// parse returns a schema. An unreadable one allows all values.
func parse(source json.RawMessage) *schema {
	key := string(source)
	if s, ok := schemas.Load(key); ok {
		return s.(*schema)
	}
	s, _ := schemas.LoadOrStore(key, parseAt(source, 0))
	return s.(*schema)
}

func parseAt(source json.RawMessage, depth int) *schema {
	if len(source) == 0 || depth > maxNesting+1 {
		return anything
	}
	s := &schema{kinds: parseKinds(source, 0)}
	var object struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	if json.Unmarshal(source, &object) == nil {
		s.required = object.Required
		s.properties = make(map[string]*schema, len(object.Properties))
		for name, property := range object.Properties {
			s.properties[name] = parseAt(property, depth+1)
		}
	}
	var array struct{ Items json.RawMessage }
	_ = json.Unmarshal(source, &array) // a schema that is no object has no items
	s.items = parseAt(array.Items, depth+1)
	return s
}

// parseKinds returns the JSON types that a schema allows, nil if it does not limit them.
func parseKinds(source json.RawMessage, depth int) []string {
	var s struct {
		Type         any
		AnyOf, OneOf []json.RawMessage
	}
	if json.Unmarshal(source, &s) != nil || depth > maxNesting {
		return nil
	}
	var kinds []string
	switch v := s.Type.(type) {
	case string:
		kinds = append(kinds, strings.ToLower(v))
	case []any:
		for _, kind := range v {
			kinds = append(kinds, strings.ToLower(fmt.Sprint(kind)))
		}
	}
	for _, choice := range append(s.AnyOf, s.OneOf...) {
		kinds = append(kinds, parseKinds(choice, depth+1)...)
	}
	return kinds
}

func (s *schema) property(name string) *schema {
	if p := s.properties[name]; p != nil {
		return p
	}
	return anything
}

// hasAll reports whether the schema has properties with the names of all members.
func (s *schema) hasAll(list []member) bool {
	return !slices.ContainsFunc(list, func(m member) bool { return s.properties[m.name] == nil })
}

// allows reports whether the schema names a JSON type.
func (s *schema) allows(kind string) bool { return slices.Contains(s.kinds, kind) }

// Fits reports whether arguments are an object with all parameters that a schema requires, each
// value and each item of a type that the schema allows.
func Fits(schema, args json.RawMessage) bool {
	return parse(schema).accepts(bytes.TrimSpace(args), 0)
}

func (s *schema) accepts(value json.RawMessage, depth int) bool {
	if len(s.kinds) == 0 || depth > maxNesting {
		return true
	}
	if len(value) == 0 {
		return false
	}
	kind := kindOf(value)
	if !s.allows(kind) && (kind != "number" || !s.allows("integer")) {
		return false
	}
	switch kind {
	case "object":
		given, err := members(value)
		if err != nil {
			return false
		}
		has := map[string]bool{}
		for _, m := range given {
			has[m.name] = true
			if !s.property(m.name).accepts(bytes.TrimSpace(m.value), depth+1) {
				return false
			}
		}
		return !slices.ContainsFunc(s.required, func(name string) bool { return !has[name] })
	case "array":
		var items []json.RawMessage
		if json.Unmarshal(value, &items) != nil {
			return false
		}
		return !slices.ContainsFunc(items, func(v json.RawMessage) bool { return !s.items.accepts(bytes.TrimSpace(v), depth+1) })
	}
	return true
}
