package tool

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

const (
	mostNames = 20 // in a list
	maxName   = 64 // bytes
)

// explain describes the first error of value under the schema s in the words of Ajv, in the
// order in which Ajv checks keywords. It only words the result of the validator. It returns ""
// if it finds no error, which is possible for keywords that tools rarely use.
func explain(s *jsonschema.Schema, value any, at string) string {
	if s == nil {
		return ""
	}
	if text := explainType(s, value, at); text != "" {
		return text
	}
	switch v := value.(type) {
	case float64:
		if text := explainNumber(s, v, at); text != "" {
			return text
		}
	case string:
		if text := explainString(s, v, at); text != "" {
			return text
		}
	}
	if text := explainChoice(s, value, at); text != "" {
		return text
	}
	switch v := value.(type) {
	case []any:
		return explainArray(s, v, at)
	case map[string]any:
		return explainObject(s, v, at)
	}
	return ""
}

func explainType(s *jsonschema.Schema, value any, at string) string {
	want := s.Types
	if s.Type != "" {
		want = []string{s.Type}
	}
	if len(want) == 0 || slices.ContainsFunc(want, func(t string) bool { return isType(t, value) }) {
		return ""
	}
	text := at + " must be " + strings.Join(want, ",")
	if s.Type == "integer" {
		text += ", a whole number such as 280"
	}
	if form := formOf(s, 0); strings.ContainsRune(form, '{') {
		text += ": " + form
	}
	return text
}

func isType(t string, value any) bool {
	switch v := value.(type) {
	case nil:
		return t == "null"
	case bool:
		return t == "boolean"
	case string:
		return t == "string"
	case float64:
		return t == "number" || t == "integer" && v == math.Trunc(v)
	case []any:
		return t == "array"
	}
	return t == "object"
}

func explainNumber(s *jsonschema.Schema, v float64, at string) string {
	number := func(f *float64) string { return strconv.FormatFloat(*f, 'f', -1, 64) }
	switch {
	case s.Maximum != nil && v > *s.Maximum:
		return at + " must be <= " + number(s.Maximum)
	case s.Minimum != nil && v < *s.Minimum:
		return at + " must be >= " + number(s.Minimum)
	case s.ExclusiveMaximum != nil && v >= *s.ExclusiveMaximum:
		return at + " must be < " + number(s.ExclusiveMaximum)
	case s.ExclusiveMinimum != nil && v <= *s.ExclusiveMinimum:
		return at + " must be > " + number(s.ExclusiveMinimum)
	}
	return ""
}

func explainString(s *jsonschema.Schema, v, at string) string {
	n := utf8.RuneCountInString(v)
	switch {
	case s.MaxLength != nil && n > *s.MaxLength:
		return fmt.Sprintf("%s must NOT have more than %d characters", at, *s.MaxLength)
	case s.MinLength != nil && n < *s.MinLength:
		return fmt.Sprintf("%s must NOT have fewer than %d characters", at, *s.MinLength)
	case s.Pattern != "" && !matches(&jsonschema.Schema{Pattern: s.Pattern}, v):
		return fmt.Sprintf("%s must match pattern %q", at, s.Pattern)
	}
	return ""
}

func explainChoice(s *jsonschema.Schema, value any, at string) string {
	switch {
	case s.Const != nil && !matches(&jsonschema.Schema{Const: s.Const}, value):
		return at + " must be equal to constant"
	case s.Enum != nil && !matches(&jsonschema.Schema{Enum: s.Enum}, value):
		return at + " must be equal to one of the allowed values"
	case s.AnyOf != nil && !matches(&jsonschema.Schema{AnyOf: s.AnyOf}, value):
		return at + " must match a schema in anyOf"
	case s.OneOf != nil && !matches(&jsonschema.Schema{OneOf: s.OneOf}, value):
		return at + " must match exactly one schema in oneOf"
	}
	for _, sub := range s.AllOf {
		if text := explain(sub, value, at); text != "" {
			return text
		}
	}
	return ""
}

