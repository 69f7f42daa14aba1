package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/face/plain"
	"pollux/internal/mcp"
	"pollux/internal/project"
	"pollux/internal/servers"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/tool"
)

// mcpCommand returns the subcommand that manages MCP servers.
func mcpCommand(t *terminal.Terminal, env *config.Env) *cobra.Command {
	c := &mcpActions{term: t, env: env}
	cmd := &cobra.Command{Use: "mcp", Short: "Add, remove and test MCP servers", Args: cobra.NoArgs, RunE: requireSubcommand}
	list := &cobra.Command{
		Use: "list", Short: "List servers and their states", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.list(cmd.Context()) },
	}
	list.Flags().BoolVar(&c.json, "json", false, "Print JSON")
	test := &cobra.Command{
		Use: "test <name>", Short: "Connect to a server and show what it offers", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, words []string) error { return c.test(cmd.Context(), words[0]) },
	}
	test.Flags().BoolVar(&c.json, "json", false, "Print JSON")
	remove := &cobra.Command{
		Use: "remove <name>", Short: "Remove a server from the settings", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, words []string) error { return c.remove(words[0]) },
	}
	remove.Flags().StringVarP(&c.scope, "scope", "s", "project", "Settings to change: `user` or project")
	auth := &cobra.Command{
		Use: "auth <name>", Short: "Sign in to a server, in a browser", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, words []string) error { return c.auth(cmd.Context(), words[0]) },
	}
	auth.Flags().BoolVar(&c.signOut, "sign-out", false, "Delete the stored sign-in")
	cmd.AddCommand(c.addCommand(), remove, list, test, auth, serveCommand(t, env))
	for _, one := range []*cobra.Command{test, remove, auth} {
		one.ValidArgsFunction = completeNames(t, env, 1, serverNames)
	}
	for _, verb := range []struct {
		name    string
		enabled bool
	}{{"enable", true}, {"disable", false}} {
		one := &cobra.Command{
			Use: verb.name + " <name>", Short: strings.ToUpper(verb.name[:1]) + verb.name[1:] + " a server in all projects", Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, words []string) error { return c.setEnabled(words[0], verb.enabled) },
		}
		one.ValidArgsFunction = completeNames(t, env, 1, serverNames)
		one.Flags().BoolVar(&c.session, "session", false, "For a session only: use /mcp "+verb.name+" there")
		cmd.AddCommand(one)
	}
	return cmd
}

// mcpActions holds the flags of the subcommands of mcp.
type mcpActions struct {
	term          *terminal.Terminal
	env           *config.Env
	scope         string
	json, session bool
	signOut       bool
}

// settingsScope returns the scope that --scope names, in a directory that has it.
func (c *mcpActions) settingsScope(setup *project.Project) (config.Scope, error) {
	switch c.scope {
	case "user":
		return config.User, nil
	case "", "project", "workspace":
	default:
		return 0, exit.Errorf(exit.Input, "There is no scope %q. Use user or project.", terminal.Cut(c.scope, 40))
	}
	if setup.Paths.AtHome() {
		return 0, exit.Errorf(exit.General, "Error: Please use --scope user to edit settings in the home directory.")
	}
	return config.Workspace, nil
}

// scopeName is what the messages call a scope.
func scopeName(scope config.Scope) string {
	if scope == config.User {
		return "user"
	}
	return "project"
}

func (c *mcpActions) remove(name string) error {
	setup, err := look(c.term, c.env)
	if err != nil {
		return err
	}
	scope, err := c.settingsScope(setup)
	if err != nil {
		return err
	}
	found, err := setup.Paths.UnsetServer(scope, name)
	switch {
	case err != nil:
		return err
	case !found:
		return printText(c.term, terminal.Brief(fmt.Sprintf("Server %q not found in %s settings.", name, scopeName(scope))))
	}
	return printText(c.term, terminal.Brief(fmt.Sprintf("Server %q removed from %s settings.", name, scopeName(scope))))
}

