// Package servers has the MCP servers of a session: it reads their configurations, connects to them, passes their
// questions to the person and to the model, and passes their instructions to the model. Nothing of it knows a
// session.
package servers

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/guard/policy"
	"pollux/internal/mcp"
	"pollux/internal/mention"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/terminal"
	"pollux/tool"
)

// Parts are the parts of a session that its servers use.
type Parts struct {
	Project  *project.Project
	Registry *tool.Registry
	Launcher process.Launcher
	// Roots returns the directories of which servers know.
	Roots func() []string
	// Rules returns the policy rules, which may name tools of servers.
	Rules func() []policy.Rule
	// CreateOutput creates the file with a given name for a resource that is too long for a prompt.
	CreateOutput func(name string) (*os.File, error)
	// Model answers requests of servers, if the user's settings allow that. It may be nil while none arrives.
	Model func() Model
}

// Servers are the MCP servers of a session. Only the methods that say so may be called during a run.
type Servers struct {
	parts Parts
	live  atomic.Pointer[mcp.Servers]
	// told holds the instructions of servers that the model knows, and hasChanged reports
	// whether they, or anything else of a server, may have changed since.
	told       string
	hasChanged atomic.Bool
	misspelled map[string]bool // the warnings of warnMisspelled that were shown, nil before its first use
	isAwake    bool            // the servers that were idle at first have been started
	disabled   []string        // for this session
}

// Open begins to connect to the servers of the program, the settings and extensions, except those whose offer is kept.
// A folder that is not trusted has only those of the program. The caller must close them.
func Open(p Parts) *Servers {
	s := &Servers{parts: p}
	s.live.Store(s.connect(false))
	return s
}

// connect begins to connect to the servers. isFresh connects to all of them.
func (s *Servers) connect(isFresh bool) *mcp.Servers {
	p := s.parts.Project
	configs := p.Options.Host.Servers
	if p.IsTrusted() {
		configs = Configs(p, p.Settings())
	}
	if len(configs) == 0 {
		return mcp.New(mcp.Options{Registry: s.parts.Registry})
	}
	o := Options(p, configs)
	selection := SelectionOf(p, p.Settings())
	selection.Disabled = append(selection.Disabled, s.disabled...)
	o.Off, o.Registry, o.Launcher, o.Roots = selection.State, s.parts.Registry, s.parts.Launcher, s.parts.Roots
	if p.Options.Asker != nil {
		o.Ask = p.Options.Asker.Ask
	}
	o.HasPerson, o.Fresh, o.Recheck = p.Options.Interactive, isFresh, true
	if config.MCPSampling.In(p.Settings()) == "ask" {
		o.Sample = s.sample
	}
	o.Changed = func() { s.hasChanged.Store(true) }
	servers := mcp.New(o)
	servers.Start()
	return servers
}

// MCP returns the connections, nil if there are no servers.
func (s *Servers) MCP() *mcp.Servers {
	if len(s.live.Load().Status()) == 0 {
		return nil
	}
	return s.live.Load()
}

// Status returns the state of each server, sorted by name.
func (s *Servers) Status() []mcp.Status { return s.live.Load().Status() }

// WhyMissing returns a function that returns why there is no tool of a name, as sentences, "" for no reason: the result of
// hidden, or why the server whose tools have such names has none now.
func (s *Servers) WhyMissing(hidden func(name string) string) func(name string) string {
	return func(name string) string { return cmp.Or(hidden(name), s.whyMissing(name)) }
}

func (s *Servers) whyMissing(name string) string {
	if name == mcp.ListResources || name == mcp.ReadResource {
		return s.whyNoResources()
	}
	var owner mcp.Status
	for _, st := range s.Status() {
		if strings.HasPrefix(name, mcp.ToolName(st.Config.Name, "")) && len(st.Config.Name) > len(owner.Config.Name) {
			owner = st
		}
	}
	switch owner.State {
	case mcp.Disconnected, mcp.Connecting:
		return fmt.Sprintf("The MCP server %q is not connected. Its tools are there as soon as it is.", owner.Config.Name)
	case mcp.Blocked:
		return fmt.Sprintf("The settings do not allow the MCP server %q.", owner.Config.Name)
	case mcp.Disabled:
		return fmt.Sprintf("The user has disabled the MCP server %q.", owner.Config.Name)
	}
	return ""
}

// whyNoResources returns why there are no tools for resources, "" if there are no servers.
func (s *Servers) whyNoResources() string {
	list := s.Status()
	if len(list) == 0 {
		return ""
	}
	var away []string
	for _, st := range list {
		if st.State == mcp.Disconnected || st.State == mcp.Connecting {
			away = append(away, strconv.Quote(st.Config.Name))
		}
	}
	text := "No connected MCP server offers resources."
	if len(away) > 0 {
		text += " Not connected: " + strings.Join(away, ", ") + "."
	}
	return text
}

