package servers

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"pollux/internal/config"
	"pollux/internal/mcp"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/terminal"
	"pollux/internal/workspace"
	"pollux/tool"

	"mvdan.cc/sh/v3/shell"
)

// commandServer is the name of the server that mcp.serverCommand starts.
const commandServer = "mcp"

// Configs returns the MCP servers of the program, the settings and extensions, whether the folder is trusted or not, and warns of
// entries that cannot be used.
func Configs(p *project.Project, settings *config.Settings) []mcp.Config {
	var list []mcp.Config
	ofExtensions := findExtensionServers(p)
	for _, entry := range config.MCPServers.In(settings, p.Env()) {
		if len(entry.Withheld) > 0 {
			p.Warn(terminal.Line(fmt.Sprintf("Warning: %s names $%s. The %s of a project do not get variables with secrets. Move the server to your own settings.",
				place(entry), strings.Join(entry.Withheld, ", $"), map[bool]string{true: "settings", false: "MCP servers"}[entry.File == ""])))
		}
		for _, key := range mcp.Unused(entry.Entry) {
			p.Warn(fmt.Sprintf("Warning: mcpServers.%s.%s has no effect in Pollux.", entry.Name, key))
		}
		c, err := ofExtensions.override(entry)
		if err != nil {
			p.Warn(fmt.Sprintf("Warning: Ignoring MCP server %q: %v.", entry.Name, err))
			continue
		}
		c.IsProject, c.File = entry.Scope == config.Workspace, entry.File
		list = append(list, c)
	}
	list = append(list, ofExtensions.configs(p.Warn)...)
	if c, err := serverCommand(p, settings); err != nil {
		p.Warn(fmt.Sprintf("Warning: %v.", err))
	} else if c != nil {
		list = slices.DeleteFunc(list, func(other mcp.Config) bool { return other.Name == commandServer })
		list = append(list, *c)
	}
	for _, c := range p.Options.Host.Servers {
		list = slices.DeleteFunc(list, func(other mcp.Config) bool { return other.Name == c.Name })
	}
	return append(list, p.Options.Host.Servers...)
}

// place returns the place of an entry for messages.
func place(entry config.ServerEntry) string {
	if entry.File != "" {
		return "the server " + entry.Name + " in " + entry.File
	}
	return string(config.MCPServers) + "." + entry.Name
}

// serverCommand returns the server of the setting mcp.serverCommand, nil if it is not set.
func serverCommand(p *project.Project, settings *config.Settings) (*mcp.Config, error) {
	command := strings.TrimSpace(config.MCPCommand.In(settings))
	if command == "" {
		return nil, nil
	}
	get := p.Env().Get
	_, ofProject := settings.ForScope(config.Workspace).Lookup(string(config.MCPCommand))
	if ofProject {
		get = p.OpenVariable
	}
	words, err := shell.Fields(command, get)
	if err != nil || len(words) == 0 || strings.ContainsAny(command, "|&;<>()") {
		return nil, fmt.Errorf("failed to parse mcpServerCommand: %s", terminal.Cut(command, 200))
	}
	return &mcp.Config{Name: commandServer, Command: words[0], Args: words[1:], IsProject: ofProject}, nil
}

// SelectionOf returns which of the servers of the settings may be used.
func SelectionOf(p *project.Project, settings *config.Settings) *mcp.Selection {
	s := &mcp.Selection{Allowed: config.MCPAllowed.In(settings), Excluded: config.MCPExcluded.In(settings)}
	_, s.OnlyAllowed = p.Options.Flags[string(config.MCPAllowed)] // a flag without a name allows none
	for scope := config.SystemDefaults; scope < config.CommandLine && !s.OnlyAllowed; scope++ {
		s.OnlyAllowed = len(config.MCPAllowed.In(settings.ForScope(scope))) > 0 // lists without a common name allow none
	}
	var err error
	if s.Disabled, err = p.ServerSwitches().Disabled(); err != nil {
		p.Warn(fmt.Sprintf("Warning: Cannot read which MCP servers are disabled: %v.", err))
	}
	return s
}

// Options returns the options for servers outside of a session: each is started, and their tools join a
// registry of their own.
func Options(p *project.Project, configs []mcp.Config) mcp.Options {
	environ := sync.OnceValue(p.ServerEnviron)
	return mcp.Options{
		OfferDir:  offerDir(p),
		Configs:   configs,
		Off:       SelectionOf(p, p.Settings()).State,
		Registry:  tool.NewRegistry(),
		Launcher:  p.Launcher,
		Dir:       p.Paths.Dir(),
		Environ:   func(origin process.Origin) []string { return project.WithOwn(p, environ(), origin) },
		Path:      p.Env().User().Get("PATH"),
		Transport: p.ServerTransport,
		OAuth:     p.SignInOptions(),
		Roots:     func() []string { return []string{p.Paths.Dir()} },
		Version:   p.Options.Version,
		UserAgent: project.ServiceAgent(p),
		Warn:      func(text string) { p.Warn("Warning: " + terminal.Line(text)) },
		Notify:    func(text string) { p.Warn(terminal.Line(text)) },
		Log:       p.Log,
	}
}

// offerDir returns the directory in which offers of servers are kept, "" for none. It is none of the project's,
// where file tools could write.
func offerDir(p *project.Project) string {
	dir := workspace.RealPath(filepath.Join(p.Paths.RuntimeDir(), "pollux", "mcp-offers"))
	if !config.MCPLazy.In(p.Settings()) || !p.HasHome() || workspace.IsWithin(dir, workspace.RealPath(p.Paths.Dir())) {
		return ""
	}
	return dir
}
