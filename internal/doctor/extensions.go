package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/extension"
	"pollux/internal/skill"
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

// checkSkills lists the skills that are not Pollux's own, with their files, and the problems of others.
func (x *examination) checkSkills() sectionReport {
	const most = 50
	s := sectionReport{ID: "skills", Title: "Skills", Optional: true}
	if !config.SkillsEnabled.In(x.set.Settings()) {
		s.ok("skills", "off (skills.enabled)")
		return s
	}
	set := x.set.ReadSkills(x.set.Settings(), x.set.IsTrusted())
	own := slices.DeleteFunc(set.All(), func(k skill.Skill) bool { return k.IsBuiltin() })
	if len(own) == 0 {
		s.ok("skills", "none but those of Pollux")
	}
	for _, k := range own[:min(len(own), most)] {
		text := k.FullName() + " (" + k.Path + ")"
		switch {
		case k.IsDisabled:
			text += ", disabled by skills.disabled"
		case k.IsManual:
			text += ", only you activate it"
		}
		s.ok("skill", text)
	}
	if more := len(own) - most; more > 0 {
		s.ok("skill", fmt.Sprintf("and %d more: pollux skills list", more))
	}
	for _, text := range set.Problems {
		s.warn("skill", strings.TrimSuffix(text, "."), "fix it, or remove its directory")
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
