package config

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"pollux/llm/ellipsis"
	"pollux/tool/spelling"
)

// check removes invalid values from a file's tree, so that the layer below is used for them,
// and returns warnings about them. It corrects values whose meaning is clear: "5" for a
// number, "TRUE" for a bool. lost are the keys whose values would have restricted something.
func check(tree map[string]any, path string) (warnings []Warning, lost []string) {
	var c checker
	c.group("", tree)
	return append(c.invalidWarnings(path), c.unknownWarnings(path)...), c.lost
}

type checker struct {
	issues  []issue
	unknown []string // paths that are not keys
	lost    []string // keys that restrict, and whose values are invalid
}

// issue is an invalid value.
type issue struct {
	path, message string
	isEntry       bool // it is about one entry of several, the others of which are used
}

// group checks the keys below path.
func (c *checker) group(path string, tree map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		at, v := join(path, name), tree[name]
		key, known := KeyOf(at)
		switch {
		case v == nil || isUnsafe(name):
		case known:
			if v, ok := c.value(key, at, v); ok {
				tree[name] = v
			} else {
				delete(tree, name)
				if key.Effect.restricts() {
					c.lost = append(c.lost, at)
				}
			}
		case IsGroup(at):
			if below, ok := v.(map[string]any); ok {
				c.group(at, below)
			} else {
				c.mismatch(at, "object", v)
				delete(tree, name)
			}
		default:
			c.unknown = append(c.unknown, at)
		}
	}
}

// value returns a key's value converted to the type that it must have.
func (c *checker) value(key *Key, path string, v any) (any, bool) {
	kind, rest, _ := strings.Cut(key.Type, " ")
	switch kind {
	case "any":
		return v, true
	case "enum":
		return c.choice(path, v, strings.Fields(rest))
	case "record":
		return v, c.record(path, v, strings.Fields(rest))
	case "map":
		entries, ok := v.(map[string]any)
		if !ok {
			c.mismatch(path, "object", v)
			return nil, false
		}
		fields := strings.Fields(rest)
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			at := path + "." + name
			switch {
			case entries[name] == nil:
			case isUnsafe(name):
				c.issues = append(c.issues, issue{path: at, message: "The name is reserved. Rename the entry"})
			case c.record(at, entries[name], fields):
				continue
			}
			if entries[name] != nil {
				c.issues[len(c.issues)-1].isEntry = true
				delete(entries, name)
			}
		}
		return v, true
	case "strings", "string|strings":
		return c.strings(path, v, kind)
	}
	fitting, ok := Coerce(kind, v)
	if !ok {
		c.mismatch(path, kind, v)
		return nil, false
	}
	if n, isNumber := fitting.(float64); isNumber && !key.inRange(n) {
		c.issues = append(c.issues, issue{path: path, message: fmt.Sprintf("Expected %s, received %v", strings.TrimPrefix(key.DescribeType(), "a "), n)})
		return nil, false
	}
	return fitting, true
}

// Coerce converts v to a plain type, "bool", "number", "string", "array" or "object", and reports whether it has that
// type: "5" is a number, and "TRUE" a bool, because variables in settings are expanded to strings.
func Coerce(kind string, v any) (any, bool) {
	text, isText := v.(string)
	switch kind {
	case "bool":
		switch {
		case strings.EqualFold(text, "true"):
			return true, true
		case strings.EqualFold(text, "false"):
			return false, true
		}
	case "number":
		if n, err := strconv.ParseFloat(strings.TrimSpace(text), 64); isText && err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
			return n, true
		}
	}
	return v, TypeName(kind) == TypeOf(v)
}

func (c *checker) choice(path string, v any, choices []string) (any, bool) {
	text, ok := v.(string)
	if ok && slices.Contains(choices, text) {
		return v, true
	}
	received := TypeOf(v)
	if ok {
		received = "'" + Printable(text) + "'"
	}
	c.issues = append(c.issues, issue{path: path, message: fmt.Sprintf("Invalid enum value. Expected '%s', received %s",
		strings.Join(choices, "' | '"), received)})
	return nil, false
}

