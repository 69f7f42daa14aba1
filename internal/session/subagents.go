package session

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/mcp"
	"pollux/internal/person"
	"pollux/internal/process"
	"pollux/internal/prompt"
	"pollux/internal/servers"
	"pollux/internal/subagent"
	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/tool"
)

// subagents are the subagents of a session.
type subagents struct {
	set  atomic.Pointer[subagent.Set]
	tool tool.Tool // nil if the settings disable subagents

	remotes remoteAgents

	mu      sync.Mutex
	servers map[string]*mcp.Servers // of subagents that have run, by their names
	tools   map[string]*tool.Registry
	running map[*delegate]bool
}

// AgentSources returns the directories with definitions of subagents: the project's, if it is trusted, the
// user's, and those of extensions.
func (s *Session) AgentSources() []subagent.Source {
	var list []subagent.Source
	if dir := s.Project.Paths.Dir(); s.Project.IsTrusted() && !s.Project.Paths.AtHome() {
		list = append(list, subagent.Source{Kind: subagent.Project, Dir: filepath.Join(dir, ".gemini", "agents"), Root: dir})
	}
	list = append(list, subagent.Source{Kind: subagent.User, Dir: filepath.Join(s.Project.Paths.GeminiDir(), "agents")})
	return append(list, s.Project.ExtensionAgents()...)
}

// openAgents reads the definitions of subagents, and asks the person about those of the project.
func (s *Session) openAgents(ctx context.Context) {
	s.subagents.set.Store(&subagent.Set{})
	if config.Agents.In(s.Project.Settings()) {
		for _, problem := range s.readAgents(ctx, s.Project.Settings()) {
			s.Project.Warn(terminal.Text(problem))
		}
	}
}

// readAgents reads the definitions of subagents, with the overrides of these settings. It returns what the
// user should know.
func (s *Session) readAgents(ctx context.Context, settings *config.Settings) (problems []string) {
	read, errs := subagent.Load(s.AgentSources())
	for _, err := range errs {
		problems = append(problems, err.Error())
	}
	list := append(subagent.Builtins(), s.acknowledged(ctx, read)...)
	var entries map[string]json.RawMessage
	if err := config.AgentOverrides.Decode(settings, &entries); err != nil {
		problems = append(problems, "Warning: "+err.Error())
	}
	overrides, ignored := subagent.ReadOverrides(entries)
	var theirs map[string]json.RawMessage
	if config.AgentOverrides.Decode(settings.ForScope(config.Workspace), &theirs) == nil {
		subagent.MarkProject(overrides, theirs)
	}
	set, duplicates := subagent.NewSet(list, overrides)
	problems = append(append(problems, ignored...), duplicates...)
	s.subagents.set.Store(set)
	s.policy.SetAgentRules(agentRules(set))
	return problems
}

// agentRules returns what definitions say about calls. Extensions cannot allow anything.
func agentRules(set *subagent.Set) policy.AgentRules {
	var r policy.AgentRules
	for _, d := range set.Enabled() {
		if d.Kind == subagent.RemoteKind {
			r.Remote = append(r.Remote, d.Name)
		}
		for name, entry := range d.Servers {
			c, err := mcp.Parse(name, entry)
			if err != nil || !c.Trust || d.Origin == subagent.FromExtension {
				continue
			}
			if r.Trusted == nil {
				r.Trusted = map[string][]string{}
			}
			r.Trusted[d.Name] = append(r.Trusted[d.Name], name)
		}
	}
	return r
}

// acknowledged leaves out the project's subagents that the user has not accepted. It asks a person about
// those that are new or changed.
func (s *Session) acknowledged(ctx context.Context, list []*subagent.Definition) []*subagent.Definition {
	isProject := func(d *subagent.Definition) bool { return d.Origin == subagent.Project }
	if !slices.ContainsFunc(list, isProject) {
		return list
	}
	file := subagent.Acknowledgements{File: filepath.Join(s.Project.Paths.GeminiDir(), "acknowledgments", "agents.json")}
	has, err := file.Has(s.Project.Paths.Dir())
	if err != nil {
		s.Project.Warn("Warning: " + terminal.Line(err.Error()))
	}
	for _, d := range list {
		if isProject(d) {
			d.Content = trust.ServerContent(s.Project.Paths.Dir(), d.Servers)
		}
	}
	unknown := slices.DeleteFunc(slices.Clone(list), func(d *subagent.Definition) bool { return !isProject(d) || has(d) })
	if len(unknown) == 0 {
		return list
	}
	if s.acceptsAgents(ctx, unknown) {
		if err := file.Add(s.Project.Paths.Dir(), unknown); err != nil {
			s.Project.Warn("Warning: Pollux asks about these agents again: " + terminal.Line(err.Error()))
		}
		return list
	}
	return slices.DeleteFunc(list, func(d *subagent.Definition) bool { return slices.Contains(unknown, d) })
}

