package policy

import (
	"slices"

	"pollux/internal/shellcmd"
	"pollux/tool"
)

// CanRemember reports whether answers may be remembered: a face offers
// "always" only then.
func (e *Engine) CanRemember() bool { return e.opts.Trusted && !e.opts.DisableAlways }

// Remember makes a rule of a person's answer to a call (spec/safety.md §2.11),
// for this session, and reports whether it did. "Always" for an edit switches
// to autoEdit instead; an answer that can't be narrowed to what was shown is
// not remembered, nor is any in an untrusted folder.
func (e *Engine) Remember(c Call, answer tool.Outcome) bool {
	if !e.CanRemember() {
		return false
	}
	q := newQuery(c)
	mode := e.Mode()
	r := Rule{Decision: Allow, Priority: 3.95, Modes: From(mode), Source: "Dynamic (Confirmed)", Tools: []string{c.Name}}
	switch {
	case answer == tool.ProceedAlways && (c.Name == "write_file" || c.Name == "replace"):
		return mode >= AutoEdit || e.SetMode(AutoEdit) == nil
	case answer == tool.ProceedAlwaysServer && q.Server != "":
		r.Tools = serverTools(q.Server)
	case answer == tool.ProceedAlways, answer == tool.ProceedAlwaysAndSave, answer == tool.ProceedAlwaysTool:
		if !narrow(&r, q) {
			return false
		}
	default:
		return false
	}
	e.add(r)
	return true
}

// narrow restricts a rule to what a person saw of the call. It returns false
// if the call lacks what to restrict it to.
func narrow(r *Rule, q *query) bool {
	key := ""
	switch q.Name {
	case shellTool, legacyShellTool:
		r.Prefixes, r.AllowRedirection = prefixes(q.command())
		return len(r.Prefixes) > 0
	case "read_file", "write_file", "replace":
		key = "file_path"
	case "list_directory":
		key = "dir_path"
	case "glob", "grep_search", "search_file_content":
		key = "pattern"
	case "read_many_files":
		key = "include"
	default:
		return true
	}
	if key == "include" {
		return narrowInclude(r, q)
	}
	value := q.text(key)
	r.Args = pinned(key, value)
	return value != ""
}

// narrowInclude restricts a rule to a list of globs, all of them.
func narrowInclude(r *Rule, q *query) bool {
	list := stable(q.member("include"))
	if list == "" {
		return false
	}
	r.Args = literal("\x00" + `"include":` + list + "\x00")
	return true
}

// prefixes returns the distinct programs of an approved command, and whether
// it redirects. A command that can't be read is its own prefix.
func prefixes(command string) (list []string, redirects bool) {
	if command == "" {
		return nil, false
	}
	command = shellcmd.StripWrapper(command)
	script, err := shellcmd.Parse(command)
	if err != nil {
		return []string{command}, false
	}
	for _, c := range script.Commands {
		prefix := c.Name
		// "((" and "$CMD" begin anything.
		if len(c.Words) == 0 || !c.Words[0].Static {
			prefix = c.Text
		}
		if !slices.Contains(list, prefix) {
			list = append(list, prefix)
		}
	}
	return list, len(script.Redirections) > 0
}
