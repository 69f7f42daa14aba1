package agents

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"pollux/agent"
	"pollux/agent/route"
	"pollux/docs"
	"pollux/internal/config"
	"pollux/internal/guard"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/origin"
	"pollux/internal/guard/policy"
	"pollux/internal/journal"
	"pollux/internal/memory"
	"pollux/internal/models"
	"pollux/internal/project"
	"pollux/internal/prompt"
	"pollux/internal/record"
	"pollux/internal/subagent"
	"pollux/internal/terminal"
	"pollux/internal/tools/activate"
	"pollux/internal/tools/manual"
	"pollux/internal/tools/toolsearch"
	"pollux/internal/toolset"
	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/tool"
)

// delegate is a subagent that runs in a session: an agent with a conversation, tools and a gate of its own.
type delegate struct {
	agents     *Agents
	definition *subagent.Definition
	task       string // the request of the calling agent
	id         string
	registry   *tool.Registry
	journal    *journal.Journal // nil if the session is not recorded
	agent      *agent.Agent
	memory     *memory.Memory // of files in subdirectories

	mu           sync.Mutex
	instructions map[tool.Form]*llm.Content
}

// start makes the worker for a call of a subagent.
func (s *Agents) start(ctx context.Context, d *subagent.Definition, text string, done *subagent.Completion) (*subagent.Worker, error) {
	w := &delegate{agents: s, definition: d, task: text, id: uuid.NewString(), instructions: map[tool.Form]*llm.Content{}, memory: s.parts.Memory.ForSubagent()}
	current, err := s.model(d)
	if err != nil {
		return nil, err
	}
	if w.registry, err = s.grant(ctx, d, w.memory, done); err != nil {
		return nil, err
	}
	w.journal = s.parts.Record.Subagent(s.parts.Session.ID(), s.parts.Workspace.Dirs)
	turns := d.MaxTurns
	w.agent = w.newAgent(current, &turns)
	s.setRunning(w, true)
	return &subagent.Worker{
		ID: w.id, Agent: w.agent, Prompt: w.opening(), Turns: &turns, Title: w.title, Close: w.close,
	}, nil
}

func (w *delegate) newAgent(current models.Current, turns *int) *agent.Agent {
	return w.agents.parts.Builder.Agent(func() models.Current { return current }, func(c *agent.Config) {
		c.Tools, c.Gate, c.SessionID, c.MaxTurns = w.registry, softGate{w.newGate()}, w.id, turns
		c.Use, c.Sampling = llm.UseSubagent, func(model string, retry bool) llm.Config {
			return w.agents.parts.Builder.Models.AgentConfig(w.definition.Name, model, w.definition.Settings, retry)
		}
		c.NotFound, c.System, c.Rewritten = w.notGranted, w.instruction, w.memory.Keep
		if w.agents.parts.Session.Hooks() != nil {
			c.Hooks = agentHooks{w.agents.parts.Session.Hooks()}
		}
		if w.journal != nil {
			c.Journal = w.journal
		}
	})
}

// Model returns the name in requests of the model that a local subagent uses.
func (s *Agents) Model(d *subagent.Definition) (string, error) {
	current, err := s.model(d)
	return current.Model, err
}

// model returns the model of a subagent: that of its definition, else the session's. Google's models
// differ so much in speed and price that two built-in subagents choose one of them.
func (s *Agents) model(d *subagent.Definition) (models.Current, error) {
	current := s.parts.Builder.Models.Current()
	name := d.Model
	switch {
	case name != "":
	case s.parts.Builder.Models.IsGoogle() && d.Class == subagent.Investigation && catalog.IsModern(current.Model):
		name = "gemini-3-flash-preview"
	case s.parts.Builder.Models.IsGoogle() && d.Class == subagent.Investigation:
		name = "gemini-2.5-pro"
	case s.parts.Builder.Models.HasProvider() && d.Class == subagent.QuickAnswer:
		name = s.parts.Builder.Models.StandIn("flash")
	}
	if name == "" || name == "flash" && !s.parts.Builder.Models.IsGoogle() && d.Model == "" {
		return current, nil
	}
	model, err := s.parts.Builder.Models.Resolve(name)
	switch {
	case err != nil && d.Model != "":
		return current, fmt.Errorf("its model %s cannot be used: %w", name, err)
	case err != nil:
		return current, nil
	}
	if _, isAuto := route.AutoChoice(name, current.Account.Gemini()); !isAuto {
		current.Requested = model
	} else {
		current.Requested = name
	}
	current.Model, current.IsExplicit = model, true
	return current, nil
}

