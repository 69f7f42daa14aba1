package servers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/mcp"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/tool"
)

// maxListed is the number of resources that /mcp lists of a server.
const maxListed = 10

// listLive returns the command that lists the servers of a session and their offers. describe, if not nil,
// describes a tool. The argument is a part of the names to list.
func listLive(describe func(mcp.ToolInfo) string) manage.Run {
	return func(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
		c.Live.Servers.Await(ctx)
		servers := c.Live.ServerStatus()
		switch {
		case !c.Live.Project.IsTrusted():
			return outcome.Textf("This folder is not trusted: Pollux starts no MCP servers here. See /permissions trust."), nil
		case len(servers) == 0:
			return outcome.Textf("No MCP servers configured. To add one, see /docs mcp."), nil
		}
		var b strings.Builder
		for _, st := range servers {
			if strings.Contains(strings.ToLower(st.Config.Name), strings.ToLower(c.Text)) {
				b.WriteString(serverText(st, describe))
			}
		}
		if b.Len() == 0 {
			return outcome.Outcome{}, exit.Errorf(exit.Input, "There is no MCP server with %q in its name.", terminal.Cut(c.Text, 40))
		}
		return outcome.New(outcome.Text(strings.TrimRight(b.String(), "\n"))), nil
	}
}

// StateName returns the state of a server for people.
func StateName(s mcp.State) string {
	switch s {
	case mcp.Connected:
		return "Ready"
	case mcp.Connecting:
		return "Starting... (first startup may take longer)"
	case mcp.Disconnected:
		return "Disconnected"
	case mcp.Disabled:
		return "Disabled"
	case mcp.Blocked:
		return "Blocked"
	case mcp.Idle:
		return "Idle, starts when it is used"
	}
	return ""
}

// serverText describes a server: a line, and a line for each thing that it offers.
func serverText(st mcp.Status, describe func(mcp.ToolInfo) string) string {
	var b strings.Builder
	name := terminal.Line(st.Config.Name)
	if from := st.Config.From(); from != "" {
		name += " (from " + terminal.Line(from) + ")"
	}
	fmt.Fprintf(&b, "%s - %s", name, StateName(st.State))
	if counts := CountOffer(&st); counts != "" {
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

// CountOffer counts the tools, prompts, resources and templates of a server, "" if it has none.
func CountOffer(st *mcp.Status) string {
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

// signInLive signs in to a server of a session, or lists those that want it.
func signInLive(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	name := unquoted(c.Text)
	if name == "" {
		var names []string
		for _, st := range c.Live.ServerStatus() {
			if st.SignIn != "" || errors.Is(st.Err, mcp.ErrUnauthorized) {
				names = append(names, terminal.Line(st.Config.Name))
			}
		}
		if len(names) == 0 {
			return outcome.Textf("No MCP server asks for a sign-in."), nil
		}
		return outcome.Textf("Servers with a sign-in: %s. To sign in, type /mcp auth NAME.", strings.Join(names, ", ")), nil
	}
	if c.Live.Servers.MCP() == nil {
		return o, unknown(name)
	}
	return c.Ask(ctx, func(ctx context.Context, ask tool.Ask, show func(string)) (string, error) {
		if err := c.Live.Servers.MCP().Authorize(ctx, name, ask, show); err != nil {
			return "", exit.Errorf(exit.General, "%w", err)
		}
		return fmt.Sprintf("Signed in to MCP server '%s'.", terminal.Line(name)), nil
	})
}

// unknown returns the error for a name that no server of the session has.
func unknown(name string) error {
	return exit.Errorf(exit.Input, "There is no MCP server %q. /mcp lists the servers.", terminal.Cut(name, 40))
}

func reload(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	if err := c.Live.Servers.Reload(ctx); err != nil {
		return outcome.Outcome{}, err
	}
	return listLive(nil)(ctx, c)
}

// setEnabledLive returns the command that switches a server: for all sessions, or with --session for this one.
func setEnabledLive(verb string, enabled bool) manage.Run {
	return func(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
		name, forSession := cutSession(c.Text)
		if name == "" {
			return o, manage.Usage("/mcp " + verb + " <name> [--session]")
		}
		servers := c.Live.ServerStatus()
		i := slices.IndexFunc(servers, func(st mcp.Status) bool { return strings.EqualFold(st.Config.Name, name) })
		if i < 0 {
			return o, unknown(name)
		}
		name = servers[i].Config.Name
		if err := c.Live.Servers.Switch(ctx, name, enabled, forSession); err != nil {
			return o, exit.Errorf(exit.General, "%w", err)
		}
		span := map[bool]string{true: " for this session"}[forSession]
		if enabled && servers[i].Config.Disabled && !forSession {
			return outcome.Textf("MCP server '%s' enabled for this session. Its entry still has disabled: true, which the next session obeys.", terminal.Line(name)), nil
		}
		return outcome.Textf("MCP server '%s' %sd%s.", terminal.Line(name), verb, span), nil
	}
}

// cutSession splits arguments into the name of a server and whether --session is before or after it.
func cutSession(args string) (name string, forSession bool) {
	const flag = "--session"
	name = strings.TrimSpace(args)
	if rest, found := strings.CutSuffix(name, flag); found && strings.TrimRight(rest, " \t") != rest || name == flag {
		name, forSession = rest, true
	} else if rest, found := strings.CutPrefix(name, flag); found && strings.TrimLeft(rest, " \t\r\n") != rest {
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
