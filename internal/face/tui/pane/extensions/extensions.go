// Package extensions describes the installed extensions as items of an inventory.
package extensions

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pollux/internal/extension"
	"pollux/internal/extension/install"
	"pollux/internal/face/tui/pane/inventory"
	"pollux/internal/terminal"
)

// List returns the installed extensions. isUsed reports whether the session uses the one with a name, display
// returns a path as people read it, and hasWorkspace reports
// whether an extension can be disabled in this project alone.
func List(installed []*extension.Extension, isUsed func(name string) bool, display func(path string) string, hasWorkspace bool) (l inventory.Listing) {
	for _, e := range installed {
		it := inventory.Item{Name: e.Name, State: terminal.Line(e.Version) + ", disabled", About: append(about(e), "Directory: "+display(e.Dir))}
		if e.IsActive {
			it.State = terminal.Line(e.Version) + ", active"
		}
		if isUsed(e.Name) != e.IsActive {
			it.State += " from the next start"
		}
		it.Actions = actions(e, hasWorkspace)
		l.Items = append(l.Items, it)
	}
	return l
}

// actions returns the actions on an extension.
func actions(e *extension.Extension, hasWorkspace bool) (list []inventory.Action) {
	verb, command := "Enable", "/extensions enable"
	if e.IsActive {
		verb, command = "Disable", "/extensions disable"
	}
	list = append(list, inventory.Run(verb, command, e.Name))
	if hasWorkspace {
		a := inventory.Run(verb+" in this project", command, e.Name)
		a.Command += " --scope=workspace"
		list = append(list, a)
	}
	list = append(list, asking("Update", "/extensions update", e.Name))
	if len(e.Settings) > 0 {
		list = append(list, asking("Change settings", "/extensions config", e.Name))
	}
	return append(list, inventory.Action{Label: "Update all extensions", Command: "/extensions update --all", Leaves: true})
}

// asking returns the action of a command that may ask questions.
func asking(label, command, name string) inventory.Action {
	a := inventory.Run(label, command, name)
	a.Leaves = true
	return a
}

// about describes an extension: its source and its parts.
func about(e *extension.Extension) (lines []string) {
	if e.Description != "" {
		lines = append(lines, e.Description)
	}
	if e.Install != nil {
		lines = append(lines, fmt.Sprintf("Source: %s (%s)", install.MaskText(e.Install.Source), e.Install.Type))
	}
	add := func(title string, names []string) {
		if len(names) > 0 {
			lines = append(lines, title+": "+strings.Join(names, ", "))
		}
	}
	c := install.ContentOf(e)
	add("MCP servers", slices.Sorted(maps.Keys(e.MCPServers)))
	add("Commands", names(len(c.Commands), func(i int) string { return "/" + c.Commands[i].Name }))
	add("Skills", names(len(c.Skills), func(i int) string { return c.Skills[i].Name }))
	add("Agents", names(len(c.Agents), func(i int) string { return c.Agents[i].Name }))
	add("Hooks", names(len(c.Hooks), func(i int) string { return string(c.Hooks[i].Event) + " " + c.Hooks[i].ID() }))
	add("Context files", c.ContextFiles)
	add("Excluded tools", e.ExcludeTools)
	add("Settings", names(len(e.Settings), func(i int) string { return e.Settings[i].Name }))
	if n := len(c.Rules); n > 0 {
		lines = append(lines, fmt.Sprintf("Policy rules: %d", n))
	}
	if n := len(e.Themes); n > 0 {
		lines = append(lines, fmt.Sprintf("Themes: %d", n))
	}
	return append(lines, c.Problems...)
}

func names(n int, name func(i int) string) (list []string) {
	for i := range n {
		list = append(list, name(i))
	}
	return list
}
