package servers

import (
	"context"
	"maps"
	"slices"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/mcp/foreign"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/transfer"
)

// importCommand returns the command that copies the servers of another agent.
func importCommand() *manage.Command {
	return &manage.Command{
		Name: "import", Summary: "Copy your servers from another agent", Run: manage.With(manage.Open, importServers),
		Example: "  pollux mcp import                   # show the servers, and write nothing\n  pollux mcp import --from antigravity --apply",
		Flags: []manage.Flag{
			{Name: "from", Default: "claude", Usage: "`agent` Agent to copy from", Choices: []string{"claude", "antigravity", "codex", "opencode", "cursor", "qwen", "crush"}},
			{Name: "apply", Default: false, Usage: "Write the servers"},
			manage.JSON,
		},
	}
}

func importServers(_ context.Context, c *manage.Call, p *project.Project) (o outcome.Outcome, err error) {
	name := c.Value("from")
	part, err := Import(p, name, config.User)
	place := transfer.Place{Dir: p.Paths.Home()}
	switch {
	case err != nil:
		return o, err
	case part.Files == nil:
		return o, exit.Errorf(exit.Input, "There is no %s.", p.DisplayFile(place.Path(foreign.Agents(name).User[0])))
	case len(part.Items) == 0:
		return o, exit.Errorf(exit.Input, "There are no servers in %s.", p.DisplayFile(part.Files[0]))
	}
	r := transfer.Report{Agent: name, Scope: "user", Parts: []*transfer.Part{part}, HowToApply: "add --apply"}
	if c.Is("apply") {
		err = r.Apply()
	}
	return r.Outcome(p.DisplayFile), err
}

// Import returns the servers that an agent has in a scope, and that Pollux does not read in place. The part has no files if there are none.
func Import(p *project.Project, name string, scope config.Scope) (*transfer.Part, error) {
	part := &transfer.Part{Kind: "server", Target: p.Paths.File(scope), Settings: p.Paths.File(scope), Next: "To try one, run: pollux mcp test NAME"}
	from := foreign.Agents(name)
	if from == nil {
		return part, nil
	}
	place, names := transfer.Place{Dir: p.Paths.Home()}, from.User
	if scope == config.Workspace {
		place, names = transfer.Place{Dir: p.Paths.Dir(), IsProject: true}, from.Project
	}
	files, err := place.Objects(names...)
	if err != nil || files == nil {
		return part, err
	}
	there, err := transfer.Member(p.Paths.File(scope), string(config.MCPServers))
	if err != nil {
		return part, err
	}
	if there == nil {
		there = map[string]any{}
	}
	part.Files = transfer.Paths(files)
	var list []*foreign.Server
	for _, f := range files {
		servers, _ := f.Object[from.Key].(map[string]any)
		list = append(list, from.Servers(servers, there)...)
		for _, r := range list { // of two files with the same server, the first has it
			if r.Entry != nil {
				there[r.Name] = r.Entry
			}
		}
		if name == "claude" {
			list = append(list, ofProjects(p, f.Object)...)
		}
	}
	for _, r := range list {
		part.Add(r.Item)
	}
	part.Write = func() error { return writeServers(p, scope, list) }
	return part, nil
}

// writeServers adds servers to the settings of a scope.
func writeServers(p *project.Project, scope config.Scope, list []*foreign.Server) error {
	for _, r := range list {
		if !r.IsWritten() || r.Entry == nil {
			continue
		}
		if err := p.ChangeSettings(scope, func() error {
			_, err := p.Paths.SetServer(scope, r.Name, r.Entry)
			return err
		}); err != nil {
			return err
		}
		if err := enableNew(p, r.Name); err != nil {
			return err
		}
	}
	return nil
}

// ofProjects reports the servers that a user of Claude Code has for single projects.
func ofProjects(p *project.Project, tree map[string]any) (list []*foreign.Server) {
	projects, _ := tree["projects"].(map[string]any)
	for _, dir := range slices.Sorted(maps.Keys(projects)) {
		one, _ := projects[dir].(map[string]any)
		servers, _ := one["mcpServers"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			r := &foreign.Server{Item: transfer.New(name)}
			r.Leave("it is only for the project %s: add it there with pollux mcp add", p.Paths.Display(dir))
			list = append(list, r)
		}
	}
	return list
}
