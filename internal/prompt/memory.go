package prompt

import "strings"

// Memory is what is remembered from other sessions and told to every request
// (spec/agent.md §23, tier 1). What belongs to the project as a whole is told
// once, in [Context]. Plain, where the tiers are not kept apart, is all there
// is, from the files of these Names; it stands alone.
type Memory struct {
	Global  string // the user's, for all projects
	Private string // the user's, for this project
	Plain   string
	Names   []string
}

// suffix returns the memory as it follows the sections.
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

// tier is a part of the memory and the element that holds it.
type tier struct{ name, text string }

// elements returns the tiers that hold something in <loaded_context>, "" if
// none does.
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
