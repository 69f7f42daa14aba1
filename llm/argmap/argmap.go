// Package argmap reads the arguments of tool calls as the tools' schemas want them. Some
// models were trained with slightly different tools and use their argument names, for example
// absolute_path instead of file_path in a call of write_file, or write numbers as strings.
//
// [Wrap] corrects names in the answers of a generator, also with names that a user gives for a
// model. [Names.Read] reads the names and the values of one call.
package argmap

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"

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

// Common returns the wrong names that many models use. Other spellings of the names, such as
// filePath for file_path, need no entry: see [Names.Apply]. The caller must not change them.
func Common() Names { return common() }

var common = sync.OnceValue(func() Names {
	const (
		file = "absolute_path path file filename file_name filepath target_file uri target"
		dir  = "path absolute_path dir directory directory_path dirname folder root cwd search_path target_directory"
	)
	return Names{
		"read_file": wrong("file_path", file, "start_line", "start line_start from_line first_line start_line_number",
			"end_line", "end line_end to_line last_line end_line_number"),
		"write_file": wrong("file_path", file, "content", "text contents file_content file_contents file_text code body new_content"),
		"replace": wrong("file_path", file, "old_string", "old_content old_str old_text old old_code search search_string find original",
			"new_string", "new_content new_str new_text new new_code replacement replace replace_with updated", "allow_multiple", "replace_all",
			"instruction", "description explanation"),
		"list_directory": wrong("dir_path", dir),
		"glob":           wrong("pattern", "glob_pattern glob file_pattern query", "dir_path", dir),
		"grep_search": wrong("pattern", "query regex search search_pattern search_term search_text text keyword", "dir_path", dir+" file file_path filename",
			"include_pattern", "include includes glob file_pattern", "context", "-C context_lines", "after", "-A after_context", "before", "-B before_context",
			"total_max_matches", "max_results max_matches head_limit", "names_only", "files_only files_with_matches"),
		"run_shell_command": wrong("command", "shell_command cmd script code command_line", "dir_path", "directory dir cwd workdir work_dir working_dir working_directory path",
			"is_background", "background run_in_background"),
		"read_background_output":  wrong("pid", "process_id id bash_id", "pattern", "filter regex wait_for"),
		"stop_background_process": wrong("pid", "process_id id bash_id shell_id pgid"),
		"web_fetch":               wrong("prompt", "url urls query"),
		"google_web_search":       wrong("query", "q search search_query search_term text prompt"),
		"write_todos":             wrong("todos", "items list tasks todo_list"),
		"exit_plan_mode":          wrong("plan_filename", "plan_path plan plan_file path file_path file filename"),
		"invoke_agent":            wrong("agent_name", "subagent_type subagent_name subagent agent agent_type", "prompt", "task objective"),
	}
})

// wrong returns the wrong names for arguments: each name is followed by a list of wrong ones,
// separated by spaces.
func wrong(lists ...string) map[string]string {
	names := map[string]string{}
	for i := 0; i < len(lists); i += 2 {
		for given := range strings.FieldsSeq(lists[i+1]) {
			names[given] = lists[i]
		}
	}
	return names
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
// the call lacks the correct one. A name that differs from a correct or a wrong one only
// in its spelling counts as that one: filePath, FilePath and file-path as file_path. If
// Apply renames any and root is not empty, it also makes relative paths in path,
// absolute_path and file_path absolute below root. Other arguments are returned unchanged.
func (n Names) Apply(tool *llm.FunctionDeclaration, args json.RawMessage, root string) json.RawMessage {
	schema := parse(tool.Parameters)
	if len(schema.properties) == 0 {
		return args
	}
	given, err := members(args)
	if err != nil || schema.hasAll(given) {
		return args
	}
	names := n[tool.Name]
	taken := map[string]bool{}
	for _, m := range given {
		taken[m.name] = true
	}
	changed := false
	for i := range given {
		m := &given[i]
		if schema.properties[m.name] != nil {
			continue
		}
		plain := snakeCase(m.name)
		for _, name := range [...]string{names[m.name], plain, names[plain]} {
			if name != "" && !taken[name] && schema.properties[name] != nil {
				m.name, taken[name], changed = name, true, true
				break
			}
		}
	}
	if !changed {
		return args
	}
	for i, m := range given {
		given[i].value = absolutePath(m, root)
	}
	return encode(given)
}

// snakeCase returns a name in the spelling of Gemini CLI's arguments: "filePath", "FilePath"
// and "file-path" become "file_path".
func snakeCase(name string) string {
	var b strings.Builder
	isLower := false // the letter before is a lower case one or a digit
	for _, r := range name {
		switch {
		case r == '-' || r == ' ' || r == '.':
			r = '_'
		case 'A' <= r && r <= 'Z':
			if isLower {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
			isLower = false
			b.WriteRune(r)
			continue
		}
		isLower = r != '_'
		b.WriteRune(r)
	}
	return b.String()
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
