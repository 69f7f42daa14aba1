package doctor

import (
	"context"
	"strings"

	"pollux/internal/extension"
	"pollux/internal/wording"
)

// checkExtensions lists the installed extensions and their problems. It must be the first check that
// needs extensions, because they are read once.
func (x *examination) checkExtensions(ctx context.Context) sectionReport {
	s := sectionReport{ID: "extensions", Title: "Extensions", Optional: true}
	set := x.set.WithWarn(func(text string) {
		s.warn("extension", strings.TrimPrefix(text, "Warning: "), "fix it, or remove its directory")
	})
	list := set.InstalledExtensions(ctx)
	if len(list) == 0 && len(s.Checks) == 0 {
		s.ok("extensions", "none")
	}
	for _, e := range list {
		text := e.Name + " " + e.Version
		switch {
		case !e.IsActive:
			s.ok("extension", text+" (disabled here)")
		case missing(e) != "":
			s.note("extension", text+" has no value for "+missing(e), "set it, if you need it: pollux extensions config "+e.Name)
		default:
			s.ok("extension", text+contents(e))
		}
	}
	return s
}

// missing returns the settings of an extension without a value, "" for none.
func missing(e *extension.Extension) string {
	var names []string
	for _, v := range e.Values {
		if !v.IsSet {
			names = append(names, v.EnvVar)
		}
	}
	return strings.Join(names, ", ")
}

// contents returns the parts of an extension, in brackets.
func contents(e *extension.Extension) string {
	var parts []string
	add := func(n int, noun string) {
		if n > 0 {
			parts = append(parts, wording.Count(n, noun))
		}
	}
	hooks, _ := e.Hooks() // a session warns of mistakes
	add(len(e.MCPServers), "MCP server")
	add(len(e.ContextFiles), "context file")
	add(len(hooks), "hook")
	add(len(e.ExcludeTools), "excluded tool")
	for _, name := range []string{"commands", "skills", "agents", "policies"} {
		if _, ok := e.Directory(name); ok {
			parts = append(parts, name)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