// Prompts returns the prompts of the servers.
func (s *Servers) Prompts() []mcp.Prompt { return s.live.Load().Prompts() }

// AddRoot lets servers know of one more directory.
func (s *Servers) AddRoot(dir string) { s.live.Load().AddRoot(dir) }

// Reload reads the settings again, and connects to all servers as they describe them now.
func (s *Servers) Reload(ctx context.Context) error {
	if err := s.parts.Project.Reload(); err != nil {
		return err
	}
	s.live.Load().Close()
	s.live.Load().Withdraw()
	s.live.Store(s.connect(true))
	s.hasChanged.Store(true)
	s.settle(ctx)
	return ctx.Err()
}

// Switch enables or disables a server, for this session or for all.
func (s *Servers) Switch(ctx context.Context, name string, enabled, forSession bool) error {
	p := s.parts.Project
	s.disabled = slices.DeleteFunc(s.disabled, func(other string) bool { return other == name })
	if forSession && !enabled {
		s.disabled = append(s.disabled, name)
	}
	if !forSession {
		if err := p.ServerSwitches().Set(name, enabled); err != nil {
			return err
		}
	}
	selection := SelectionOf(p, p.Settings())
	if forSession {
		selection.Disabled = s.disabled
	}
	s.live.Load().Switch(name, selection.State(name))
	s.settle(ctx)
	return ctx.Err()
}

// Close ends the connections.
func (s *Servers) Close() { s.live.Load().Close() }

// Renew waits until the tools are known that servers offer since they have notified of a change, at most two seconds.
// It may be called during a run.
func (s *Servers) Renew(ctx context.Context) { s.live.Load().Renew(ctx) }

// Wake starts the servers that are idle, once a person's first prompt has been sent, as the event of a
// run shows. A script starts those that it uses.
func (s *Servers) Wake(e agent.Event) {
	if !s.parts.Project.Options.Interactive || s.isAwake {
		return
	}
	switch e.(type) {
	case agent.TurnStarted, agent.ModelInfo: // the request follows
	default:
		s.isAwake = true
		s.live.Load().Wake()
	}
}

// Await makes the tools of servers available to the first prompt of a headless run. A person's prompt does not wait:
// tools join as they come.
func (s *Servers) Await(ctx context.Context) {
	if !s.parts.Project.Options.Interactive {
		s.settle(ctx)
	}
}

// settle waits for the servers.
func (s *Servers) settle(ctx context.Context) {
	p := s.parts.Project
	if pending := Wait(ctx, p, s.live.Load(), WaitLimit(p)); len(pending) > 0 {
		p.Warn(terminal.Line(fmt.Sprintf("Warning: Going on without MCP servers that have not answered within %v: %s. Their tools join when they have.",
			WaitLimit(p), strings.Join(pending, ", "))))
	}
}

// News are the facts about servers that a prompt tells the model.
type News struct {
	// Outdated names resources that have changed since they were read; "" for none.
	Outdated string
	// Returned names servers that are connected again, with their tools; "" for none.
	Returned string
	// Instructions describe the servers in their own words, and HasChanged reports that the model does not know
	// them yet.
	Instructions string
	HasChanged   bool
}

// TakeNews returns the changes since the last call, and warns of rules that misspell tools of servers.
func (s *Servers) TakeNews() (n News) {
	n.Outdated = outdatedNote(s.live.Load().TakeOutdated())
	hasChanged := s.hasChanged.Swap(false)
	if hasChanged || s.misspelled == nil {
		s.warnMisspelled()
	}
	if !hasChanged {
		return n
	}
	n.Returned = returnedNote(s.live.Load().TakeReturned())
	n.Instructions = s.Instructions()
	n.HasChanged = n.Instructions != s.told
	s.told = n.Instructions
	return n
}

// Instructions returns the instructions of the connected servers for the model.
func (s *Servers) Instructions() string {
	var parts []string
	for _, i := range s.live.Load().Instructions() {
		parts = append(parts, frameInstructions(i.Server, i.Text))
	}
	return strings.Join(parts, "\n\n")
}

// Resources returns the resources of the servers, for prompts that mention them; nil if there are no servers.
func (s *Servers) Resources() mention.Resources {
	if live := s.MCP(); live != nil {
		return mentioned{live, s.parts}
	}
	return nil
}

// mentioned are the resources of servers as a prompt mentions them: by id, not by URI alone.
type mentioned struct {
	*mcp.Servers
	parts Parts
}

func (m mentioned) Has(id string) bool {
	r, ok := m.Resource(id)
	return ok && r.ID() == id
}

func (m mentioned) Text(ctx context.Context, id string) (string, error) {
	r, _ := m.Resource(id)
	contents, err := m.Read(ctx, r)
	limit, _ := config.OutputLimits(m.parts.Project.Settings())
	return mcp.Untrusted(contents, limit, func() (*os.File, error) { return m.parts.CreateOutput("mcp_resource") }), err
}
