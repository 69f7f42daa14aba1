package session

import (
	"context"
	"path/filepath"

	"pollux/agent"
	"pollux/internal/agents"
	"pollux/internal/assembly"
	"pollux/internal/compose"
	"pollux/internal/config"
	"pollux/internal/extensions"
	"pollux/internal/farewell"
	"pollux/internal/guard"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/origin"
	"pollux/internal/guard/policy"
	"pollux/internal/hooks"
	"pollux/internal/ide"
	"pollux/internal/observers"
	"pollux/internal/owncalls"
	"pollux/internal/project"
	"pollux/internal/prompt"
	"pollux/internal/record"
	"pollux/internal/rulebook"
	"pollux/internal/servers"
	"pollux/internal/skills"
	"pollux/internal/tools/plan"
	"pollux/internal/tools/shell"
	"pollux/internal/toolset"
	"pollux/llm"
	"pollux/llm/quotation"
	"pollux/tool"
)

// build makes the parts of a session, each after those that it needs, which are
// behind it. Where unreachable is set, the session does without a model.
//
// Parts that need the conversation itself (the compressor, the tracker of untrusted
// words, the update after a change) hold the session and use it while a prompt runs.
func (b *builder) build(ctx context.Context, unreachable error) (_ *Session, err error) {
	p := b.project
	ctx, cancel := context.WithCancel(ctx)
	s := &Session{Project: p, Record: b.record, options: b.options, closers: []func(){cancel}}
	s.identity.Store(newIdentity(b.record.SessionID()))
	s.Observers = observers.Open(observers.Parts{ // environment, settings
		Project: p, ID: s.ID, HasLog: s.options.Recorded, Journal: s.Record.Journal(), Recent: s.options.Recent, Sinks: p.Options.Host.Observers,
	})
	defer func() {
		if err != nil {
			s.closeParts() // the setup has an owner, who may try again
		}
	}()
	s.Project.LoadExtensions(ctx) // environment, settings, trust
	rules, err := p.ReadPolicies(func(project policy.Integrity) bool { return p.AcceptsPolicies(ctx, project) })
	if err != nil {
		return nil, err
	}
	s.Models, err = assembly.Models(ctx, p, assembly.Source{ // settings, credentials, the network
		Generator: s.options.Generator, Replay: s.options.Replay, InAnyOrder: s.options.ReplayAnyOrder, Unreachable: unreachable,
	}, b.record.SessionID())
	if err != nil {
		return nil, err
	}
	p.SetSecrets(s.Models.Secrets)                                   // models
	s.Workspace = project.NewWorkspace(s.Project)                    // settings, the directory
	s.Record.AddResumedDirs(ctx, s.Workspace)                        // the resumed session, workspace, the person
	s.extensions = extensions.Open(p, s.Workspace)                   // extensions, workspace
	s.Memory = project.NewMemory(s.Project, s.Workspace)             // settings, trust, workspace
	s.Processes = s.newProcesses()                                   // the home directory
	s.PromptLog = s.Record.NewPromptLog()                            // the home directory
	s.registry = tool.NewRegistry()                                  // nothing: tools join it below
	s.plans, err = plan.Open(s.Workspace, p.PlanDirectory(), s.ID()) // settings, workspace
	if err != nil {
		p.Warn("Warning: " + err.Error())
	}
	s.policy = rulebook.NewEngine(rulebook.EngineOptions{Project: p, Workspace: s.Workspace, Plans: s.plans, Rules: rules, Tools: s.options.Tools})
	s.Rulebook = rulebook.New(rulebook.Parts{ // settings, trust, rules, workspace, plans
		Project: p, Workspace: s.Workspace, Engine: s.policy, Tools: s.registry, Changed: s.refresh, Emit: s.Observers.Records.Emit,
	})
	s.Servers = servers.Open(servers.Parts{ // project, launcher, registry
		Project: p, Registry: s.registry, Launcher: p.Launcher, Roots: s.extensions.Roots, Rules: s.Rulebook.Rules, Model: s.serverModel,
	})
	s.closers = append(s.closers, s.Servers.Close)
	definitions := agents.ReadDefinitions(ctx, p, s.policy)             // settings, trust, policy, the person
	s.Observers.Start(s.Models, s.registry.Lookup, s.Rulebook.ModeName) // models, registry, policy
	s.given = quotation.New()                                           // nothing
	s.callers = &assembly.Callers{Messages: func() []agent.Message { return s.agent.MessagesAfter(nil) }}
	s.stack, err = assembly.NewStack(p, s.Models, assembly.StackOptions{ // models, records, policy
		Observed: s.Observers.Observe(s.Models), Given: s.given, HasCalled: s.callers.HasCalled, IsPlanning: func() bool { return s.Rulebook.Mode() == policy.Plan }, Record: s.options.Record,
	})
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, s.stack.Close)
	s.outputs = &record.Outputs{Project: p, ID: s.ID}
	s.builder = &assembly.Builder{
		Project: p, Models: s.Models, Generator: s.stack, Fallback: s.stack.Fallback, Records: s.Observers.Records, Outputs: s.outputs,
		Plan: s.plans.Approved, Stage: s.planStage,
	}
	s.Agents = agents.New(agents.Parts{
		Project: p, Definitions: definitions, Policy: s.policy, Builder: s.builder, Servers: s.Servers, Memory: s.Memory, Workspace: s.Workspace,
		Record: b.record, Given: s.given, Plans: s.plans, Registry: s.registry, Session: caller{s},
	})
	s.closers = append(s.closers, s.Agents.Close)
	if s.tools, err = toolset.Open(ctx, s.toolParts(), s.options.Tools); err != nil {
		return nil, err
	}
	s.tools.Spare(s.registry)
	s.Agents.LoadCards() // policy, tools
	s.Skills = skills.Open(skills.Parts{
		Project: p, Registry: s.registry, Tools: s.tools, Workspace: s.Workspace, Servers: s.Servers, Record: b.record, Changed: s.refreshInstruction,
	})
	s.Hooks = hooks.Open(hooks.Parts{ // settings, trust, plans, launcher, records
		Project: p, Policy: s.policy, Models: s.Models, Plans: s.plans, Registry: s.registry, Record: b.record, Records: s.Observers.Records,
		Servers: s.Servers, ServersOf: s.Agents.ServersOf, ID: s.ID,
		RequestConfig: func(model string) llm.Config { return s.agent.RequestConfig(model) },
	})
	s.closers = append(s.closers, s.Hooks.Close)
	s.instruction, err = s.newInstruction() // memory, policy, plans, registry, hooks
	if err != nil {
		return nil, err
	}
	s.Changes = &record.Changes{Record: b.record, History: s.History, Tool: s.registry.Find, Workspace: s.Workspace, Denies: s.Rulebook.DeniesWriting}
	s.titler = &record.Titler{
		Record: b.record, Models: s.Models, Generator: func() llm.Generator { return s.Observers.Observe(s.Models) }, ID: s.ID,
	}
	s.gate = s.newGate()
	s.Calls = owncalls.New(owncalls.Parts{
		Project: p, Models: s.Models, Gate: s.gate, Tools: s.tools, Registry: s.registry, Workspace: s.Workspace, Records: s.Observers.Records,
	})
	s.agent = s.newAgent()
	s.Observers.RecordConfig()
	s.Composer = compose.New(compose.Parts{
		Project: p, Workspace: s.Workspace, Memory: s.Memory, Models: s.Models, Outputs: s.outputs, Servers: s.Servers, Agents: s.Agents,
		Hooks: s.Hooks, Calls: s.Calls, Agent: s.agent, Opening: s.opening, Refresh: s.refresh,
	})
	s.Farewell = &farewell.Farewell{Project: p, Record: b.record, ID: s.ID}
	return s, nil
}