func (c *checker) strings(path string, v any, kind string) (any, bool) {
	if _, ok := v.(string); ok && kind == "string|strings" {
		return v, true
	}
	if key, ok := KeyOf(path); ok && key.Flags&(Union|Concat) != 0 {
		if _, ok := v.(string); ok {
			v = []any{v} // a single value becomes a list of one
		}
	}
	items, ok := v.([]any)
	if !ok {
		c.mismatch(path, "array", v)
		return nil, false
	}
	for i, item := range items {
		if _, ok := item.(string); !ok {
			c.mismatch(fmt.Sprintf("%s.%d", path, i), "string", item)
			return nil, false
		}
	}
	return v, true
}

// record checks that an object has only these fields, and removes others.
func (c *checker) record(path string, v any, fields []string) bool {
	object, ok := v.(map[string]any)
	if !ok {
		c.mismatch(path, "object", v)
		return false
	}
	var bad []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(fields, name) {
			bad = append(bad, "'"+Printable(name)+"'")
			delete(object, name)
		}
	}
	if len(bad) > 0 {
		c.issues = append(c.issues, issue{path: path, message: "Unrecognized key(s) in object: " +
			strings.Join(bad[:min(len(bad), 10)], ", ")})
	}
	return true
}

func (c *checker) mismatch(path, kind string, v any) {
	c.issues = append(c.issues, issue{path: path, message: "Expected " + TypeName(kind) + ", received " + TypeOf(v)})
}

// invalidWarnings returns the warning about invalid values. Its first lines have the format of
// Gemini CLI.
func (c *checker) invalidWarnings(path string) []Warning {
	if len(c.issues) == 0 {
		return nil
	}
	const most = 5
	var b strings.Builder
	fmt.Fprintf(&b, "Invalid configuration in %s:\n\n", path)
	for _, i := range c.issues[:min(len(c.issues), most)] {
		fmt.Fprintf(&b, "Error in: %s\n    %s\n", Printable(i.path), i.message)
		if i.isEntry {
			b.WriteString("    Pollux ignores this entry only.\n")
		}
		b.WriteByte('\n')
	}
	if n := len(c.issues) - most; n > 0 {
		fmt.Fprintf(&b, "...and %d more errors.\n", n)
	}
	b.WriteString("Please fix the configuration.\nRun 'pollux config explain KEY' for the values that a setting accepts.")
	return []Warning{Warning(b.String())}
}

// unknownWarnings returns the warning about unknown keys.
func (c *checker) unknownWarnings(path string) []Warning {
	if len(c.unknown) == 0 {
		return nil
	}
	const most = 5
	var lines []string
	for _, name := range c.unknown[:min(len(c.unknown), most)] {
		line := fmt.Sprintf("Unknown setting %q in %s is ignored.", Printable(name), path)
		if near, ok := nearest(name); ok {
			line += fmt.Sprintf(" Did you mean %q?", near)
		}
		lines = append(lines, line)
	}
	if n := len(c.unknown) - most; n > 0 {
		lines = append(lines, fmt.Sprintf("...and %d more unknown settings.", n))
	}
	return []Warning{Warning(strings.Join(lines, "\n"))}
}

// nearest returns the key that was probably meant: one with the same name in another group, a
// key or group with similar spelling.
func nearest(path string) (string, bool) {
	_, last := cutLast(path)
	var names []string
	for i := range table {
		if _, name := cutLast(table[i].Path); strings.EqualFold(name, last) && len(last) > 4 {
			return table[i].Path, true
		}
		for name := table[i].Path; name != ""; name, _ = cutLast(name) {
			names = append(names, name)
		}
	}
	near := spelling.Closest(path, slices.Values(names))
	return near, near != ""
}

func cutLast(path string) (group, name string) {
	i := strings.LastIndexByte(path, '.')
	return path[:max(i, 0)], path[i+1:]
}

// TypeName returns the name of a type in messages.
func TypeName(kind string) string {
	if kind == "bool" {
		return "boolean"
	}
	return kind
}

// TypeOf returns the name of the type of a JSON value in messages.
func TypeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

// isUnsafe reports whether a name is special to JavaScript objects. Gemini CLI, which reads
// the same files, skips such entries too.
func isUnsafe(name string) bool {
	return name == "__proto__" || name == "constructor" || name == "prototype"
}

// Printable returns untrusted text in a form that is safe for one line on the terminal: characters
// that are not printable become "?", and a text of more than 100 characters is cut.
func Printable(text string) string {
	const most = 100
	return ellipsis.Runes(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text[:min(len(text), 4*most)]), most)
}
