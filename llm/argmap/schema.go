package argmap

import (
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

// property returns the schema of a property.
func (s *schema) property(name string) *schema {
	if p := s.properties[name]; p != nil {
		return p
	}
	return anything
}

// allows reports whether the schema names a JSON type.
func (s *schema) allows(kind string) bool { return slices.Contains(s.kinds, kind) }
