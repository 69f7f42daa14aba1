package tui

import (
	"time"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/face/tui/completion"
	"pollux/internal/face/tui/completion/commands"
	"pollux/internal/face/tui/completion/files"
	"pollux/internal/face/tui/completion/paths"
	"pollux/internal/face/tui/completion/shell"
	"pollux/internal/gitstate"
	"pollux/internal/project"
	"pollux/tool"
)

// newEngine returns the engine for the completions of a session.
func newEngine(v *view) *completion.Engine {
	v.files = newFiles(v)
	p := v.project()
	dir, home := p.Paths.Dir(), p.Paths.Home()
	table := &commands.Table{
		Added: v.live.Commands.Added, Project: func() *project.Project { return p }, Paths: paths.New(dir, home),
		Opens: func(name string) bool { return opener(name) != nil },
	}
	return completion.NewEngine(
		shell.New(shell.Options{
			Dir: dir, Home: home, Path: p.Options.Env.Get("PATH"), Branches: func() []string { return gitstate.Branches(dir) }, Now: time.Now,
		}),
		&commands.Source{Commands: table.Commands},
		v.files,
	)
}

// newFiles returns the source of mentions.
func newFiles(v *view) *files.Source {
	s := v.settings()
	return files.New(files.Options{
		Workspace: v.session.Workspace, Agents: v.agents, Resources: v.resources, Recent: v.recent,
		IsLiteral: !config.FuzzyFiles.In(s), IsFlat: !config.RecursiveFiles.In(s), Now: time.Now,
	})
}

func (v *view) agents() (list []files.Agent) {
	for _, d := range v.session.Agents.Set().Enabled() {
		list = append(list, files.Agent{Name: d.Name, Description: d.Description})
	}
	return list
}

func (v *view) resources() (list []files.Resource) {
	servers := v.session.Servers.MCP()
	if servers == nil {
		return nil
	}
	for _, r := range servers.Resources() {
		list = append(list, files.Resource{ID: r.ID(), Name: r.Name, Description: r.Description})
	}
	return list
}

// Limits of the search for files that differ from the last commit.
const (
	maxChanged  = 24
	changedWait = 50 * time.Millisecond
)

// recent returns the files that calls have read or edited, then those of the repository that differ from the last commit.
func (v *view) recent() []string { return append(v.touched.Paths(), v.changed()...) }

// touch notes the files that a call reads or edits.
func (v *view) touch(e agent.Event) {
	u, ok := e.(agent.ToolUpdated)
	if !ok || u.Kind != tool.KindRead && u.Kind != tool.KindEdit {
		return
	}
	for _, at := range u.Locations {
		v.touched.Note(at.Path)
	}
}

// changed returns the files of the repository that differ from the last commit, as far as that is soon known.
func (v *view) changed() []string {
	state, _ := gitstate.Read(v.project().Paths.Dir(), maxChanged, changedWait)
	list := make([]string, len(state.Changed))
	for i, name := range state.Changed {
		list[i] = v.project().Paths.Absolute(name)
	}
	return list
}
