// Package argmap gives the arguments of tool calls the names that the tools
// know (spec/agent.md §6). Models remember tools that differ a little from
// those they are offered, and call write_file with absolute_path where this one
// has file_path. It works in every mode, with tool calling and without.
package argmap

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-faster/jx"

	"pollux/llm"
)

// Rule says what one model, or all at one endpoint, get wrong. Its JSON is the
// form in which users have such rules; Provider, Description and LastVerified are
// notes to themselves.
type Rule struct {
	Model           string `json:"model"`
	Provider        string `json:"provider"`
	EndpointPattern string `json:"endpointPattern"` // part of a URL; * stands for anything
	Description     string `json:"description"`
	LastVerified    string `json:"lastVerified"`
	ToolMappings    Names  `json:"toolMappings"`
}

// Names maps, for each tool, a name that models give to the one it has.
type Names map[string]map[string]string

// Lookup returns the names for a model at an endpoint: those of the first rule
// for both, else of the first for the endpoint; nil if there is none.
func Lookup(rules []Rule, model, endpoint string) Names {
	var other Names
	for _, r := range rules {
		if !matches(endpoint, r.EndpointPattern) {
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

// matches reports whether the pieces of pattern stand in s, in this order.
func matches(s, pattern string) bool {
	for piece := range strings.SplitSeq(pattern, "*") {
		n := strings.Index(s, piece)
		if n < 0 {
			return false
		}
		s = s[n+len(piece):]
	}
	return true
}

// Common returns the names that models at large get wrong.
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

// Merge returns names with those of more added, which win.
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

// Apply returns the arguments of a call of tool with their right names. An
// argument is renamed only if the tool's schema has the right name and not the
// given one, and the call does not have the right one already. Where one was,
// and root is not empty, a relative path in path, absolute_path or file_path
// becomes one below root. Arguments that need nothing come back as they are.
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
		right := names[m.name]
		if right == "" || taken[right] || schema.Properties[m.name] != nil || schema.Properties[right] == nil {
			continue
		}
		m.name, taken[right], changed = right, true, true
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
		out = append(out, absolute(m, root)...)
	}
	return append(out, '}')
}

type member struct {
	name  string
	value json.RawMessage
}

// members returns what an object holds, in its order.
func members(object json.RawMessage) ([]member, error) {
	var out []member
	err := jx.DecodeBytes(object).Obj(func(d *jx.Decoder, name string) error {
		v, err := d.Raw()
		out = append(out, member{name, slices.Clone(json.RawMessage(v))})
		return err
	})
	return out, err
}

// absolute returns the value of an argument, below root if it is a relative path.
func absolute(m member, root string) json.RawMessage {
	var path string
	if root == "" || m.name != "path" && m.name != "absolute_path" && m.name != "file_path" ||
		json.Unmarshal(m.value, &path) != nil || path == "" || filepath.IsAbs(path) || path[0] == '~' {
		return m.value
	}
	return llm.AppendString(nil, filepath.Join(root, path))
}
