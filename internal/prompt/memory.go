package prompt

import "strings"

// Memory is the part of the user's memory that is in the system instruction of every request.
// The project's memory is in [Context] instead. If Plain is set, it is the complete memory
// without tiers, from files with these Names, and the other texts are not used.
type Memory struct {
	Global  string // the user's, for all projects
	Private string // the user's, for this project
	Plain   string
	Names   []string
}

// suffix returns the memory as text after the sections.
func (m Memory) suffix() string {
	if plain := strings.TrimSpace(m.Plain); plain != "" {
		names := "context files"
		if len(m.Names) > 0 {
			names = oneLine(strings.Join(m.Names, ", "))
		}
		return "\n\n# Instructions from " + names + "\n\nStanding instructions of the user and the project. The more specific win: subdirectory, project, extension, global.\n\n" +
			element("loaded_context", inside(plain, "loaded_context"))
	}
	tiers := elements(tier{"global_context", m.Global}, tier{"user_project_memory", m.Private})
	if tiers == "" {
		return ""
	}
	return "\n\n---\n\n" + tiers
}

// tier is a part of the memory, with the name of its element.
type tier struct{ name, text string }

// elements returns the tiers that are not empty in <loaded_context>, "" if all are empty.
func elements(tiers ...tier) string {
	names := []string{"loaded_context", "session_context"}
	for _, t := range tiers {
		names = append(names, t.name)
	}
	var parts []string
	for _, t := range tiers {
		if text := strings.TrimSpace(t.text); text != "" {
			parts = append(parts, element(t.name, inside(text, names...)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return element("loaded_context", strings.Join(parts, "\n"))
}

func element(name, text string) string { return "<" + name + ">\n" + text + "\n</" + name + ">" }
