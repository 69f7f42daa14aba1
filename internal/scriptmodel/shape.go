package scriptmodel

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// shape is what a JSON value must look like. The vendor's own schema says
// more than this about what it accepts; this is what Pollux is allowed to send.
type shape struct {
	kind     kind
	null     bool              // null will do as well
	fields   map[string]*shape // of an object; nil for any
	required []string
	of       *shape // of a list's items
	least    int    // items of a list
	words    []string
	min, max float64           // of a number, where max > min
	tag      string            // the field that tells the cases apart
	cases    map[string]*shape // by the tag's value, "" for where it is missing
	either   []*shape
}

type kind int

const (
	anything kind = iota
	object
	array
	str
	number
	integer
	boolean
	base64Bytes
	tagged // an object of one of several kinds
	either // a value of one of several types
)

func obj(fields map[string]*shape, required ...string) *shape {
	return &shape{kind: object, fields: fields, required: required}
}
func arr(of *shape) *shape                { return &shape{kind: array, of: of} }
func some(of *shape) *shape               { return &shape{kind: array, of: of, least: 1} }
func is(k kind) *shape                    { return &shape{kind: k} }
func word(words ...string) *shape         { return &shape{kind: str, words: words} }
func between(k kind, a, b float64) *shape { return &shape{kind: k, min: a, max: b} }
func oneOf(of ...*shape) *shape           { return &shape{kind: either, either: of} }
func byTag(tag string, cases map[string]*shape) *shape {
	return &shape{kind: tagged, tag: tag, cases: cases}
}

// orNull returns s, with null for one of its values.
func orNull(s *shape) *shape {
	c := *s
	c.null = true
	return &c
}

// misfit is a place where a value is not of its shape.
type misfit struct {
	what what
	at   string // such as messages[0].content
	name string // of the field that is missing or unknown
	want *shape
	got  any
}

type what int

const (
	wrongType what = iota
	wrongWord
	tooSmall
	tooLarge
	tooFew
	unknownField
	missingField
)

// check says what is wrong with v, nil for nothing. Fields with one of the
// names in accept may stand in any object.
func (s *shape) check(v any, at string, accept []string) *misfit {
	wrong := func(w what) *misfit {
		return &misfit{what: w, at: strings.TrimPrefix(at, "."), want: s, got: v}
	}
	if v == nil && s.null {
		return nil
	}
	switch s.kind {
	case object:
		o, ok := v.(map[string]any)
		if !ok {
			return wrong(wrongType)
		}
		return s.checkFields(o, at, accept, "")
	case tagged:
		o, ok := v.(map[string]any)
		if !ok {
			return wrong(wrongType)
		}
		return s.checkCase(o, at, accept)
	case either:
		for _, alternative := range s.either {
			if alternative.takes(v) {
				return alternative.check(v, at, accept)
			}
		}
		return wrong(wrongType)
	case array:
		l, ok := v.([]any)
		if !ok {
			return wrong(wrongType)
		}
		if len(l) < s.least {
			return wrong(tooFew)
		}
		for i, item := range l {
			if m := s.of.check(item, fmt.Sprintf("%s[%d]", at, i), accept); m != nil {
				return m
			}
		}
		return nil
	}
	if !s.takes(v) {
		return wrong(wrongType)
	}
	switch v := v.(type) {
	case string:
		if s.words != nil && !slices.Contains(s.words, v) {
			return wrong(wrongWord)
		}
	case json.Number:
		f, _ := v.Float64() // takes has looked
		switch {
		case s.max > s.min && f < s.min:
			return wrong(tooSmall)
		case s.max > s.min && f > s.max:
			return wrong(tooLarge)
		}
	}
	return nil
}

// takes reports whether v is of the right type, whatever is in it.
func (s *shape) takes(v any) bool {
	ok := false
	switch s.kind {
	case anything:
		return true
	case object, tagged:
		_, ok = v.(map[string]any)
	case array:
		_, ok = v.([]any)
	case str:
		_, ok = v.(string)
	case base64Bytes:
		t, isText := v.(string)
		ok = isText && isBase64(t)
	case boolean:
		_, ok = v.(bool)
	case number, integer:
		n, isNumber := v.(json.Number)
		if isNumber {
			f, err := n.Float64()
			ok = err == nil && (s.kind == number || f == float64(int64(f)))
		}
	case either:
		ok = slices.ContainsFunc(s.either, func(e *shape) bool { return e.takes(v) })
	}
	return ok
}

func (s *shape) checkCase(o map[string]any, at string, accept []string) *misfit {
	tag, there := o[s.tag]
	switch usual := s.cases[""]; {
	case there:
	case usual != nil:
		return usual.checkFields(o, at, accept, "")
	default:
		return &misfit{what: missingField, at: strings.TrimPrefix(at, "."), name: s.tag, want: s}
	}
	words := &shape{kind: str, words: slices.Sorted(maps.Keys(s.cases))}
	if m := words.check(tag, at+"."+s.tag, nil); m != nil {
		return m
	}
	return s.cases[tag.(string)].checkFields(o, at, accept, s.tag)
}

// checkFields looks at the fields of an object; tag is one that was looked at before.
func (s *shape) checkFields(o map[string]any, at string, accept []string, tag string) *misfit {
	if s.fields == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		field := s.fields[name]
		if field == nil {
			if name == tag || slices.Contains(accept, name) {
				continue
			}
			return &misfit{what: unknownField, at: strings.TrimPrefix(at, "."), name: name, want: s}
		}
		if m := field.check(o[name], at+"."+name, accept); m != nil {
			return m
		}
	}
	for _, name := range s.required {
		if _, ok := o[name]; !ok {
			return &misfit{what: missingField, at: strings.TrimPrefix(at, "."), name: name, want: s}
		}
	}
	return nil
}

// isBase64 accepts both alphabets, padded or not, as the vendor does.
func isBase64(s string) bool {
	s = strings.TrimRight(s, "=")
	_, err := base64.RawStdEncoding.DecodeString(strings.NewReplacer("-", "+", "_", "/").Replace(s))
	return err == nil
}
