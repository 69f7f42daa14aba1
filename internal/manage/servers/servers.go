// Package servers manages MCP servers: it lists, tests, adds, removes and switches them, and signs in to them.
package servers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/mcp"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/servers"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/tool"
)

// Command returns the commands about MCP servers.
func Command() *manage.Command {
	scope := manage.Flag{Name: "scope", Short: "s", Default: "project", Usage: "`scope` Settings to change: user or project"}
	json := []manage.Flag{manage.JSON}
	return &manage.Command{
		Name: "mcp", Summary: "Add, remove and test MCP servers",
		Session: &manage.InSession{Args: "[name]", Summary: "Show and manage MCP servers", Run: listLive(nil)}, RunsWhileBusy: true,
		Subs: []*manage.Command{
			addCommand(scope),
			importCommand(),
			{Name: "remove", Args: "<name>", Summary: "Remove a server from the settings", Flags: []manage.Flag{scope}, Names: names, Run: manage.With(manage.Open, remove)},
			{
				Name: "list", Summary: "List servers and their states", Flags: json, Run: manage.With(manage.Open, list),
				Session: &manage.InSession{Aliases: []string{"ls", "nodesc", "nodescription"}, Args: "[name]", Summary: "List servers and what they offer", Run: listLive(nil)}, RunsWhileBusy: true,
			},
			{
				Name: "desc", Aliases: []string{"description"}, Args: "[name]", Summary: "List servers with the descriptions of their tools",
				IsSessionOnly: true, RunsWhileBusy: true, Run: listLive(func(t mcp.ToolInfo) string { return t.Description }),
			},
			{
				Name: "schema", Args: "[name]", Summary: "List servers with the arguments of their tools",
				IsSessionOnly: true, RunsWhileBusy: true,
				Run: listLive(func(t mcp.ToolInfo) string { return t.Description + "\nArguments: " + string(t.Schema) }),
			},
			{Name: "test", Args: "<name>", Summary: "Connect to a server and show what it offers", Flags: json, Names: names, Run: manage.With(find, test)},
			{
				Name: "auth", Args: "<name>", Summary: "Sign in to a server, in a browser", Names: names, Run: manage.With(find, signIn),
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

func switchCommand(verb, summary string, enabled bool) *manage.Command {
	return &manage.Command{
		Name: verb, Args: "<name>", Summary: summary + " in all projects", Names: names, Run: setEnabled(verb, enabled),
		Flags:   []manage.Flag{{Name: "session", Default: false, Usage: "For a session only: use /mcp " + verb + " there"}},
		Session: &manage.InSession{Args: "<name> [--session]", Summary: summary, Run: setEnabledLive(verb, enabled)},
	}
}

func names(_ context.Context, p *project.Project) (names []string) {
	for _, s := range servers.Configs(p, p.Settings()) {
		names = append(names, s.Name)
	}
	return names
}

// settingsScope returns the scope with a name, in a directory that has it.
func settingsScope(p *project.Project, name string) (config.Scope, error) {
	switch name {
	case "user":
		return config.User, nil
	case "", "project", "workspace":
	default:
		return 0, exit.Errorf(exit.Input, "There is no scope %q. Use user or project.", terminal.Cut(name, 40))
	}
	if p.Paths.AtHome() {
		return 0, exit.Errorf(exit.General, "Error: Please use --scope user to edit settings in the home directory.")
	}
	return config.Workspace, nil
}

// scopeName is the name of a scope in messages.
func scopeName(scope config.Scope) string {
	if scope == config.User {
		return "user"
	}
	return "project"
}

func remove(_ context.Context, c *manage.Call, p *project.Project) (o outcome.Outcome, err error) {
	scope, err := settingsScope(p, c.Value("scope"))
	if err != nil {
		return o, err
	}
	found, err := p.Paths.UnsetServer(scope, c.Name())
	switch {
	case err != nil:
		return o, err
	case !found && scope == config.Workspace && p.Settings().OtherServerFile(c.Name()) != "":
		return o, exit.Errorf(exit.Input, "The server is in %s, a file of another agent, which Pollux does not change. To disable the server, run: pollux mcp disable %s",
			p.Settings().OtherServerFile(c.Name()), terminal.Cut(terminal.Line(c.Name()), 40))
	case !found:
		return brief("Server %q not found in %s settings.", c.Name(), scopeName(scope)), nil
	}
	return brief("Server %q removed from %s settings.", c.Name(), scopeName(scope)), nil
}

// brief returns an outcome in a length that people read.
func brief(format string, args ...any) outcome.Outcome {
	return outcome.New(outcome.Text(terminal.Brief(fmt.Sprintf(format, args...))))
}

// found is the server that a call names, among those of a project.
type found struct {
	mcp.Config
	project *project.Project
	all     []mcp.Config
}

func find(ctx context.Context, c *manage.Call) (found, error) {
	p, err := c.Open(ctx)
	if err != nil {
		return found{}, err
	}
	configs := servers.Configs(p, p.Settings())
	server, err := findServer(configs, c.Name())
	return found{server, p, configs}, err
}

// setEnabled returns the command that enables or disables a server in all projects.
func setEnabled(verb string, enabled bool) manage.Run {
	return func(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
		if c.Is("session") {
			return o, exit.Errorf(exit.Input, "--session is for a session. There, use /mcp %s %s --session.", verb, c.Name())
		}
		server, err := find(ctx, c)
		if err != nil {
			return o, err
		}
		p := server.project
		if err := p.ServerSwitches().Set(server.Name, enabled); err != nil {
			return o, err
		}
		o = brief("✓ MCP server '%s' %sd.", server.Name, verb)
		if enabled && servers.SelectionOf(p, p.Settings()).State(server.Name) == mcp.Blocked {
			o.Notes = []string{"Note: mcp.allowed or mcp.excluded in the settings still blocks this server."}
		}
		if enabled && server.Disabled {
			o.Notes = append(o.Notes, "Note: The entry of this server still has disabled: true. To use the server, remove that.")
		}
		return o, nil
	}
}

// findServer returns the server with a name, or with one that differs only in upper and lower case.
func findServer(configs []mcp.Config, name string) (mcp.Config, error) {
	for _, isSame := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		if i := slices.IndexFunc(configs, func(s mcp.Config) bool { return isSame(s.Name, name) }); i >= 0 {
			return configs[i], nil
		}
	}
	return mcp.Config{}, exit.Errorf(exit.General, "There is no MCP server %q. 'pollux mcp list' lists the servers.", terminal.Cut(name, 40))
}

// Server is a row of the list of servers.
type Server struct {
	Name      string   `json:"name"`
	Target    string   `json:"target"`
	Extension string   `json:"extension,omitempty"`
	File      string   `json:"file,omitempty"` // of another agent
	Status    string   `json:"status"`
	Error     string   `json:"error,omitempty"`
	Tools     []string `json:"tools,omitempty"`
	Prompts   []string `json:"prompts,omitempty"`
	Resources []string `json:"resources,omitempty"`
	Templates []string `json:"resourceTemplates,omitempty"`
}

func newServer(st *mcp.Status) Server {
	s := Server{
		Name: st.Config.Name, Target: st.Config.Target(), Extension: st.Config.Extension, File: st.Config.File, Status: string(st.State),
		Prompts: st.Prompts, Resources: st.Resources, Templates: st.Templates,
	}
	for _, t := range st.Tools {
		s.Tools = append(s.Tools, t.Name)
	}
	if st.Err != nil {
		s.Error = st.Err.Error()
	}
	return s
}

// stateSign returns the symbol and the name of the state of a server.
func stateSign(s mcp.State) string {
	switch s {
	case mcp.Connected:
		return "✓ Connected"
	case mcp.Disconnected:
		return "✗ Disconnected"
	case mcp.Connecting:
		return "… Connecting"
	case mcp.Blocked:
		return "⛔ Blocked"
	case mcp.Disabled:
		return "○ Disabled"
	case mcp.Idle:
		return "◌ Idle"
	}
	return ""
}

// list lists the servers. It connects to those whose offer is not known from an earlier session.
func list(ctx context.Context, c *manage.Call, p *project.Project) (outcome.Outcome, error) {
	configs := servers.Configs(p, p.Settings())
	if !p.IsTrusted() {
		c.Note("Warning: This folder is not trusted: no MCP server is started here.")
	}
	rows, text := []Server{}, "Configured MCP servers:\n"
	var notes []string
	for _, st := range connect(ctx, p, configs, false) {
		rows = append(rows, newServer(&st))
		symbol, name, _ := strings.Cut(stateSign(st.State), " ")
		from := ""
		if name := st.Config.From(); name != "" {
			from = " (from " + name + ")"
		}
		text += fmt.Sprintf("\n%s %s%s: %s - %s", symbol, terminal.Line(st.Config.Name), from, terminal.Line(st.Config.Target()), name)
		if st.Err != nil && !c.Is("json") { // which has the error
			notes = append(notes, "Warning: "+terminal.Line(failure(st.Config.Name, st.Err)))
		}
	}
	if len(rows) == 0 {
		text = "No MCP servers configured."
	}
	return outcome.Outcome{Parts: []outcome.Part{outcome.Text(text)}, Notes: notes, Value: rows}, nil
}

// patience is how long lists and tests wait for servers where the setting does not say how long.
const patience = time.Minute

// connect connects to servers, and returns their states, sorted by name. It waits as long as a session does, for each
// of them and in all. Unless isFresh is set, servers stay idle whose offer is known. In a folder that is not trusted,
// none is started.
func connect(ctx context.Context, p *project.Project, configs []mcp.Config, isFresh bool) []mcp.Status {
	limit := servers.WaitLimit(p)
	if limit <= 0 {
		limit = patience
	}
	for i := range configs {
		configs[i].TimeoutMS = cmp.Or(configs[i].TimeoutMS, float64(limit.Milliseconds()))
	}
	o := servers.Options(p, configs)
	o.Warn, o.Fresh = nil, isFresh
	if !p.IsTrusted() {
		o.Off = func(string) mcp.State { return mcp.Disabled }
	}
	connections := mcp.New(o)
	defer connections.Close()
	connections.Start()
	late := servers.Wait(ctx, p, connections, limit)
	status := connections.Status()
	for i := range status {
		if slices.Contains(late, status[i].Config.Name) {
			status[i].Err = fmt.Errorf("it did not answer within %v", limit)
		}
	}
	return status
}

// failure says why a server cannot be used.
func failure(name string, err error) string {
	if errors.Is(err, mcp.ErrUnauthorized) {
		return err.Error() // names the server
	}
	return fmt.Sprintf("MCP server %q: %v.", name, strings.TrimSuffix(err.Error(), "."))
}

// test connects to a server and describes its tools, prompts and resources.
func test(ctx context.Context, _ *manage.Call, server found) (o outcome.Outcome, err error) {
	if !server.project.IsTrusted() {
		return o, exit.Errorf(exit.General, "This folder is not trusted: Pollux starts no MCP servers here. To trust it, type /permissions trust in a session.")
	}
	st := &connect(ctx, server.project, []mcp.Config{server.Config}, true)[0]
	switch {
	case ctx.Err() != nil:
		return o, context.Cause(ctx)
	case st.State != mcp.Connected:
		why := cmp.Or(st.Err, errors.New("it is "+string(st.State)))
		return o, exit.Errorf(exit.General, "%s", failure(server.Name, why))
	}
	row := newServer(st)
	text := fmt.Sprintf("%s: %s\nConnected", terminal.Line(row.Name), terminal.Line(row.Target))
	for _, part := range []struct {
		noun  string
		names []string
	}{{"tool", row.Tools}, {"prompt", row.Prompts}, {"resource", row.Resources}, {"resource template", row.Templates}} {
		if len(part.names) > 0 {
			text += fmt.Sprintf("\n%s: %s", wording.Count(len(part.names), part.noun), terminal.Line(strings.Join(part.names, ", ")))
		}
	}
	return outcome.New(outcome.Text(text)).WithValue(row), nil
}

func signIn(ctx context.Context, c *manage.Call, server found) (o outcome.Outcome, err error) {
	connections := mcp.New(servers.Options(server.project, server.all)) // none is started
	defer connections.Close()
	if c.Is("sign-out") {
		if err := connections.SignOut(ctx, server.Name); err != nil {
			return o, exit.Errorf(exit.General, "%w", err)
		}
		return brief("Signed out of MCP server %q.", server.Name), nil
	}
	return c.Ask(ctx, func(ctx context.Context, ask tool.Ask, show func(string)) (string, error) {
		if err := connections.Authorize(ctx, server.Name, ask, show); err != nil {
			return "", exit.Errorf(exit.General, "%w", err)
		}
		return fmt.Sprintf("Signed in to MCP server %q.", server.Name), nil
	})
}