// acceptsAgents asks a person whether to use subagents of the project. Without a person, it warns.
func (s *Session) acceptsAgents(ctx context.Context, list []*subagent.Definition) bool {
	const most = 20
	var names, lines []string
	for _, d := range list {
		names = append(names, d.Name)
		if len(lines) < most {
			lines = append(lines, "- "+terminal.Cut(terminal.Line(d.Name+": "+d.Description+needs(d)), 200))
		}
	}
	if more := len(list) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("- and %d more", more))
	}
	if s.Project.Options.Asker == nil || !s.Project.Options.Interactive {
		text := "Ignoring agents of this project that you have not accepted: " + terminal.Cut(terminal.Line(strings.Join(names, ", ")), 200) +
			". To look at them and use them, start pollux here in a terminal."
		s.Project.Warn("Warning: " + text)
		s.Project.LeftOut = append(s.Project.LeftOut, text)
		return false
	}
	const yes = "Use them"
	answer, err := person.Choose(ctx, s.Project.Options.Asker, person.Choice{
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

// needs describes what a definition brings beside its instructions, "" if that is nothing.
func needs(d *subagent.Definition) string {
	switch {
	case d.Kind == subagent.RemoteKind && d.CardURL != "":
		return " (runs at " + d.CardURL + ")"
	case d.Kind == subagent.RemoteKind:
		return " (runs on another computer)"
	case len(d.Servers) > 0:
		return " (starts MCP servers)"
	}
	return ""
}

// Agents returns the subagents. It may be called during a run.
func (s *Session) Agents() *subagent.Set { return s.subagents.set.Load() }

// ReloadAgents reads the definitions of subagents again, with the current settings, and returns what the
// user should know.
func (s *Session) ReloadAgents(ctx context.Context) ([]string, error) {
	if err := s.Project.Reload(); err != nil {
		return nil, err
	}
	s.closeAgentServers()
	s.closeRemoteAgents()
	problems := s.readAgents(ctx, s.Project.Settings())
	s.registry.Spare(s.spares(s.builtin))
	s.loadCards()
	s.refresh()
	return problems, nil
}

// listedAgents returns the subagents that the model may call now, for the system instruction. A model with
// little room gets the user's own alone: it has the tool because of them, see [Session.hasOwnAgents].
func (s *Session) listedAgents(form tool.Form) []prompt.Agent {
	if s.subagents.tool == nil {
		return nil
	}
	var list []prompt.Agent
	ownOnly := form == tool.Compact && s.hasOwnAgents()
	for _, d := range s.Agents().Enabled() {
		if s.mayCallAgent(d.Name) && !(ownOnly && d.Origin == subagent.Builtin) {
			about, err := s.AboutAgent(d)
			if err == nil { // a remote one without a card cannot be called
				list = append(list, prompt.Agent{Name: d.Name, Description: about})
			}
		}
	}
	return list
}

// mayCallAgent reports whether the policy may allow a call of a subagent.
func (s *Session) mayCallAgent(name string) bool {
	args, _ := json.Marshal(map[string]string{"agent_name": name, "prompt": ""}) // strings
	switch s.policy.Check(guard.CallWithoutFiles(s.subagents.tool, args)).Decision {
	case policy.Deny:
		return false
	case policy.Ask:
		return s.Project.Options.Interactive
	}
	return true
}

// isAgent reports whether the model can call a subagent with this name.
func (s *Session) isAgent(name string) bool {
	if s.subagents.tool == nil {
		return false
	}
	_, found := s.Agents().Find(name)
	return found && s.mayCallAgent(name)
}

// hasOwnAgents reports whether there are subagents beside the built-in ones.
func (s *Session) hasOwnAgents() bool {
	return slices.ContainsFunc(s.Agents().Enabled(), func(d *subagent.Definition) bool { return d.Origin != subagent.Builtin })
}

// newAgentTool returns the tool with which the model calls subagents; nil if the settings disable them.
func (s *Session) newAgentTool(g llm.Generator) tool.Tool {
	if !config.Agents.In(s.Project.Settings()) {
		return nil
	}
	s.subagents.tool = subagent.NewTool(subagent.Options{
		Agents: s.Agents,
		Start: func(ctx context.Context, d *subagent.Definition, prompt string, done *subagent.Completion) (*subagent.Worker, error) {
			return s.startAgent(ctx, g, d, prompt, done)
		},
		Remote:  s.remoteAgent,
		Observe: s.recordAgent,
	})
	return s.subagents.tool
}

// agentServers returns the MCP servers of a subagent, which are being connected from its first run on, and
// the registry with their tools. Both are nil if it has none.
func (s *Session) agentServers(d *subagent.Definition) (*mcp.Servers, *tool.Registry) {
	if len(d.Servers) == 0 || !s.Project.IsTrusted() {
		return nil, nil
	}
	s.subagents.mu.Lock()
	defer s.subagents.mu.Unlock()
	if running := s.subagents.servers[d.Name]; running != nil {
		return running, s.subagents.tools[d.Name]
	}
	var configs []mcp.Config
	for name, entry := range d.Servers {
		expanded := config.ExpandServer(name, entry, d.IsOfProject(name), s.Project.Env)
		if len(expanded.Withheld) > 0 {
			s.Project.Warn(terminal.Line(fmt.Sprintf("Warning: The MCP server %q of the agent %s names $%s. Agents of a project do not get variables with secrets.", name, d.Name, strings.Join(expanded.Withheld, ", $"))))
		}
		c, err := mcp.Parse(name, expanded.Entry)
		if err != nil {
			s.Project.Warn(terminal.Line(fmt.Sprintf("Warning: Ignoring the MCP server %q of the agent %s: %v.", name, d.Name, err)))
			continue
		}
		c.IsProject = d.IsOfProject(name)
		configs = append(configs, c)
	}
	o := servers.Options(s.Project, configs)
	o.Subagent, o.Registry, o.Roots = d.Name, tool.NewRegistry(), s.Workspace.Dirs
	if d.Origin == subagent.FromExtension {
		o.Origin = process.OriginExtension
	}
	if s.Project.Options.Asker != nil {
		o.Ask = s.Project.Options.Asker.Ask
	}
	connections := mcp.New(o)
	connections.Start()
	if s.subagents.servers == nil {
		s.subagents.servers, s.subagents.tools = map[string]*mcp.Servers{}, map[string]*tool.Registry{}
	}
	s.subagents.servers[d.Name], s.subagents.tools[d.Name] = connections, o.Registry
	return connections, o.Registry
}

// ServerStatus returns the state of each MCP server, those of subagents that have run after the others.
func (s *Session) ServerStatus() []mcp.Status {
	list := s.Servers.Status()
	s.subagents.mu.Lock()
	defer s.subagents.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(s.subagents.servers)) {
		list = append(list, s.subagents.servers[name].Status()...)
	}
	return list
}

// steerAgents passes what a person says during a run to the subagents that work.
func (s *Session) steerAgents(p agent.Prompt) {
	s.subagents.mu.Lock()
	defer s.subagents.mu.Unlock()
	p.Parts = append([]llm.Part{llm.Text("User hints:")}, p.Parts...)
	for w := range s.subagents.running {
		w.agent.Steer(p)
	}
}

// setRunning notes that a subagent works, or does not any more.
func (s *Session) setRunning(w *delegate, isRunning bool) {
	s.subagents.mu.Lock()
	defer s.subagents.mu.Unlock()
	if s.subagents.running == nil {
		s.subagents.running = map[*delegate]bool{}
	}
	if isRunning {
		s.subagents.running[w] = true
	} else {
		delete(s.subagents.running, w)
	}
}

// closeAgentServers ends the connections of subagents to their MCP servers.
func (s *Session) closeAgentServers() {
	s.subagents.mu.Lock()
	defer s.subagents.mu.Unlock()
	for _, servers := range s.subagents.servers {
		servers.Close()
	}
	s.subagents.servers, s.subagents.tools = nil, nil
}
