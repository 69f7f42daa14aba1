// Package imports copies the set-up of a person or a project in another agent: servers, providers, permissions, hooks, commands, subagents,
// instructions and settings.
//
//   - agents.go has the agents, their files, and the reasons not to copy others.
//   - texts.go copies commands, subagents and instructions, which are files of text.
//   - settings.go copies settings that mean the same, and reports the others.
//   - found.go lists the agents that a person or a project uses.
package imports

import (
	"context"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/manage/hooks"
	"pollux/internal/manage/models"
	"pollux/internal/manage/policy"
	"pollux/internal/manage/servers"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/transfer"
)

// Command returns the command that imports from other agents.
func Command() *manage.Command {
	return &manage.Command{
		Name: "import", Summary: "Copy your set-up from another agent", Run: manage.With(manage.Open, run),
		Details: "Copies servers, providers, permissions, hooks, commands and subagents of another agent. Without --from, lists the agents that you use.\n" +
			"Copies no keys, replaces nothing, and names each thing that it leaves out, with the reason.",
		Example: "  pollux import                          # list the agents that you and this project use\n" +
			"  pollux import --from claude            # show the copies, and write nothing\n" +
			"  pollux import --from claude --apply",
		Flags: []manage.Flag{
			{Name: "from", Default: "", Usage: "`agent` Agent to import from", Choices: names()},
			{Name: "scope", Short: "s", Default: "user", Usage: "`scope` Set-up to copy, your own or that of the project", Choices: []string{"user", "project"}},
			{Name: "apply", Default: false, Usage: "Write the copies"},
			{Name: "output-format", Short: "o", Default: "text", Usage: "`format` Format of the report", Choices: []string{"text", "json"}},
			manage.JSON,
		},
	}
}

// names returns the names of the agents.
func names() (list []string) {
	for _, a := range agents() {
		list = append(list, a.name)
	}
	return list
}

func run(_ context.Context, c *manage.Call, p *project.Project) (o outcome.Outcome, err error) {
	i := slices.Index(names(), c.Value("from"))
	switch {
	case i >= 0:
	case c.Is("apply"):
		return o, exit.Errorf(exit.Input, "Name the agent to import from: pollux import --from %s --apply", strings.Join(names(), "|"))
	default:
		return list(p), nil
	}
	a, scope := agents()[i], config.User
	if c.Value("scope") == "project" {
		scope = config.Workspace
		switch {
		case p.Paths.AtHome():
			return o, exit.Errorf(exit.Input, "The home directory is no project. To import your own set-up, leave out --scope.")
		case !p.IsTrusted():
			return o, exit.Errorf(exit.Untrusted, "This folder is not trusted: Pollux changes no settings here. To trust it, start pollux here.")
		}
	}
	parts, err := a.parts(p, scope)
	switch {
	case err != nil:
		return o, err
	case len(parts) == 0:
		return o, exit.Errorf(exit.Input, "There is nothing of %s to import. To list the agents that you and this project use, run: pollux import", a.title)
	}
	r := transfer.Report{Agent: a.name, Scope: c.Value("scope"), Parts: parts, HowToApply: "add --apply"}
	if c.Is("apply") {
		err = r.Apply()
	}
	return r.Outcome(p.DisplayFile), err
}

// place returns the directory that has the files of a scope.
func place(p *project.Project, scope config.Scope) transfer.Place {
	if scope == config.User {
		return transfer.Place{Dir: p.Paths.Home()}
	}
	return transfer.Place{Dir: p.Paths.Dir(), IsProject: true}
}

// in returns the agent's files in a scope.
func (a *agent) in(scope config.Scope) *files {
	if scope == config.User {
		return &a.user
	}
	return &a.project
}

// parts returns all that an import from the agent would copy or leave out.
func (a *agent) parts(p *project.Project, scope config.Scope) (list []*transfer.Part, err error) {
	for _, read := range []func(*project.Project, string, config.Scope) (*transfer.Part, error){servers.Import, models.Import, policy.Import, hooks.Import} {
		part, err := read(p, a.name, scope)
		if err != nil {
			return nil, err
		}
		list = append(list, part)
	}
	settings, err := a.settings(p, scope)
	if err != nil {
		return nil, err
	}
	list = append(list, a.commands(p, scope), a.subagents(p, scope), a.instructions(p, scope), inPlace(p.Settings(), place(p, scope), a.in(scope)), settings)
	return slices.DeleteFunc(list, func(part *transfer.Part) bool { return len(part.Items) == 0 && len(part.Notes) == 0 }), nil
}

// inPlace reports the files that Pollux reads as they are, unless the settings switch that off.
func inPlace(s *config.Settings, at transfer.Place, f *files) *transfer.Part {
	part := &transfer.Part{Kind: "shared file"}
	for _, name := range f.inPlace {
		if !at.Has(name) {
			continue
		}
		item := part.Add(transfer.New(name))
		item.Keep()
		item.Notes = []string{"Pollux reads it as it is"}
		switch key := switchOf(name); {
		case !key.In(s):
			item.Leave("%s switches it off", string(key))
		case name == "CLAUDE.md" && (at.Has("GEMINI.md") || at.Has("AGENTS.md")):
			item.Leave("Pollux reads GEMINI.md and AGENTS.md, which are here")
		}
	}
	return part
}

// switchOf returns the setting that switches off a file that Pollux reads in place.
func switchOf(name string) config.Bool {
	switch name {
	case ".mcp.json", ".agents/mcp_config.json":
		return config.ForeignServers
	case "AGENTS.md", "CLAUDE.md":
		return config.ForeignContext
	case ".claude/skills":
		return config.ForeignSkills
	}
	return config.SkillsEnabled
}
