package slash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/mcp"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// maxListed is the number of resources that /mcp lists of a server.
const maxListed = 10

// mcpList lists the MCP servers and what they offer. filter, if not "", is a part of the names to list.
func mcpList(ctx context.Context, s *Runner, filter string) (Result, error) {
	return s.listServers(ctx, filter, nil)
}

// mcpDescribe lists the servers with the descriptions of their tools.
func mcpDescribe(ctx context.Context, s *Runner, filter string) (Result, error) {
	return s.listServers(ctx, filter, func(t mcp.ToolInfo) string { return t.Description })
}

// mcpSchema lists the servers with the schemas of their tools.
func mcpSchema(ctx context.Context, s *Runner, filter string) (Result, error) {
	return s.listServers(ctx, filter, func(t mcp.ToolInfo) string { return t.Description + "\nArguments: " + string(t.Schema) })
}

func (s *Runner) listServers(ctx context.Context, filter string, describe func(mcp.ToolInfo) string) (Result, error) {
	s.Session.Servers.Await(ctx)
	servers := s.Session.ServerStatus()
	switch {
	case !s.Session.Project.IsTrusted():
		return textResult("This folder is not trusted: Pollux starts no MCP servers here. See /permissions trust.")
	case len(servers) == 0:
		return textResult("No MCP servers configured. To add one, see /docs mcp.")
	}
	var b strings.Builder
	for _, st := range servers {
		if strings.Contains(strings.ToLower(st.Config.Name), strings.ToLower(filter)) {
			b.WriteString(serverText(st, describe))
		}
	}
	if b.Len() == 0 {
		return usageError("There is no MCP server with %q in its name.", terminal.Cut(filter, 40))
	}
	return Result{Text: strings.TrimRight(b.String(), "\n")}, nil
}

// stateNames are the states of servers for people.
var stateNames = map[mcp.State]string{
	mcp.Connected: "Ready", mcp.Connecting: "Starting... (first startup may take longer)", mcp.Disconnected: "Disconnected",
	mcp.Disabled: "Disabled", mcp.Blocked: "Blocked", mcp.Idle: "Idle, starts when it is used",
}

// serverText describes a server: a line, and a line for each thing that it offers.
func serverText(st mcp.Status, describe func(mcp.ToolInfo) string) string {
	var b strings.Builder
	name := terminal.Line(st.Config.Name)
	if st.Config.Extension != "" {
		name += " (from " + terminal.Line(st.Config.Extension) + ")"
	}
	fmt.Fprintf(&b, "%s - %s", name, stateNames[st.State])
	if counts := countOffer(st); counts != "" {
		fmt.Fprintf(&b, " (%s)", counts)
	}
	if st.SignIn != "" {
		fmt.Fprintf(&b, " (%s)", st.SignIn)
	}
	b.WriteString("\n")
	if st.Config.Description != "" && describe != nil {
		b.WriteString("  " + terminal.Line(st.Config.Description) + "\n")
	}
	if st.Err != nil {
		b.WriteString("  Error: " + terminal.Line(st.Err.Error()) + "\n")
	}
	section := func(title string, items []string) {
		if len(items) == 0 {
			return
		}
		b.WriteString("  " + title + ":\n")
		for _, item := range items {
			b.WriteString("  - " + item + "\n")
		}
	}
	var tools []string
	for _, t := range st.Tools {
		text := terminal.Line(t.Name)
		if describe != nil {
			for line := range strings.Lines(strings.TrimSpace(describe(t))) {
				text += "\n    " + terminal.Line(line)
			}
		}
		tools = append(tools, text)
	}
	section("Tools", tools)
	section("Prompts", clean(st.Prompts))
	resources := clean(st.Resources)
	if n := len(resources) - maxListed; n > 0 {
		resources = append(resources[:maxListed], fmt.Sprintf("... %s hidden", wording.Count(n, "resource")))
	}
	section("Resources", resources)
	section("Resource templates", clean(st.Templates))
	return b.String() + "\n"
}

func clean(names []string) []string {
	names = slices.Clone(names)
	for i := range names {
		names[i] = terminal.Line(names[i])
	}
	return names
}

