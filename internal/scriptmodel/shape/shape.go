// Package shape describes the shapes of JSON values and checks values against them.
package shape

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Shape describes valid JSON values. It describes the requests that Pollux may send; a vendor's own
// schema accepts more.
type Shape struct {
	Kind     Kind
	Null     bool              // null is valid too
	Fields   map[string]*Shape // fields of an object; nil allows any
	Required []string
	Of       *Shape // shape of an array's items
	MinItems int    // minimum number of items in an array
	Words    []string
	Min, Max float64           // limits of a number, if Max > Min
	Tag      string            // name of the field that selects the case
	Cases    map[string]*Shape // by the tag's value; "" applies if the tag is missing
	Either   []*Shape
}

// Kind is the type of a JSON value.
type Kind int

// The kinds of values. Base64 is a string with binary data.
const (
	Anything Kind = iota
	ObjectKind
	ArrayKind
	String
	Number
	Integer
	Boolean
	Base64
	Tagged // an object of one of several kinds
	Either // a value of one of several types
)

// Object returns the shape of an object with these fields.
func Object(fields map[string]*Shape, required ...string) *Shape {
	return &Shape{Kind: ObjectKind, Fields: fields, Required: required}
}

// ListOf returns the shape of an array.
func ListOf(of *Shape) *Shape { return &Shape{Kind: ArrayKind, Of: of} }

// NonEmpty returns the shape of an array with at least one item.
func NonEmpty(of *Shape) *Shape { return &Shape{Kind: ArrayKind, Of: of, MinItems: 1} }

// Is returns the shape of a value of this kind.
func Is(k Kind) *Shape { return &Shape{Kind: k} }

// Word returns the shape of a string that is one of words.
func Word(words ...string) *Shape { return &Shape{Kind: String, Words: words} }

// Between returns the shape of a number between a and b.
func Between(k Kind, a, b float64) *Shape { return &Shape{Kind: k, Min: a, Max: b} }

// OneOf returns the shape of a value that has one of several shapes of different types.
func OneOf(of ...*Shape) *Shape { return &Shape{Kind: Either, Either: of} }

// TaggedBy returns the shape of an object whose field tag selects the case.
func TaggedBy(tag string, cases map[string]*Shape) *Shape {
	return &Shape{Kind: Tagged, Tag: tag, Cases: cases}
}

// Nullable returns a copy of s that also accepts null.
func Nullable(s *Shape) *Shape {
	c := *s
	c.Null = true
	return &c
}

// Mismatch is a place in a value that does not match its shape.
type Mismatch struct {
	Reason Reason
	Path   string // such as messages[0].content
	Name   string // name of the missing or unknown field
	Want   *Shape
	Got    any
}

// Reason is the kind of a Mismatch.
type Reason int

// The reasons of mismatches. A WrongWord is not one of [Shape].Words, and an array with TooFew items has less than
// [Shape].MinItems.
const (
	WrongType Reason = iota
	WrongWord
	TooSmall
	TooLarge
	TooFew
	UnknownField
	MissingField
)

// Check returns the first mismatch of v, or nil. at is the path of v. Every object may also have
// the fields in accept.
func (s *Shape) Check(v any, at string, accept []string) *Mismatch {
	wrong := func(w Reason) *Mismatch {
		return &Mismatch{Reason: w, Path: strings.TrimPrefix(at, "."), Want: s, Got: v}
	}
	if v == nil && s.Null {
		return nil
	}
	if !s.hasType(v) {
		return wrong(WrongType)
	}
	switch s.Kind {
	case ObjectKind:
		return s.checkFields(v.(map[string]any), at, accept, "")
	case Tagged:
		return s.checkTagged(v.(map[string]any), at, accept)
	case Either:
		i := slices.IndexFunc(s.Either, func(e *Shape) bool { return e.hasType(v) })
		return s.Either[i].Check(v, at, accept)
	case ArrayKind:
		l := v.([]any)
		if len(l) < s.MinItems {
			return wrong(TooFew)
		}
		for i, item := range l {
			if m := s.Of.Check(item, fmt.Sprintf("%s[%d]", at, i), accept); m != nil {
				return m
			}
		}
		return nil
	}
	switch v := v.(type) {
	case string:
		if s.Words != nil && !slices.Contains(s.Words, v) {
			return wrong(WrongWord)
		}
	case json.Number:
		f, _ := v.Float64() // hasType has checked it
		switch {
		case s.Max > s.Min && f < s.Min:
			return wrong(TooSmall)
		case s.Max > s.Min && f > s.Max:
			return wrong(TooLarge)
		}
	}
	return nil
}

// hasType reports whether v has the right type. It does not check the contents.
func (s *Shape) hasType(v any) bool {
	ok := false
	switch s.Kind {
	case Anything:
		return true
	case ObjectKind, Tagged:
		_, ok = v.(map[string]any)
	case ArrayKind:
		_, ok = v.([]any)
	case String:
		_, ok = v.(string)
	case Base64:
		t, isText := v.(string)
		ok = isText && isBase64(t)
	case Boolean:
		_, ok = v.(bool)
	case Number, Integer:
		n, isNumber := v.(json.Number)
		if isNumber {
			f, err := n.Float64()
			ok = err == nil && (s.Kind == Number || f == float64(int64(f)))
		}
	case Either:
		ok = slices.ContainsFunc(s.Either, func(e *Shape) bool { return e.hasType(v) })
	}
	return ok
}

// checkTagged checks an object whose tag selects the case.
func (s *Shape) checkTagged(o map[string]any, at string, accept []string) *Mismatch {
	tag, there := o[s.Tag]
	switch usual := s.Cases[""]; {
	case there:
	case usual != nil:
		return usual.checkFields(o, at, accept, "")
	default:
		return &Mismatch{Reason: MissingField, Path: strings.TrimPrefix(at, "."), Name: s.Tag, Want: s}
	}
	words := &Shape{Kind: String, Words: slices.Sorted(maps.Keys(s.Cases))}
	if m := words.Check(tag, at+"."+s.Tag, nil); m != nil {
		return m
	}
	return s.Cases[tag.(string)].checkFields(o, at, accept, s.Tag)
}

// checkFields checks the fields of an object, except the field tag.
func (s *Shape) checkFields(o map[string]any, at string, accept []string, tag string) *Mismatch {
	if s.Fields == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		field := s.Fields[name]
		if field == nil {
			if name == tag || slices.Contains(accept, name) {
				continue
			}
			return &Mismatch{Reason: UnknownField, Path: strings.TrimPrefix(at, "."), Name: name, Want: s}
		}
		if m := field.Check(o[name], at+"."+name, accept); m != nil {
			return m
		}
	}
	for _, name := range s.Required {
		if _, ok := o[name]; !ok {
			return &Mismatch{Reason: MissingField, Path: strings.TrimPrefix(at, "."), Name: name, Want: s}
		}
	}
	return nil
}

// isBase64 reports whether s is Base64, in the standard or URL alphabet, with or without padding.
func isBase64(s string) bool {
	s = strings.TrimRight(s, "=")
	_, err := base64.RawStdEncoding.DecodeString(strings.NewReplacer("-", "+", "_", "/").Replace(s))
	return err == nil
}