// grant returns the tools of a subagent: those of the session that its definition lists, those of its
// own MCP servers, and the one with which it ends.
func (s *Agents) grant(ctx context.Context, d *subagent.Definition, own *memory.Memory, done *subagent.Completion) (*tool.Registry, error) {
	tools := s.parts.Session.Tools()
	place := func(t tool.Tool) int {
		server := ""
		if r, ok := tool.As[tool.Remote](t); ok {
			server = r.Server()
		}
		return d.Selects(t.Spec().Names(), server)
	}
	var granted []tool.Tool
	for _, t := range s.parts.Registry.All() {
		if spec := t.Spec(); spec.Kind != tool.KindAgent && spec.Name != toolset.TopicTool && place(t) >= 0 {
			granted = append(granted, memory.Rewrap(t, own))
		}
	}
	slices.SortStableFunc(granted, func(a, b tool.Tool) int { return place(a) - place(b) })
	if pages := manual.New(docs.Pages); slices.Contains(d.Tools, pages.Spec().Name) && !slices.ContainsFunc(granted, func(t tool.Tool) bool { return t.Spec().Name == pages.Spec().Name }) {
		granted = append(granted, pages)
	}
	granted = slices.DeleteFunc(granted, func(t tool.Tool) bool { return t.Spec().IsNamed(done.Spec().Name) })
	r := tool.NewRegistry(granted...)
	if servers, theirs := s.serversOf(d); servers != nil {
		if pending := servers.Settle(ctx); ctx.Err() != nil {
			return nil, fmt.Errorf("waiting for its MCP servers: %s", strings.Join(pending, ", "))
		}
		for _, conflict := range r.Add("agent", theirs.All()...) {
			s.parts.Project.Log.Debug("a tool of a subagent's server is left out", "tool", conflict.Name)
		}
	}
	r.Add("end", done)
	r.SetFinder(toolsearch.New(r))
	if d.Tools == nil {
		tools.Spare(r)
	}
	r.Hide(func(t tool.Tool) bool {
		return t != tool.Tool(done) && tools.Hides(t, d.Name)
	})
	return r, nil
}

// notGranted returns the answer to a call of a tool that the session has and the subagent does not. Of a tool
// that its definition lists, it says why the tool is missing.
func (w *delegate) notGranted(name string) string {
	tools := w.agents.parts.Session.Tools()
	if _, isKnown := w.agents.parts.Registry.Find(name); !isKnown && !tools.IsAbsent(name) {
		return ""
	}
	text := fmt.Sprintf("Unauthorized tool call: '%s' is not available to this agent.", name)
	if t, isListed := w.registry.Hidden(name); isListed {
		if why := tools.WhyToolHidden(t, w.definition.Name); why != "" {
			text += " " + why
		}
	}
	return text + " It has " + strings.Join(w.toolNames(), ", ") + "."
}

// toolNames returns the names of the tools that the subagent can call.
func (w *delegate) toolNames() []string {
	var names []string
	for _, t := range w.registry.Snapshot().Tools() {
		names = append(names, t.Spec().Name)
	}
	return names
}

func (w *delegate) title(name string) string {
	if t, ok := w.registry.Lookup(name); ok {
		return t.Spec().DisplayName
	}
	return name
}

func (w *delegate) newGate() *guard.Gate {
	characters, lines := config.OutputLimits(w.agents.parts.Project.Settings())
	o := guard.Options{
		Policy: w.agents.parts.Policy, Interactive: w.agents.parts.Project.Options.Interactive, Subagent: w.definition.Name, Origins: w.origins(), Given: w.agents.parts.Given, Tool: w.registry.Lookup,
		Threshold: characters, Lines: lines, CreateOutput: w.agents.parts.Builder.Outputs.Create, Log: w.agents.parts.Project.Log,
	}
	if w.agents.parts.Session.Hooks() != nil {
		o.Hooks = w.agents.parts.Session.Hooks()
	}
	if summaries := w.agents.parts.Builder.Summaries; summaries != nil {
		o.Summarizer = summaries
	}
	if w.journal != nil {
		o.Around = append(o.Around, record.SyncStep(w.journal))
	}
	o.Around = append(o.Around, w.agents.parts.Around...)
	return w.agents.parts.Session.Gate().ForSubagent(o)
}

// origins knows which words of this conversation and of the session's come from tools alone. The prompt of
// the subagent is left out: the model has written it.
func (w *delegate) origins() *origin.Tracker {
	var outer, inner *llm.Content
	last := func(list []agent.Message, seen *llm.Content) *llm.Content {
		if len(list) == 0 {
			return seen
		}
		return list[len(list)-1].Content
	}
	after := func(*llm.Content) []agent.Message {
		theirs := w.agents.parts.Session.MessagesAfter(outer)
		ours := w.agent.MessagesAfter(inner)
		outer, inner = last(theirs, outer), last(ours, inner)
		return append(theirs, slices.DeleteFunc(ours, func(m agent.Message) bool { return !m.Content.HasFunctionResponse() })...)
	}
	return origin.New(after, w.agents.parts.Workspace.HasFile)
}