// setEnabled enables or disables a server in all projects.
func (c *mcpActions) setEnabled(name string, enabled bool) error {
	verb := map[bool]string{true: "enable", false: "disable"}[enabled]
	if c.session {
		return exit.Errorf(exit.Input, "--session is for a session. There, use /mcp %s %s --session.", verb, name)
	}
	setup, err := look(c.term, c.env)
	if err != nil {
		return err
	}
	server, err := findServer(servers.Configs(setup, setup.Settings()), name)
	if err != nil {
		return err
	}
	name = server.Name
	if err := setup.ServerSwitches().Set(name, enabled); err != nil {
		return err
	}
	if err := printText(c.term, terminal.Brief(fmt.Sprintf("✓ MCP server '%s' %sd.", name, verb))); err != nil {
		return err
	}
	if enabled && servers.SelectionOf(setup, setup.Settings()).State(name) == mcp.Blocked {
		printNote(c.term, "Note: mcp.allowed or mcp.excluded in the settings still blocks this server.")
	}
	return nil
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

// serverTimeout limits each request to a server that is listed, if its entry does not.
const serverTimeout = 5 * time.Second

// serverJSON is a server in JSON output.
type serverJSON struct {
	Name      string   `json:"name"`
	Target    string   `json:"target"`
	Extension string   `json:"extension,omitempty"`
	Status    string   `json:"status"`
	Error     string   `json:"error,omitempty"`
	Tools     []string `json:"tools,omitempty"`
	Prompts   []string `json:"prompts,omitempty"`
	Resources []string `json:"resources,omitempty"`
	Templates []string `json:"resourceTemplates,omitempty"`
}

func newServerJSON(st *mcp.Status) serverJSON {
	s := serverJSON{
		Name: st.Config.Name, Target: st.Config.Target(), Extension: st.Config.Extension, Status: string(st.State),
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

// states are the symbols and names of the states of servers.
var states = map[mcp.State]string{
	mcp.Connected: "✓ Connected", mcp.Disconnected: "✗ Disconnected", mcp.Connecting: "… Connecting", mcp.Blocked: "⛔ Blocked",
	mcp.Disabled: "○ Disabled", mcp.Idle: "◌ Idle",
}

// list prints a line for each server. It connects to those whose offer is not known from an earlier session.
func (c *mcpActions) list(ctx context.Context) error {
	setup, err := look(c.term, c.env)
	if err != nil {
		return err
	}
	configs := servers.Configs(setup, setup.Settings())
	if !setup.IsTrusted() {
		printNote(c.term, "Warning: This folder is not trusted: no MCP server is started here.")
	}
	statuses := connect(ctx, setup, configs, false)
	if c.json {
		list := []serverJSON{}
		for i := range statuses {
			list = append(list, newServerJSON(&statuses[i]))
		}
		return printJSON(c.term, list)
	}
	if len(statuses) == 0 {
		return printText(c.term, "No MCP servers configured.")
	}
	text := "Configured MCP servers:\n"
	for i := range statuses {
		st := &statuses[i]
		symbol, name, _ := strings.Cut(states[st.State], " ")
		from := ""
		if st.Config.Extension != "" {
			from = " (from " + st.Config.Extension + ")"
		}
		text += fmt.Sprintf("\n%s %s%s: %s - %s", symbol, terminal.Line(st.Config.Name), from, terminal.Line(st.Config.Target()), name)
	}
	if err := printText(c.term, text); err != nil {
		return err
	}
	for i := range statuses {
		if st := &statuses[i]; st.Err != nil {
			printNote(c.term, "Warning: "+terminal.Line(failure(st.Config.Name, st.Err)))
		}
	}
	return nil
}

// connect connects to servers, and returns their states, sorted by name. Unless isFresh is set, servers stay
// idle whose offer is known. In a folder that is not trusted, none is started.
func connect(ctx context.Context, setup *project.Project, configs []mcp.Config, isFresh bool) []mcp.Status {
	for i := range configs {
		configs[i].TimeoutMS = cmp.Or(configs[i].TimeoutMS, float64(serverTimeout.Milliseconds()))
	}
	o := servers.Options(setup, configs)
	o.Warn, o.Fresh = nil, isFresh
	if !setup.IsTrusted() {
		o.Off = func(string) mcp.State { return mcp.Disabled }
	}
	servers := mcp.New(o)
	defer servers.Close()
	servers.Start()
	servers.Settle(ctx)
	return servers.Status()
}

// failure says why a server cannot be used.
func failure(name string, err error) string {
	if errors.Is(err, mcp.ErrUnauthorized) {
		return err.Error() // names the server
	}
	return fmt.Sprintf("MCP server %q: %v.", name, strings.TrimSuffix(err.Error(), "."))
}

// test connects to a server and prints what it offers.
func (c *mcpActions) test(ctx context.Context, name string) error {
	setup, err := look(c.term, c.env)
	if err != nil {
		return err
	}
	server, err := findServer(servers.Configs(setup, setup.Settings()), name)
	if err != nil {
		return err
	}
	name = server.Name
	st := &connect(ctx, setup, []mcp.Config{server}, true)[0]
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case st.State != mcp.Connected:
		why := cmp.Or(st.Err, errors.New("it is "+string(st.State)))
		return exit.Errorf(exit.General, "%s", failure(name, why))
	case c.json:
		return printJSON(c.term, newServerJSON(st))
	}
	text := fmt.Sprintf("%s: %s\n%s", terminal.Line(name), terminal.Line(st.Config.Target()), "Connected")
	for _, part := range []struct {
		noun  string
		names []string
	}{{"tool", newServerJSON(st).Tools}, {"prompt", st.Prompts}, {"resource", st.Resources}, {"resource template", st.Templates}} {
		if len(part.names) > 0 {
			text += fmt.Sprintf("\n%s: %s", wording.Count(len(part.names), part.noun), terminal.Line(strings.Join(part.names, ", ")))
		}
	}
	return printText(c.term, text)
}

// auth signs in to a server, or signs out.
func (c *mcpActions) auth(ctx context.Context, name string) error {
	setup, err := look(c.term, c.env)
	if err != nil {
		return err
	}
	configs := servers.Configs(setup, setup.Settings())
	server, err := findServer(configs, name)
	if err != nil {
		return err
	}
	name = server.Name
	servers := mcp.New(servers.Options(setup, configs)) // none is started
	defer servers.Close()
	if c.signOut {
		if err := servers.SignOut(ctx, name); err != nil {
			return exit.Errorf(exit.General, "%w", err)
		}
		return printText(c.term, terminal.Brief(fmt.Sprintf("Signed out of MCP server %q.", name)))
	}
	return plain.RunTask(ctx, c.term, func(ctx context.Context, ask tool.Ask, show func(string)) (string, error) {
		if err := servers.Authorize(ctx, name, ask, show); err != nil {
			return "", exit.Errorf(exit.General, "%w", err)
		}
		return fmt.Sprintf("Signed in to MCP server %q.", name), nil
	})
}

// entryJSON returns an entry in the form in which settings are edited.
func entryJSON(entry any) (map[string]any, error) {
	raw, err := json.Marshal(entry)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	return fields, json.Unmarshal(raw, &fields)
}

// requireSubcommand is the error of a command that does nothing by itself.
func requireSubcommand(cmd *cobra.Command, _ []string) error {
	cmd.SetOut(cmd.ErrOrStderr())
	_ = cmd.Help() // to standard error
	return exit.Errorf(exit.General, "You need at least one command before continuing.")
}
