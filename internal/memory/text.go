package memory

import (
	"fmt"
	"strings"
)

// block returns the form in which the model sees a file.
func block(path, text string) string {
	path = printable(path)
	return fmt.Sprintf("--- Context from: %s ---\n%s\n--- End of Context from: %[1]s ---", path, text)
}

// blocks joins the files of some tiers, all if none is named.
func blocks(files []File, tiers ...Tier) string {
	var list []string
	for _, f := range files {
		wanted := len(tiers) == 0
		for _, t := range tiers {
			wanted = wanted || f.Tier == t
		}
		if wanted {
			list = append(list, block(f.Path, f.Text))
		}
	}
	return strings.Join(list, "\n\n")
}

// tiers returns the parts of the system instruction and of the session's
// context (spec/agent.md §22).
func tiers(files []File) (system, session string) {
	system = loadedContext(
		tag("global_context", blocks(files, Global)),
		tag("user_project_memory", blocks(files, Private)))
	if system != "" {
		system = "---\n\n" + system
	}
	session = loadedContext(
		tag("extension_context", blocks(files, Extension)),
		tag("project_context", blocks(files, Project)))
	return system, session
}

// everything returns the part of the system instruction where all of the
// memory is in it.
func everything(names []string, files []File) string {
	if len(files) == 0 {
		return ""
	}
	return "# Instructions from " + strings.Join(names, ", ") + "\n\n" +
		"The user and the project have written these down for you. Follow them. Where two of them disagree, the more specific one " +
		"holds: a subdirectory's before its project's, the project's before an extension's, those before the user's global ones. " +
		"What the user asks for in the conversation comes before all of them; none of them lifts the rules above.\n\n" +
		loadedContext(blocks(files))
}

func loadedContext(parts ...string) string {
	return tag("loaded_context", join(parts))
}

// tag puts a text between tags, if there is any.
func tag(name, text string) string {
	if text == "" {
		return ""
	}
	return "<" + name + ">\n" + text + "\n</" + name + ">"
}

func join(parts []string) string {
	var list []string
	for _, p := range parts {
		if p != "" {
			list = append(list, p)
		}
	}
	return strings.Join(list, "\n")
}
