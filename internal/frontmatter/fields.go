package frontmatter

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxFields is the maximum size in bytes of front matter that Fields reads.
const maxFields = 64 << 10

// Fields returns the keys of front matter with their values. Text that is no valid YAML, such as a description with a colon, is read in
// lines: each key begins one, and has a text as its value; indented lines continue it. Front matter that is too large has no keys.
func Fields(front string) map[string]any {
	if len(front) > maxFields {
		return nil
	}
	if fields, ok := parse(front); ok {
		return fields
	}
	lines, last := map[string][]string{}, ""
	for line := range strings.Lines(front) {
		line = strings.TrimRight(line, " \t\r\n")
		key, value, found := strings.Cut(line, ":")
		isContinued := strings.TrimLeft(line, " \t") != line
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case isContinued || !found:
			if _, isKey := lines[last]; isKey {
				lines[last] = append(lines[last], strings.TrimSpace(line))
			}
		default:
			last = strings.TrimSpace(key)
			lines[last] = []string{unquote(strings.TrimSpace(value))}
		}
	}
	fields := map[string]any{}
	for key, parts := range lines {
		fields[key] = strings.TrimSpace(strings.Join(parts, " "))
	}
	return fields
}

// The bounds of YAML. Lists in one another, and aliases of long lists, take the parser much longer than their size suggests: a directory with a thousand such
// files could stop Pollux for half an hour.
const (
	maxBrackets = 1000
	maxAliases  = 100
)

// parse reads front matter as YAML. ok is false if it is not valid, or beyond the bounds.
func parse(front string) (fields map[string]any, ok bool) {
	if strings.Count(front, "[")+strings.Count(front, "{") > maxBrackets {
		return nil, false
	}
	var doc yaml.Node
	if yaml.Unmarshal([]byte(front), &doc) != nil || countAliases(&doc) > maxAliases {
		return nil, false
	}
	return fields, doc.Kind == 0 || doc.Decode(&fields) == nil
}

func countAliases(n *yaml.Node) (count int) {
	if n.Kind == yaml.AliasNode {
		return 1
	}
	for _, child := range n.Content {
		count += countAliases(child)
	}
	return count
}

// unquote returns a value without the quotes around it, and "" for the mark of a text in the lines below.
func unquote(value string) string {
	if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	if strings.Trim(value, "|>-+") == "" {
		return ""
	}
	return value
}