// newAgent builds the session's own agent.
func (s *Session) newAgent() *agent.Agent {
	return s.builder.Agent(s.Models.Current, func(c *agent.Config) {
		c.Tools, c.Gate, c.SessionID = s.registry, s.gate, s.ID()
		c.WhyHidden, c.System = s.tools.WhyHidden, s.instruction.For
		c.Context = []agent.Message{s.opening()}
		c.MaxTurns = maxTurns(s.Project.Settings())
		c.KeepUnanswered = s.Record.KeepsUnanswered
		c.IDE = watchIDE(s.options.IDE)
		c.NextSpeaker, c.Unfinished = s.builder.NextSpeaker(), s.builder.Unfinished()
		if set := s.Hooks.Set(); set != nil {
			c.Hooks = set
		}
		if j := s.Record.Journal(); j != nil {
			c.Journal = j
		}
	})
}

// toolParts are the parts of the session that tools use.
func (s *Session) toolParts() toolset.Parts {
	p := s.Project
	return toolset.Parts{
		Project: p, Models: s.Models, Generator: s.stack, Policy: s.policy, Registry: s.registry, Workspace: s.Workspace, Memory: s.Memory,
		Processes: s.Processes, Records: s.Observers.Records, Topic: &s.topic, Agents: s.Agents.Tool(),
		Plan: plan.Options{
			Workspace: s.Workspace, Dir: s.plans.Dir, Interactive: p.Options.Interactive, Then: p.PlanThen(),
			Mode: s.Rulebook.ModeName, SetMode: s.Rulebook.SetModeName, Approved: s.approvePlan,
		},
		Form: func() tool.Form {
			model := s.Models.Current().Model
			return s.builder.Form(model, s.Window(model))
		},
		HasOwnAgents: s.Agents.HasOwn, HasOwnSkills: func() bool { return s.Skills.HasOwn() },
	}
}

