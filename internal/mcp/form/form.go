// Package form turns the form of an MCP server (mode "form" of an elicitation) into questions to a person,
// and the answers into the content that the server gets.
//
// [Parse] reads the schema of a form, [Form.Questions] words it for a person, and [Form.Content] checks the
// answers. Nothing in a schema is trusted: sizes, names, patterns and texts.
package form

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pollux/internal/secret"
	"pollux/internal/terminal"
)

// Form is a server's questions to a person.
type Form struct {
	fields []field
}

// kind is the type of a field's value.
type kind int

const (
	text    kind = iota
	number       // with a fraction
	integer      // without
	boolean
	choice  // one of the field's options
	choices // several of them
)

// field is one value of a form.
type field struct {
	name        string
	title       string // for people, not empty
	description string // for people
	kind        kind
	isRequired  bool
	isSecret    bool // the input is not shown
	options     []option
	fallback    any // the value that an empty answer stands for, nil for none
	rules
	pattern *regexp.Regexp // nil for none
}

// rules are the constraints of a value. A nil pointer sets no limit.
type rules struct {
	MinLength *float64 `json:"minLength"` // of a text, in characters
	MaxLength *float64 `json:"maxLength"`
	MinItems  *float64 `json:"minItems"` // of choices
	MaxItems  *float64 `json:"maxItems"`
	Minimum   *float64 `json:"minimum"`
	Maximum   *float64 `json:"maximum"`
	Format    string   `json:"format"`
}

// option is a value to choose. Labels are different from each other.
type option struct{ value, label string }

// Limits of a form. A form beyond them is an error.
const (
	maxFields  = 50
	maxOptions = 100
	maxName    = 200
	maxPattern = 1_000
)

// Limits of texts, in characters. Longer ones are cut.
const (
	maxTitle       = 100
	maxDescription = 1_000
)

// property is a field as a schema describes it.
type property struct {
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Pattern     string          `json:"pattern"`
	Default     json.RawMessage `json:"default"`
	rules
	list
	Items list `json:"items"`
}

// list is a list of values to choose from, in one of the ways in which schemas write it.
type list struct {
	Enum      []string `json:"enum"`
	EnumNames []string `json:"enumNames"`
	OneOf     []titled `json:"oneOf"`
	AnyOf     []titled `json:"anyOf"`
}

type titled struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// Parse reads the schema of a form. order are the names of its fields as the server has written them; those
// that it does not name come last, the required ones first. Errors name the unusable part of the schema.
func Parse(schema json.RawMessage, order []string) (*Form, error) {
	var s struct {
		Type       string                     `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, errors.New("the schema of the form is not valid")
	}
	switch {
	case s.Type != "" && s.Type != "object":
		return nil, errors.New("the schema of the form is not an object")
	case len(s.Properties) > maxFields:
		return nil, fmt.Errorf("the form has more than %d fields", maxFields)
	}
	names := slices.Concat(order, s.Required, slices.Sorted(maps.Keys(s.Properties)))
	f := &Form{}
	done := map[string]bool{}
	for _, name := range names {
		raw, found := s.Properties[name]
		if !found || done[name] {
			continue
		}
		done[name] = true
		one, err := parseField(name, raw)
		if err != nil {
			return nil, fmt.Errorf("field %q of the form: %w", terminal.Cut(terminal.Line(name), maxTitle), err)
		}
		one.isRequired = slices.Contains(s.Required, name)
		f.fields = append(f.fields, *one)
	}
	return f, nil
}

// Order returns the names of an object's members in the order in which they are written, nil if it is none.
// Of the members of a form that has too many, it returns the first ones.
func Order(object json.RawMessage) (names []string) {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() && len(names) <= maxFields {
		name, err := d.Token()
		if err != nil {
			return names
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return names
		}
		names = append(names, name.(string)) // the decoder accepts nothing else before a value
	}
	return names
}

func parseField(name string, raw json.RawMessage) (*field, error) {
	var p property
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, errors.New("its schema is not valid")
	}
	if len(name) > maxName {
		return nil, fmt.Errorf("its name has more than %d bytes", maxName)
	}
	f := &field{name: name, description: terminal.Cut(terminal.Text(p.Description), maxDescription), rules: p.rules}
	f.title = terminal.Cut(cmp.Or(terminal.Line(p.Title), terminal.Line(name), "Value"), maxTitle)
	if err := f.setKind(&p); err != nil {
		return nil, err
	}
	if p.Pattern != "" && len(p.Pattern) <= maxPattern {
		f.pattern, _ = regexp.Compile(p.Pattern) // the server checks patterns that are not valid here
	}
	f.isSecret = f.kind == text && (p.Format == "password" || secret.InName(name) || secret.InName(p.Title))
	f.setFallback(p.Default)
	return f, nil
}

// setKind sets the kind of a field, and its options.
func (f *field) setKind(p *property) error {
	switch p.Type {
	case "string":
		f.kind = text
		if p.isList() {
			f.kind = choice
			return f.setOptions(&p.list)
		}
	case "number":
		f.kind = number
	case "integer":
		f.kind = integer
	case "boolean":
		f.kind = boolean
	case "array":
		f.kind = choices
		if !p.Items.isList() {
			return errors.New("it is a list without values to choose from")
		}
		return f.setOptions(&p.Items)
	default:
		return fmt.Errorf("its type %q is none of string, number, integer, boolean and array", terminal.Cut(terminal.Line(p.Type), maxTitle))
	}
	return nil
}

func (l *list) isList() bool { return len(l.Enum)+len(l.OneOf)+len(l.AnyOf) > 0 }

// setOptions sets the options of a field, with labels that are different.
func (f *field) setOptions(l *list) error {
	all := slices.Concat(l.OneOf, l.AnyOf)
	for i, value := range l.Enum {
		one := titled{Const: value}
		if i < len(l.EnumNames) {
			one.Title = l.EnumNames[i]
		}
		all = append(all, one)
	}
	if len(all) > maxOptions {
		return fmt.Errorf("it has more than %d values to choose from", maxOptions)
	}
	taken := map[string]bool{}
	for i, one := range all {
		label := terminal.Cut(cmp.Or(terminal.Line(one.Title), terminal.Line(one.Const)), maxTitle)
		label = strings.ReplaceAll(label, ",", ";") // several answers are joined by commas
		for label == "" || taken[strings.ToLower(label)] || strings.EqualFold(label, noAnswer) {
			label = strings.TrimSpace(fmt.Sprintf("%s [%d]", label, i+1))
		}
		taken[strings.ToLower(label)] = true
		f.options = append(f.options, option{one.Const, label})
	}
	return nil
}

// setFallback sets the value that an empty answer stands for, if it is a valid one.
func (f *field) setFallback(raw json.RawMessage) {
	if len(raw) == 0 || string(raw) == "null" {
		return
	}
	var err error
	var value any
	switch f.kind {
	case text, choice:
		value, err = decode[string](raw)
	case number, integer:
		value, err = decode[float64](raw)
	case boolean:
		value, err = decode[bool](raw)
	case choices:
		value, err = decode[[]string](raw)
	}
	if err == nil && f.check(value) == "" {
		f.fallback = value
	}
}

func decode[T any](raw json.RawMessage) (any, error) {
	var v T
	err := json.Unmarshal(raw, &v)
	return v, err
}