func (w *delegate) opening() []llm.Part {
	d := w.definition
	query := strings.TrimSpace(w.task)
	if d.Query != "" {
		query = subagent.Expand(d.Query, map[string]string{"prompt": w.task, d.Input: w.task})
	}
	if strings.TrimSpace(query) == "" {
		query = "Get Started!"
	}
	texts := w.agents.parts.Memory.Texts()
	var parts []llm.Part
	if memory := (prompt.Context{Extensions: texts.Extension, Project: texts.Project, Servers: w.agents.parts.Servers.Instructions()}).Opening(); memory != "" {
		parts = append(parts, llm.Text(memory))
	}
	return append(parts, llm.Text(query))
}

// instruction returns the system instruction in a form. It stays the same during the run.
func (w *delegate) instruction(form tool.Form) *llm.Content {
	w.mu.Lock()
	defer w.mu.Unlock()
	if made := w.instructions[form]; made != nil {
		return made
	}
	made := llm.User(llm.Text(w.system(form).Text()))
	w.instructions[form] = made
	return made
}

func (w *delegate) system(form tool.Form) prompt.Subagent {
	texts := w.agents.parts.Memory.Texts()
	p := prompt.Subagent{
		Turns: w.definition.MaxTurns,
		Body: subagent.Expand(w.definition.Prompt, map[string]string{
			w.definition.Input: w.task,
			"cliVersion":       w.agents.parts.Project.Options.Version, "activeModel": w.agents.parts.Builder.Models.Current().Model, "today": time.Now().Format("1/2/2006"),
		}),
		Memory: prompt.Memory{Global: texts.Global, Private: texts.Private, Plain: texts.All, Names: w.agents.parts.Memory.Names()},
		Place: prompt.Context{
			Now: time.Now(), OS: strings.Replace(runtime.GOOS, "windows", "win32", 1), TempDir: w.agents.parts.Project.Sandbox.TempDir(), Dirs: w.agents.parts.Workspace.Dirs(),
		},
	}
	if config.IncludeDirectoryTree.In(w.agents.parts.Project.Settings()) {
		p.Place.Tree = w.agents.parts.Workspace.Tree(w.agents.parts.Session.TreeItems())
	}
	if _, ok := w.registry.Lookup(activate.Name); ok {
		p.Skills = w.agents.parts.Session.Skills()
	}
	if w.agents.parts.Policy.Mode() == policy.Plan {
		p.PlanDir = w.agents.parts.Plans.Dir()
	}
	if w.definition.IsCore {
		var names []string
		for _, f := range w.registry.Snapshot().Declarations(form).Functions {
			names = append(names, f.Name)
		}
		p.Core = &prompt.System{
			IsSubagent: true, Mode: w.agents.parts.Policy.Mode().String(), Form: form, Git: project.InGit(w.agents.parts.Project.Paths.Dir()), Sandbox: w.agents.parts.Project.Sandbox.Name(prompt.OwnSandbox, w.agents.parts.Project.Options.Env.Get("SANDBOX")), Hooks: w.agents.parts.Session.Hooks() != nil,
			Output: toolset.OutputAdvice(w.agents.parts.Project.Settings()),
			Tools:  names, Plan: w.agents.parts.Plans.Approved(), PlanDir: w.agents.parts.Plans.Dir(), Env: w.agents.parts.Project.Env().Get,
		}
	}
	return p
}

// close ends the record.
func (w *delegate) close(summary string) {
	w.agents.setRunning(w, false)
	if w.journal == nil {
		return
	}
	if summary != "" {
		_ = w.journal.SetSummary(terminal.Text(summary)) // the journal warns
	}
	_ = w.journal.Close()
}

// softGate is a gate whose refusals by a person let the subagent go on another way.
type softGate struct{ *guard.Gate }

func (g softGate) Admit(ctx context.Context, call *agent.ToolCall, t tool.Tool, ask agent.Ask) agent.Admission {
	a := g.Gate.Admit(ctx, call, t, ask)
	if !a.Cancelled || ctx.Err() != nil {
		return a
	}
	r := *a.Record.Result
	if len(r.Content) == 0 && r.Error == nil {
		r.Error = &tool.Error{Type: tool.ErrExecutionFailed, Message: "User rejected this operation. Do not repeat it. Try another way. If you cannot go on without it, call `complete_task` with what you found and what blocks you."}
	}
	if len(r.Content) == 0 {
		r.Content = []llm.Part{llm.Text(r.Error.Message)} // the run goes on
	}
	a.Record.Result = &r
	return a
}

// agentHooks are the hooks of a session for a subagent, whose prompts have none.
type agentHooks struct{ *hook.Set }

func (agentHooks) BeforeAgent(context.Context, string) agent.Verdict { return agent.Verdict{} }

func (agentHooks) AfterAgent(context.Context, string, string, bool) agent.Verdict {
	return agent.Verdict{}
}
