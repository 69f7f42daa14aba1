// Package agents has the subagents of a session: their definitions, the tool with which a model calls them, their runs
// as agents of their own, and the clients of those that run on other computers. Nothing of it knows a session.
package agents

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"pollux/agent"
	"pollux/internal/assembly"
	"pollux/internal/config"
	"pollux/internal/guard"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/mcp"
	"pollux/internal/memory"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/prompt"
	"pollux/internal/record"
	"pollux/internal/records"
	"pollux/internal/servers"
	"pollux/internal/subagent"
	"pollux/internal/terminal"
	"pollux/internal/tools/plan"
	"pollux/internal/toolset"
	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/llm/quotation"
	"pollux/tool"
)

// Parts are the parts that subagents share with the session that calls them.
type Parts struct {
	Project     *project.Project
	Definitions *Definitions
	Policy      *policy.Engine
	Builder     *assembly.Builder
	Servers     *servers.Servers
	Memory      *memory.Memory
	Workspace   *workspace.Workspace
	Record      *record.Record
	Given       *quotation.Index
	Plans       *plan.Plans
	Registry    *tool.Registry // of the session
	Around      []guard.Step   // around the calls of subagents, too
	// Session is the conversation that calls them. Nothing of it is asked before the first call.
	Session Caller
}

// Caller is a conversation that calls subagents.
type Caller interface {
	ID() string
	// MessagesAfter returns the messages after one, all for nil.
	MessagesAfter(seen *llm.Content) []agent.Message
	Tools() *toolset.Set
	Gate() *guard.Gate
	// Hooks returns the hooks, nil for none.
	Hooks() *hook.Set
	Skills() []prompt.Skill
	// TreeItems returns the number of files and folders in a tree for the current model.
	TreeItems() int
}

// Agents are the subagents of a session.
type Agents struct {
	parts   Parts
	tool    tool.Tool // nil if the settings disable subagents
	remotes remotes

	mu      sync.Mutex
	servers map[string]*mcp.Servers // of subagents that have run, by their names
	tools   map[string]*tool.Registry
	running map[*delegate]bool
}

// New returns the subagents of a session. The caller must close them.
func New(p Parts) *Agents {
	a := &Agents{parts: p, remotes: remotes{project: p.Project}, running: map[*delegate]bool{}}
	if config.Agents.In(p.Project.Settings()) {
		a.tool = subagent.NewTool(subagent.Options{Agents: a.Set, Start: a.start, Remote: a.remotes.client, Observe: a.record})
	}
	return a
}

// Tool returns the tool with which the model calls subagents, nil if the settings disable them.
func (a *Agents) Tool() tool.Tool { return a.tool }

// Set returns the subagents. It may be called during a run.
func (a *Agents) Set() *subagent.Set { return a.parts.Definitions.Set() }

// HasOwn reports whether there are subagents beside the built-in ones.
func (a *Agents) HasOwn() bool { return a.parts.Definitions.HasOwn() }

// Refresh reads the definitions again, after trust in the folder has changed, and warns of problems.
func (a *Agents) Refresh(ctx context.Context) { a.parts.Definitions.Refresh(ctx) }

// Reload reads the settings and the definitions again, and returns problems that the user should know.
func (a *Agents) Reload(ctx context.Context) (problems []string, err error) {
	if err := a.parts.Project.Reload(); err != nil {
		return nil, err
	}
	a.Close()
	problems, _ = a.parts.Definitions.read(ctx) // the commands have a person
	a.LoadCards()
	return problems, nil
}

// Close ends the connections of subagents to their MCP servers, and the loading of cards.
func (a *Agents) Close() {
	a.closeServers()
	a.remotes.close()
}

// LoadCards begins to load the cards of the remote subagents that the model may call.
func (a *Agents) LoadCards() {
	a.remotes.load(a.Set(), func(d *subagent.Definition) bool { return a.mayCall(d.Name) })
}

// Check makes [Agents.About] know which remote subagents cannot be reached: it loads the cards of all that are enabled,
// and waits for them as a prompt does.
func (a *Agents) Check(ctx context.Context) {
	a.remotes.load(a.Set(), func(*subagent.Definition) bool { return true })
	a.remotes.wait(ctx)
}

// AwaitCards waits a little for the cards that are being loaded. It reports whether cards have come that the system
// instruction does not have. Those that come later join with a later prompt.
func (a *Agents) AwaitCards(ctx context.Context) bool {
	a.remotes.wait(ctx)
	return a.remotes.isChanged.Swap(false)
}

// About returns the description of a subagent: of a remote one with the text of its card, if that is known.
// The error is why the card cannot be loaded.
func (a *Agents) About(d *subagent.Definition) (string, error) { return a.remotes.about(d) }

