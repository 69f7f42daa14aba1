// Package servers manages MCP servers: it lists, tests, adds, removes and switches them, and signs in to them.
package servers

import "pollux/internal/manage"

// Command returns the commands about MCP servers.
func Command() *manage.Command {
	scope := manage.Flag{Name: "scope", Short: "s", Default: "project", Usage: "Settings to change: `user` or project"}
	json := []manage.Flag{manage.JSON}
	return &manage.Command{
		Name: "mcp", Summary: "Add, remove and test MCP servers",
		Session: &manage.InSession{Args: "[name]", Summary: "Show and manage MCP servers", Run: listLive(nil)}, RunsWhileBusy: true,
		Subs: []*manage.Command{
			addCommand(scope),
			{Name: "remove", Args: "<name>", Summary: "Remove a server from the settings", Flags: []manage.Flag{scope}, Names: names, Run: remove},
			{
				Name: "list", Summary: "List servers and their states", Flags: json, Run: list,
				Session: &manage.InSession{Aliases: []string{"ls", "nodesc", "nodescription"}, Args: "[name]", Summary: "List servers and what they offer", Run: listLive(nil)}, RunsWhileBusy: true,
			},
			{
				Name: "desc", Aliases: []string{"description"}, Args: "[name]", Summary: "List servers with the descriptions of their tools",
				IsSessionOnly: true, RunsWhileBusy: true, Run: listLive(toolDescription),
			},
			{
				Name: "schema", Args: "[name]", Summary: "List servers with the arguments of their tools",
				IsSessionOnly: true, RunsWhileBusy: true, Run: listLive(toolSchema),
			},
			{Name: "test", Args: "<name>", Summary: "Connect to a server and show what it offers", Flags: json, Names: names, Run: test},
			{
				Name: "auth", Args: "<name>", Summary: "Sign in to a server, in a browser", Names: names, Run: signIn,
				Flags:   []manage.Flag{{Name: "sign-out", Default: false, Usage: "Delete the stored sign-in"}},
				Session: &manage.InSession{Args: "[name]", Summary: "Sign in to a server", Run: signInLive}, NeedsPerson: true, Instead: "In a terminal, run: pollux mcp auth NAME",
			},
			{
				Name: "reload", Aliases: []string{"refresh"}, Summary: "Connect to the servers again, with the settings as they are now",
				IsSessionOnly: true, Run: reload,
			},
			switchCommand("enable", "Enable a server", true),
			switchCommand("disable", "Disable a server", false),
		},
	}
}

// switchCommand returns the command that enables or disables servers.
func switchCommand(verb, summary string, enabled bool) *manage.Command {
	return &manage.Command{
		Name: verb, Args: "<name>", Summary: summary + " in all projects", Names: names, Run: setEnabled(verb, enabled),
		Flags:   []manage.Flag{{Name: "session", Default: false, Usage: "For a session only: use /mcp " + verb + " there"}},
		Session: &manage.InSession{Args: "<name> [--session]", Summary: summary, Run: setEnabledLive(verb, enabled)},
	}
}
