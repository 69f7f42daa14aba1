// Package argmap corrects the names of arguments in tool calls. Some models were
// trained with slightly different tools and use their argument names, for example
// absolute_path instead of file_path in a call of write_file.
package argmap

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-faster/jx"

	"pollux/llm"
)

// Rule lists the wrong argument names of one model, or of all models at an endpoint.
// Users write rules as JSON. Provider, Description and LastVerified are notes.
type Rule struct {
	Model           string `json:"model"`
	Provider        string `json:"provider"`
	EndpointPattern string `json:"endpointPattern"` // part of a URL, in which * matches any text
	Description     string `json:"description"`
	LastVerified    string `json:"lastVerified"`
	ToolMappings    Names  `json:"toolMappings"`
}

// Names maps wrong argument names to correct ones, for each tool.
type Names map[string]map[string]string

// Lookup returns the names for a model at an endpoint: those of the first rule that
// matches both, else of the first rule that matches the endpoint alone, else nil.
func Lookup(rules []Rule, model, endpoint string) Names {
	var other Names
	for _, r := range rules {
		if !matchesPattern(endpoint, r.EndpointPattern) {
			continue
		}
		if r.Model == model {
			return r.ToolMappings
		}
		if other == nil && (r.EndpointPattern != "" || r.Model == "") {
			other = r.ToolMappings
		}
	}
	return other
}

// matchesPattern reports whether s contains the pieces of pattern between * in this
// order.
func matchesPattern(s, pattern string) bool {
	for piece := range strings.SplitSeq(pattern, "*") {
		n := strings.Index(s, piece)
		if n < 0 {
			return false
		}
		s = s[n+len(piece):]
	}
	return true
}

// Common returns the wrong names that many models use.
func Common() Names {
	return Names{
		"write_file":        {"absolute_path": "file_path", "path": "file_path", "text": "content"},
		"read_file":         {"absolute_path": "file_path", "path": "file_path"},
		"replace":           {"absolute_path": "file_path", "path": "file_path", "old_content": "old_string", "new_content": "new_string"},
		"glob":              {"glob_pattern": "pattern", "path": "dir_path"},
		"grep_search":       {"query": "pattern", "path": "dir_path"},
		"run_shell_command": {"shell_command": "command", "cmd": "command", "directory": "dir_path"},
		"list_directory":    {"absolute_path": "dir_path", "path": "dir_path"},
	}
}

// Merge returns the names in n and more. Names in more override those in n.
func (n Names) Merge(more Names) Names {
	out := Names{}
	for _, from := range []Names{n, more} {
		for tool, names := range from {
			if out[tool] == nil {
				out[tool] = map[string]string{}
			}
			for given, name := range names {
				out[tool][given] = name
			}
		}
	}
	return out
}

// Apply returns the arguments of a call of tool with correct names. It renames an
// argument only if the tool's schema has the correct name but not the wrong one, and
// the call lacks the correct one. If it renames any and root is not empty, it also
// makes relative paths in path, absolute_path and file_path absolute below root.
// Other arguments are returned unchanged.
func (n Names) Apply(tool *llm.FunctionDeclaration, args json.RawMessage, root string) json.RawMessage {
	names := n[tool.Name]
	if len(names) == 0 {
		return args
	}
	given, err := members(args)
	if err != nil || !slices.ContainsFunc(given, func(m member) bool { return names[m.name] != "" }) {
		return args
	}
	var schema struct{ Properties map[string]json.RawMessage }
	if json.Unmarshal(tool.Parameters, &schema) != nil {
		return args
	}
	taken := map[string]bool{}
	for _, m := range given {
		taken[m.name] = true
	}
	changed := false
	for i := range given {
		m := &given[i]
		name := names[m.name]
		if name == "" || taken[name] || schema.Properties[m.name] != nil || schema.Properties[name] == nil {
			continue
		}
		m.name, taken[name], changed = name, true, true
	}
	if !changed {
		return args
	}
	out := []byte{'{'}
	for i, m := range given {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(llm.AppendString(out, m.name), ':')
		out = append(out, absolutePath(m, root)...)
	}
	return append(out, '}')
}

type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of an object in their order.
func members(object json.RawMessage) ([]member, error) {
	var out []member
	err := jx.DecodeBytes(object).Obj(func(d *jx.Decoder, name string) error {
		v, err := d.Raw()
		out = append(out, member{name, slices.Clone(json.RawMessage(v))})
		return err
	})
	return out, err
}

// absolutePath returns the value of an argument, made absolute below root if it is a
// relative path.
func absolutePath(m member, root string) json.RawMessage {
	var path string
	if root == "" || m.name != "path" && m.name != "absolute_path" && m.name != "file_path" ||
		json.Unmarshal(m.value, &path) != nil || path == "" || filepath.IsAbs(path) || path[0] == '~' {
		return m.value
	}
	return llm.AppendString(nil, filepath.Join(root, path))
}