// caller is the session for its subagents.
type caller struct{ s *Session }

func (c caller) ID() string { return c.s.ID() }
func (c caller) MessagesAfter(seen *llm.Content) []agent.Message {
	return c.s.agent.MessagesAfter(seen)
}
func (c caller) Tools() *toolset.Set    { return c.s.tools }
func (c caller) Gate() *guard.Gate      { return c.s.gate }
func (c caller) Hooks() *hook.Set       { return c.s.Hooks.Set() }
func (c caller) Skills() []prompt.Skill { return c.s.Skills.ForPrompt() }
func (c caller) TreeItems() int         { return c.s.treeItems() }

// newGate makes the gate that all tool calls pass.
func (s *Session) newGate() *guard.Gate {
	o := guard.Options{
		Policy:      s.policy,
		Interactive: s.Project.Options.Interactive,
		Origins:     s.origins(),
		Given:       s.given,
		Tool:        s.registry.Lookup,
		Threshold:   config.TruncateToolOutput.In(s.Project.Settings()),
		OutputDir:   s.outputs.Dir,
		Log:         s.Project.Log,
	}
	if set := s.Hooks.Set(); set != nil {
		o.Hooks = set
	}
	if j := s.Record.Journal(); j != nil {
		o.Around = append(o.Around, record.SyncStep(j))
	}
	return guard.New(o)
}

func (s *Session) newProcesses() *shell.Processes {
	p := shell.NewProcesses(filepath.Join(s.Project.Paths.RuntimeDir(), "tmp", "background-processes"))
	if s.Record.Journal() != nil {
		p.SetSession(s.ID())
	}
	s.closers = append(s.closers, p.Close)
	s.Workspace.AllowRead(func() []string { // the model gets their paths
		var logs []string
		for _, c := range p.List() {
			logs = append(logs, c.Log)
		}
		return logs
	})
	return p
}

// maxTurns returns the session's limit of model requests; a negative setting is none.
func maxTurns(s *config.Settings) *int {
	n := config.MaxSessionTurns.In(s)
	if n < 0 {
		return nil
	}
	return &n
}

// watchIDE describes to the model the files that the person has open; nil where there is no IDE.
func watchIDE(state func() (ide.State, bool)) agent.IDE {
	if state == nil {
		return nil
	}
	return ide.New(state)
}

// origins knows which words of the conversation come from tools alone.
func (s *Session) origins() *origin.Tracker {
	after := func(seen *llm.Content) []agent.Message { return s.agent.MessagesAfter(seen) }
	return origin.New(after, s.Workspace.HasFile)
}
