package agents

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"pollux/internal/config"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/mcp"
	"pollux/internal/person"
	"pollux/internal/project"
	"pollux/internal/subagent"
	"pollux/internal/terminal"
	"pollux/tool"
)

// Definitions are the subagents that the user, the project and extensions define, with the built-in ones. It is safe for
// concurrent use.
type Definitions struct {
	project *project.Project
	policy  *policy.Engine
	set     atomic.Pointer[subagent.Set]
}

// ReadDefinitions reads the definitions, warns of problems, and asks the person about those of the project that are new.
// The engine gets the rules that they bring. The error is that of [config.CheckLost].
func ReadDefinitions(ctx context.Context, p *project.Project, e *policy.Engine) (*Definitions, error) {
	ds := &Definitions{project: p, policy: e}
	return ds, config.CheckLost(ds.refresh(ctx), p.Options.Asker != nil)
}

// Set returns the subagents. It may be called during a run.
func (ds *Definitions) Set() *subagent.Set { return ds.set.Load() }

// HasOwn reports whether there are subagents beside the built-in ones.
func (ds *Definitions) HasOwn() bool {
	return slices.ContainsFunc(ds.Set().Enabled(), func(d *subagent.Definition) bool { return d.Origin != subagent.Builtin })
}

// sources returns the directories with definitions of subagents: the project's, if it is trusted, the
// user's, and those of extensions.
func (ds *Definitions) sources() []subagent.Source {
	var list []subagent.Source
	if dir := ds.project.Paths.Dir(); ds.project.IsTrusted() && !ds.project.Paths.AtHome() {
		list = append(list, subagent.Source{Kind: subagent.Project, Dir: filepath.Join(dir, ".gemini", "agents"), Root: dir})
	}
	list = append(list, subagent.Source{Kind: subagent.User, Dir: filepath.Join(ds.project.Paths.GeminiDir(), "agents")})
	return append(list, ds.project.ExtensionAgents()...)
}

// Refresh reads the definitions again, and warns of problems.
func (ds *Definitions) Refresh(ctx context.Context) { ds.refresh(ctx) }

// refresh is [Definitions.Refresh]. It returns the overrides that restrict and cannot be used.
func (ds *Definitions) refresh(ctx context.Context) []string {
	ds.set.Store(&subagent.Set{})
	if !config.Agents.In(ds.project.Settings()) {
		return nil
	}
	problems, lost := ds.read(ctx)
	for _, problem := range problems {
		ds.project.Warn(terminal.Text(problem))
	}
	return lost
}

// read reads the definitions of subagents, with the overrides of the settings. It returns the
// problems that the user should know, and the overrides that restrict and cannot be used.
func (ds *Definitions) read(ctx context.Context) (problems, lost []string) {
	read, errs := subagent.Load(ds.sources())
	for _, err := range errs {
		problems = append(problems, err.Error())
	}
	builtin := subagent.Builtins(config.InvestigatorScratchpad.In(ds.project.Settings()))
	known := slices.Concat(builtin, read)
	list := append(builtin, ds.acknowledged(ctx, read)...)
	var entries map[string]json.RawMessage
	if err := config.AgentOverrides.Decode(ds.project.Settings(), &entries); err != nil {
		problems = append(problems, "Warning: "+err.Error())
	}
	overrides, ignored := subagent.ReadOverrides(entries)
	var theirs map[string]json.RawMessage
	if config.AgentOverrides.Decode(ds.project.Settings().ForScope(config.Workspace), &theirs) == nil {
		subagent.MarkProject(overrides, theirs)
	}
	if ds.project.IsTrusted() { // else those of the project are unknown
		var unknown []string
		unknown, lost = subagent.CheckNames(overrides, known)
		ignored = append(ignored, unknown...)
	}
	set, duplicates := subagent.NewSet(list, overrides)
	problems = append(append(problems, ignored...), duplicates...)
	ds.set.Store(set)
	ds.policy.SetAgentRules(agentRules(set))
	return problems, lost
}