// countOffer counts what a server offers, "" if it is nothing.
func countOffer(st mcp.Status) string {
	var counts []string
	for _, c := range []struct {
		n    int
		noun string
	}{{len(st.Tools), "tool"}, {len(st.Prompts), "prompt"}, {len(st.Resources), "resource"}, {len(st.Templates), "template"}} {
		if c.n > 0 {
			counts = append(counts, wording.Count(c.n, c.noun))
		}
	}
	return strings.Join(counts, ", ")
}

// mcpAuth signs in to a server, or lists those that want it.
func mcpAuth(ctx context.Context, s *Runner, args string) (Result, error) {
	name := unquoted(args)
	if name == "" {
		var names []string
		for _, st := range s.Session.ServerStatus() {
			if st.SignIn != "" || errors.Is(st.Err, mcp.ErrUnauthorized) {
				names = append(names, terminal.Line(st.Config.Name))
			}
		}
		if len(names) == 0 {
			return textResult("No MCP server asks for a sign-in.")
		}
		return textResult("Servers with a sign-in: %s. To sign in, type /mcp auth NAME.", strings.Join(names, ", "))
	}
	if s.Session.Servers.MCP() == nil {
		return usageError("There is no MCP server %q. /mcp lists the servers.", terminal.Cut(name, 40))
	}
	err := s.Session.Servers.MCP().Authorize(ctx, name, s.Session.Project.Options.Asker.Ask, func(text string) { s.Session.Project.Warn(terminal.Line(text)) })
	if err != nil {
		return Result{}, exit.Errorf(exit.General, "%w", err)
	}
	return textResult("Signed in to MCP server '%s'.", terminal.Line(name))
}

// mcpReload connects to all servers again, with the settings as they are now.
func mcpReload(ctx context.Context, s *Runner, _ string) (Result, error) {
	if err := s.Session.Servers.Reload(ctx); err != nil {
		return Result{}, err
	}
	return mcpList(ctx, s, "")
}

func mcpEnable(ctx context.Context, s *Runner, args string) (Result, error) {
	return s.switchServer(ctx, args, true)
}

func mcpDisable(ctx context.Context, s *Runner, args string) (Result, error) {
	return s.switchServer(ctx, args, false)
}

// switchServer enables or disables a server: for all sessions, or with --session for this one.
func (s *Runner) switchServer(ctx context.Context, args string, enabled bool) (Result, error) {
	verb := map[bool]string{true: "enable", false: "disable"}[enabled]
	name, forSession := cutSession(args)
	if name == "" {
		return usageError("Usage: /mcp %s <name> [--session]", verb)
	}
	servers := s.Session.ServerStatus()
	i := slices.IndexFunc(servers, func(st mcp.Status) bool { return strings.EqualFold(st.Config.Name, name) })
	if i < 0 {
		return usageError("There is no MCP server %q. /mcp lists the servers.", terminal.Cut(name, 40))
	}
	name = servers[i].Config.Name
	if err := s.Session.Servers.Switch(ctx, name, enabled, forSession); err != nil {
		return Result{}, exit.Errorf(exit.General, "%w", err)
	}
	text := fmt.Sprintf("MCP server '%s' %sd", terminal.Line(name), verb)
	return Result{Text: text + cmp.Or(map[bool]string{true: " for this session"}[forSession], "") + "."}, nil
}

// cutSession splits arguments into the name of a server and whether --session is before or after it.
func cutSession(args string) (name string, forSession bool) {
	const flag = "--session"
	name = strings.TrimSpace(args)
	if rest, found := strings.CutSuffix(name, flag); found && strings.TrimRight(rest, " \t") != rest || name == flag {
		name, forSession = rest, true
	} else if word, rest := cutWord(name); word == flag {
		name, forSession = rest, true
	}
	return unquoted(name), forSession
}

// unquoted returns a name, which may have spaces, without spaces and quotes around it.
func unquoted(name string) string {
	name = strings.TrimSpace(name)
	if n := len(name); n > 1 && name[0] == name[n-1] && strings.ContainsRune(`"'`, rune(name[0])) {
		return name[1 : n-1]
	}
	return name
}
