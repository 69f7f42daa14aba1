// Package servers describes the MCP servers of a session as items of an inventory: their states, their tools,
// prompts and resources, and the actions on them.
package servers

import (
	"errors"

	"pollux/internal/face/tui/pane/inventory"
	manage "pollux/internal/manage/servers"
	"pollux/internal/mcp"
	"pollux/internal/terminal"
)

// List returns the servers with these states.
func List(all []mcp.Status) (l inventory.Listing) {
	for i := range all {
		l.Items = append(l.Items, item(&all[i]))
	}
	return l
}

func item(st *mcp.Status) inventory.Item {
	it := inventory.Item{Name: st.Config.Name, State: manage.StateName(st.State), IsChanging: st.State == mcp.Connecting}
	if counts := manage.CountOffer(st); counts != "" {
		it.State += ", " + counts
	}
	if st.Err != nil {
		it.State += ", error"
		it.About = append(it.About, "Error: "+terminal.Line(st.Err.Error()))
	}
	if st.SignIn != "" {
		it.About = append(it.About, "Sign-in: "+string(st.SignIn))
	}
	if st.Config.Extension != "" {
		it.About = append(it.About, "From the extension "+st.Config.Extension)
	}
	if st.Config.File != "" {
		it.About = append(it.About, "From "+st.Config.File)
	}
	if st.Config.Description != "" {
		it.About = append(it.About, st.Config.Description)
	}
	it.Actions = actions(st)
	for _, t := range st.Tools {
		it.Also += " " + t.Name
	}
	return it
}

// actions returns the actions on a server.
func actions(st *mcp.Status) (list []inventory.Action) {
	name := st.Config.Name
	run := func(label, command, flag string) inventory.Action {
		a := inventory.Run(label, command, name)
		a.Command += flag
		if st.State == mcp.Blocked {
			a.WhyNot = "the settings block this server"
		}
		return a
	}
	if st.State == mcp.Disabled {
		list = append(list, run("Enable", "/mcp enable", ""), run("Enable for this session", "/mcp enable", " --session"))
	} else {
		list = append(list, run("Disable", "/mcp disable", ""), run("Disable for this session", "/mcp disable", " --session"))
	}
	if st.SignIn != "" || errors.Is(st.Err, mcp.ErrUnauthorized) {
		a := run("Sign in", "/mcp auth", "")
		a.Leaves = true
		list = append(list, a)
	}
	for _, offer := range [...]struct {
		label string
		items []inventory.Item
	}{
		{"Show tools", tools(st)},
		{"Show prompts", named(st.Prompts)},
		{"Show resources", named(st.Resources)},
		{"Show resource templates", named(st.Templates)},
	} {
		if len(offer.items) > 0 {
			list = append(list, inventory.Action{Label: offer.label, Lists: offer.items})
		}
	}
	return append(list, inventory.Action{Label: "Reload all servers", Command: "/mcp reload"})
}

func tools(st *mcp.Status) (items []inventory.Item) {
	for _, t := range st.Tools {
		items = append(items, inventory.Item{Name: t.Name, About: []string{t.Description, "Arguments: " + string(t.Schema)}})
	}
	return items
}

func named(names []string) (items []inventory.Item) {
	for _, name := range names {
		items = append(items, inventory.Item{Name: name})
	}
	return items
}