func explainArray(s *jsonschema.Schema, v []any, at string) string {
	switch {
	case s.MaxItems != nil && len(v) > *s.MaxItems:
		return fmt.Sprintf("%s must NOT have more than %d items", at, *s.MaxItems)
	case s.MinItems != nil && len(v) < *s.MinItems:
		return fmt.Sprintf("%s must NOT have fewer than %d items", at, *s.MinItems)
	case s.UniqueItems && !matches(&jsonschema.Schema{UniqueItems: true}, v):
		return at + " must NOT have duplicate items"
	}
	for i, item := range v {
		if text := explain(s.Items, item, at+"/"+strconv.Itoa(i)); text != "" {
			return text
		}
	}
	return ""
}

func explainObject(s *jsonschema.Schema, v map[string]any, at string) string {
	names := slices.Sorted(maps.Keys(v))
	if text := explainNames(s, names, at); text != "" {
		return text
	}
	if s.AdditionalProperties != nil && s.PatternProperties == nil {
		for _, name := range names {
			if _, known := s.Properties[name]; known || matches(s.AdditionalProperties, v[name]) {
				continue
			}
			if s.AdditionalProperties.Not != nil { // "additionalProperties": false
				return at + " must NOT have additional properties"
			}
			return explain(s.AdditionalProperties, v[name], at+"/"+escapePointer(name))
		}
	}
	for _, name := range names {
		if text := explain(s.Properties[name], v[name], at+"/"+escapePointer(name)); text != "" {
			return text
		}
	}
	return ""
}

// explainNames names all required properties that an object lacks, and those that it has and
// the schema does not.
func explainNames(s *jsonschema.Schema, names []string, at string) string {
	var missing, unknown []string
	for _, name := range s.Required {
		if !slices.Contains(names, name) {
			missing = append(missing, name)
		}
	}
	for _, name := range names {
		if _, known := s.Properties[name]; !known {
			unknown = append(unknown, name)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	text := at + " must have required property " + quoted(missing)
	if len(missing) > 1 {
		text = at + " must have required properties " + quoted(missing)
	}
	for _, name := range missing[:min(len(missing), mostNames)] {
		// So that one call can be right: the members of a value that is there are checked only then.
		if form := formOf(s.Properties[name], 0); strings.ContainsRune(form, '{') {
			text += fmt.Sprintf("; '%s' is %s", name, form)
		}
	}
	if len(unknown) > 0 && len(s.Properties) > 0 {
		text += "; unknown: " + quoted(unknown) + "; known: " + quoted(slices.Sorted(maps.Keys(s.Properties)))
	}
	return text
}

// formOf returns the form of a value in short: {name: string, tags?: [string]}. A ? marks what may be left out.
func formOf(s *jsonschema.Schema, depth int) string {
	const deepest = 4
	switch {
	case s == nil || depth > deepest:
		return "..."
	case s.Type == "array":
		return "[" + formOf(s.Items, depth+1) + "]"
	case s.Type != "object" || len(s.Properties) == 0:
		return cmp.Or(s.Type, "...")
	}
	names := slices.Clone(s.Required)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(s.Required, name) {
			names = append(names, name)
		}
	}
	var members []string
	for i, name := range names {
		if i == mostNames {
			members = append(members, "...")
			break
		}
		mark := ""
		if i >= len(s.Required) {
			mark = "?"
		}
		members = append(members, strings.ToValidUTF8(name[:min(len(name), maxName)], "")+mark+": "+formOf(s.Properties[name], depth+1))
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// quoted returns the first names in quotes.
func quoted(names []string) string {
	var short []string
	for _, n := range names[:min(len(names), mostNames)] {
		short = append(short, "'"+strings.ToValidUTF8(n[:min(len(n), maxName)], "")+"'")
	}
	return strings.Join(short, ", ")
}

// escapePointer returns a name as a part of a JSON pointer.
func escapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// matches reports whether value is valid under a part of a schema. It returns true if the part
// cannot be used alone, for example because it contains a $ref to another part.
func matches(s *jsonschema.Schema, value any) bool {
	part := s.CloneSchemas()
	if n, ok := countApplied(part); !ok || !isBearable(n, value) {
		return true
	}
	resolved, err := part.Resolve(nil)
	return err != nil || resolved.Validate(value) == nil
}
