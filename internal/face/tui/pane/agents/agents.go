// Package agents describes the subagents of a session as items of an inventory.
package agents

import (
	"cmp"
	"strings"

	"pollux/internal/face/tui/pane/inventory"
	manage "pollux/internal/manage/agents"
	"pollux/internal/subagent"
	"pollux/internal/terminal"
)

// List returns the subagents of a set. about returns the description of one, as agents.Agents.About does, and display a path as people
// read it.
func List(set *subagent.Set, about func(*subagent.Definition) (string, error), display func(path string) string) (l inventory.Listing) {
	for _, d := range set.All() {
		it := inventory.Item{Name: d.Name, State: "enabled, " + manage.Origin(d)}
		toggle := inventory.Run("Disable", "/agents disable", d.Name)
		if set.IsDisabled(d.Name) {
			it.State = "disabled, " + manage.Origin(d)
			toggle = inventory.Run("Enable", "/agents enable", d.Name)
		}
		text, err := about(d)
		if err != nil {
			it.State = "failed, " + manage.Origin(d)
			text = "Error: " + terminal.Line(err.Error())
		}
		it.About = append([]string{text}, details(d, display)...)
		change := inventory.Run("Change settings", "/agents config", d.Name)
		change.Leaves = true
		it.Actions = []inventory.Action{toggle, change, {Label: "Read the files of all agents again", Command: "/agents reload"}}
		l.Items = append(l.Items, it)
	}
	return l
}

// details describes the definition of a subagent.
func details(d *subagent.Definition, display func(string) string) (lines []string) {
	if d.Kind == subagent.RemoteKind {
		lines = append(lines, "Remote agent: "+cmp.Or(d.CardURL, "the card is in the file"))
	} else {
		tools := "all"
		if d.Tools != nil {
			tools = cmp.Or(strings.Join(d.Tools, ", "), "none")
		}
		lines = append(lines, "Tools: "+tools)
		if d.Model != "" {
			lines = append(lines, "Model: "+d.Model)
		}
	}
	if d.Path != "" {
		lines = append(lines, "File: "+display(d.Path))
	}
	return lines
}