// Listed returns the subagents that the model may call now, for the system instruction. A model with
// little room gets the user's own alone: it has the tool because of them.
func (a *Agents) Listed(form tool.Form) []prompt.Agent {
	if a.tool == nil {
		return nil
	}
	var list []prompt.Agent
	ownOnly := form == tool.Compact && a.parts.Definitions.HasOwn()
	for _, d := range a.Set().Enabled() {
		if a.mayCall(d.Name) && !(ownOnly && d.Origin == subagent.Builtin) {
			about, err := a.About(d)
			if err == nil { // a remote one without a card cannot be called
				list = append(list, prompt.Agent{Name: d.Name, Description: about})
			}
		}
	}
	return list
}

// mayCall reports whether the policy may allow a call of a subagent.
func (a *Agents) mayCall(name string) bool {
	args, _ := json.Marshal(map[string]string{"agent_name": name, "prompt": ""}) // strings
	switch a.parts.Policy.Check(guard.CallWithoutFiles(a.tool, args)).Decision {
	case policy.Deny:
		return false
	case policy.Ask:
		return a.parts.Project.Options.Interactive
	}
	return true
}

// Has reports whether the model can call a subagent with this name.
func (a *Agents) Has(name string) bool {
	if a.tool == nil {
		return false
	}
	_, found := a.Set().Find(name)
	return found && a.mayCall(name)
}

// serversOf returns the MCP servers of a subagent, which are being connected from its first run on, and
// the registry with their tools. Both are nil if it has none.
func (a *Agents) serversOf(d *subagent.Definition) (*mcp.Servers, *tool.Registry) {
	if len(d.Servers) == 0 || !a.parts.Project.IsTrusted() {
		return nil, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if running := a.servers[d.Name]; running != nil {
		return running, a.tools[d.Name]
	}
	var configs []mcp.Config
	for name, entry := range d.Servers {
		expanded := config.ExpandServer(name, entry, d.IsOfProject(name), a.parts.Project.Env())
		if len(expanded.Withheld) > 0 {
			a.parts.Project.Warn(terminal.Line(fmt.Sprintf("Warning: The MCP server %q of the agent %s names $%s. Agents of a project do not get variables with secrets.", name, d.Name, strings.Join(expanded.Withheld, ", $"))))
		}
		c, err := mcp.Parse(name, expanded.Entry)
		if err != nil {
			a.parts.Project.Warn(terminal.Line(fmt.Sprintf("Warning: Ignoring the MCP server %q of the agent %s: %v.", name, d.Name, err)))
			continue
		}
		c.IsProject = d.IsOfProject(name)
		configs = append(configs, c)
	}
	o := servers.Options(a.parts.Project, configs)
	o.Subagent, o.Registry, o.Roots = d.Name, tool.NewRegistry(), a.parts.Workspace.Dirs
	if d.Origin == subagent.FromExtension {
		o.Origin = process.OriginExtension
	}
	if a.parts.Project.Options.Asker != nil {
		o.Ask = a.parts.Project.Options.Asker.Ask
	}
	connections := mcp.New(o)
	connections.Start()
	if a.servers == nil {
		a.servers, a.tools = map[string]*mcp.Servers{}, map[string]*tool.Registry{}
	}
	a.servers[d.Name], a.tools[d.Name] = connections, o.Registry
	return connections, o.Registry
}

// ServerStatus returns the state of the MCP servers of subagents that have run.
func (a *Agents) ServerStatus() (list []mcp.Status) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(a.servers)) {
		list = append(list, a.servers[name].Status()...)
	}
	return list
}

// Steer passes a prompt that a person types during a run to the subagents that work.
func (a *Agents) Steer(p agent.Prompt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p.Parts = append([]llm.Part{llm.Text("User hints:")}, p.Parts...)
	for w := range a.running {
		w.agent.Steer(p)
	}
}

// setRunning notes that a subagent works, or does not any more.
func (a *Agents) setRunning(w *delegate, isRunning bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if isRunning {
		a.running[w] = true
	} else {
		delete(a.running, w)
	}
}

// closeServers ends the connections of subagents to their MCP servers.
func (a *Agents) closeServers() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, servers := range a.servers {
		servers.Close()
	}
	a.servers, a.tools = nil, nil
}

// record records an event of a run of a subagent.
func (a *Agents) record(e subagent.Event) {
	r, who := a.parts.Builder.Records, records.Subagent{ID: e.ID, Name: e.Agent}
	switch e.Kind {
	case subagent.Started:
		r.Emit(records.SubagentStarted{Subagent: who})
	case subagent.Finished:
		r.Emit(records.SubagentFinished{Subagent: who, Reason: string(e.Reason), Turns: e.Turns, Took: e.Duration})
	case subagent.Recovered:
		r.Emit(records.SubagentRecovered{Subagent: who, Reason: string(e.Reason), Turns: e.Turns, Took: e.Duration, Success: e.Success})
	}
}

// ServersOf returns the MCP servers of a subagent that has run, nil if it has none.
func (a *Agents) ServersOf(subagent string) *mcp.Servers {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.servers[subagent]
}