// agentRules returns the rules for calls that follow from definitions. Extensions cannot allow anything.
func agentRules(set *subagent.Set) policy.AgentRules {
	r := policy.AgentRules{Trusted: map[string][]string{}}
	for _, d := range set.Enabled() {
		if d.Kind == subagent.RemoteKind {
			r.Remote = append(r.Remote, d.Name)
		}
		for name, entry := range d.Servers {
			c, err := mcp.Parse(name, entry)
			if err != nil || !c.Trust || d.Origin == subagent.FromExtension {
				continue
			}
			r.Trusted[d.Name] = append(r.Trusted[d.Name], name)
		}
	}
	return r
}

// acknowledged leaves out the project's subagents that the user has not accepted. It asks a person about
// those that are new or changed.
func (ds *Definitions) acknowledged(ctx context.Context, list []*subagent.Definition) []*subagent.Definition {
	isProject := func(d *subagent.Definition) bool { return d.Origin == subagent.Project }
	if !slices.ContainsFunc(list, isProject) {
		return list
	}
	file := subagent.Acknowledgements{File: filepath.Join(ds.project.Paths.GeminiDir(), "acknowledgments", "agents.json")}
	has, err := file.Has(ds.project.Paths.Dir())
	if err != nil {
		ds.project.Warn("Warning: " + terminal.Line(err.Error()))
	}
	for _, d := range list {
		if isProject(d) {
			d.Content = trust.ServerContent(ds.project.Paths.Dir(), d.Servers)
		}
	}
	unknown := slices.DeleteFunc(slices.Clone(list), func(d *subagent.Definition) bool { return !isProject(d) || has(d) })
	if len(unknown) == 0 {
		return list
	}
	if ds.acceptsAgents(ctx, unknown) {
		if err := file.Add(ds.project.Paths.Dir(), unknown); err != nil {
			ds.project.Warn("Warning: Pollux asks about these agents again: " + terminal.Line(err.Error()))
		}
		return list
	}
	return slices.DeleteFunc(list, func(d *subagent.Definition) bool { return slices.Contains(unknown, d) })
}

// acceptsAgents asks a person whether to use subagents of the project. Without a person, it warns.
func (ds *Definitions) acceptsAgents(ctx context.Context, list []*subagent.Definition) bool {
	var names, lines []string
	for _, d := range list { // all of them count as accepted after a yes
		names = append(names, d.Name)
		lines = append(lines, strings.TrimSpace("- "+terminal.Cut(terminal.Line(d.Name+": "+d.Description), 200)+" "+terminal.Line(needs(d))))
	}
	if ds.project.Options.Asker == nil || !ds.project.Options.Interactive {
		text := "Ignoring agents of this project that you have not accepted: " + terminal.Cut(terminal.Line(strings.Join(names, ", ")), 200) +
			". To look at them and use them, start pollux here in a terminal."
		ds.project.LeaveOut(text)
		return false
	}
	const yes = "Use them"
	answer, err := person.Choose(ctx, ds.project.Options.Asker, person.Choice{
		Header: "Agents",
		Text:   "This project has new or changed agents, to which the model can hand over work:\n" + strings.Join(lines, "\n"),
		Options: []tool.Option{
			{Key: "y", Label: yes, Description: "until they change"},
			{Key: "n", Label: "Ignore them", Description: "in this session; Pollux asks again"},
		},
		Help: "An agent is a file in .gemini/agents with instructions and tools. Its calls\nare subject to the same rules as all others.",
	})
	return err == nil && answer == yes
}

// needs describes the servers or the other computer that a definition uses, "" if it uses none.
func needs(d *subagent.Definition) string {
	switch {
	case d.Kind == subagent.RemoteKind && d.CardURL != "":
		return "(runs at " + d.CardURL + ")"
	case d.Kind == subagent.RemoteKind:
		return "(runs on another computer)"
	}
	var servers []string
	for _, name := range slices.Sorted(maps.Keys(d.Servers)) {
		servers = append(servers, name+" "+string(d.Servers[name]))
	}
	if servers == nil {
		return ""
	}
	return "(starts MCP servers: " + strings.Join(servers, ", ") + ")"
}
