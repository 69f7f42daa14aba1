package subagent

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// fields reads the keys of a definition and collects errors.
type fields struct {
	prefix   string // of the names of keys in problems
	problems []string
}

func (f *fields) wrong(key, format string, args ...any) {
	if key != "" {
		key = f.prefix + key + ": "
	}
	f.problems = append(f.problems, key+fmt.Sprintf(format, args...))
}

func (f *fields) text(key string, node *yaml.Node) string {
	if node.Kind != yaml.ScalarNode || node.Tag != "!!str" {
		f.wrong(key, "Expected string, received %s", kindOf(node))
		return ""
	}
	return strings.ToValidUTF8(node.Value, "\ufffd")
}

func (f *fields) number(key string, node *yaml.Node) (float64, bool) {
	var n float64
	if node.Kind != yaml.ScalarNode || node.Tag != "!!int" && node.Tag != "!!float" || node.Decode(&n) != nil || n != n {
		f.wrong(key, "Expected number, received %s", kindOf(node))
		return 0, false
	}
	return n, true
}

// positive reads a whole number from 1 to limit.
func (f *fields) positive(key string, node *yaml.Node, limit int) int {
	n, ok := f.number(key, node)
	switch {
	case !ok:
	case n != float64(int(n)):
		f.wrong(key, "Expected integer, received float")
	case n <= 0:
		f.wrong(key, "Number must be greater than 0")
	case n > float64(limit):
		f.wrong(key, "Number must be less than or equal to %d", limit)
	}
	return int(min(n, float64(limit)))
}

// pairs yields the keys of a mapping with their values, with the values of aliases in place of them.
func pairs(node *yaml.Node) func(yield func(string, *yaml.Node) bool) {
	return func(yield func(string, *yaml.Node) bool) {
		for i := 0; i+1 < len(node.Content); i += 2 {
			value := node.Content[i+1]
			if value.Kind == yaml.AliasNode && value.Alias != nil {
				value = value.Alias
			}
			if !yield(node.Content[i].Value, value) {
				return
			}
		}
	}
}

func lookup(node *yaml.Node, key string) *yaml.Node {
	for name, value := range pairs(node) {
		if name == key {
			return value
		}
	}
	return nil
}

// kindOf returns the name of the type of a value.
func kindOf(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "object"
	case yaml.SequenceNode:
		return "array"
	}
	switch node.Tag {
	case "!!int", "!!float":
		return "number"
	case "!!bool":
		return "boolean"
	case "!!null":
		return "null"
	}
	return "string"
}
