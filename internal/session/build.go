package session

import (
	"cmp"
	"context"
	"path/filepath"
	"time"

	"pollux/agent"
	"pollux/agent/loopdetect"
	"pollux/agent/nextspeaker"
	"pollux/agent/unfinished"
	"pollux/internal/config"
	"pollux/internal/guard"
	"pollux/internal/ide"
	"pollux/internal/models"
	"pollux/internal/project"
	"pollux/internal/record"
	"pollux/internal/records"
	"pollux/internal/servers"
	"pollux/internal/stats"
	"pollux/internal/tools/shell"
	"pollux/llm"
	"pollux/llm/quotation"
	"pollux/tool"
)

// build makes the parts of a session, each after those that it needs, which are
// behind it. Where unreachable is set, the session does without a model.
//
// Parts that need the conversation itself (the compressor, the tracker of untrusted
// words, what refreshes after a change) hold the session and use it while a prompt runs.
func (b *builder) build(ctx context.Context, unreachable error) (_ *Session, err error) {
	p := b.project
	ctx, cancel := context.WithCancel(ctx)
	s := &Session{Project: p, Record: b.record, options: b.options, closers: []func(){cancel}}
	defer func() {
		if err != nil {
			s.closeParts() // the setup has an owner, who may try again
		}
	}()
	s.closers = append(s.closers, s.closeAgentServers, s.closeRemoteAgents)
	s.begin(b.record.SessionID(), false)
	s.options.Recent.Record(records.SessionBegan{ID: s.ID()}) // before the other sinks, for crash reports
	s.openActivity()                                          // environment
	s.Project.LoadExtensions(ctx)                             // environment, settings, trust
	s.openLog()                                               // environment, settings
	rules, err := s.loadRules(ctx)                            // settings, trust, the person
	if err != nil {
		return nil, err
	}
	s.models, err = s.openModels(ctx, unreachable) // settings, credentials, the network
	if err != nil {
		return nil, err
	}
	s.eraseSecrets()                                     // models
	s.Stats = &stats.Counter{Price: s.price}             // models
	s.Workspace = project.NewWorkspace(s.Project)        // settings, the directory
	s.Record.AddResumedDirs(ctx, s.Workspace)            // the resumed session, workspace, the person
	s.openExtensionFiles()                               // extensions, workspace
	s.Memory = project.NewMemory(s.Project, s.Workspace) // settings, trust, workspace
	s.Processes = s.newProcesses()                       // the home directory
	s.PromptLog = s.Record.NewPromptLog()                // the home directory
	s.registry = tool.NewRegistry()                      // nothing: tools join it below
	s.Servers = servers.Open(servers.Parts{              // project, launcher, registry
		Project: p, Registry: s.registry, Launcher: p.Launcher, Roots: s.serverRoots, Rules: s.Rules, Model: s.serverModel,
	})
	s.closers = append(s.closers, s.Servers.Close)
	s.plans = newPlans(s.Project, s.Workspace, s.ID()) // settings, workspace
	s.policy = s.newPolicy(rules, true)                // settings, trust, rules, workspace, plans
	s.saved = rules.Saved                              // rules
	s.openAgents(ctx)                                  // settings, trust, policy, the person
	s.telemetry = s.startTelemetry()                   // settings, models, registry, policy
	s.records = s.newRecords()                         // stats, telemetry
	s.given = quotation.New()                          // nothing
	generator, err := s.generator()                    // models, stats, telemetry, policy
	if err != nil {
		return nil, err
	}
	s.sampler = generator
	if err := s.addTools(ctx, generator); err != nil { // all of these
		return nil, err
	}
	s.loadCards()          // subagents, policy, tools
	s.loadSkills()         // settings, trust, workspace, servers, registry
	s.hooks = s.newHooks() // settings, trust, plans, launcher, records
	if s.hooks != nil {
		s.closers = append(s.closers, s.hooks.Close)
	}
	s.instruction, err = s.newInstruction() // memory, policy, plans, registry, hooks
	if err != nil {
		return nil, err
	}
	s.Changes = &record.Changes{Record: b.record, History: s.History, Tool: s.anyTool, Workspace: s.Workspace, Denies: s.denies}
	s.titler = &record.Titler{
		Record: b.record, Models: s.models, Generator: func() llm.Generator { return s.observed(s.models) }, ID: s.ID,
	}
	s.gate = s.newGate()
	s.agent = NewAgent(s.models, p.Settings(), s.parts(generator))
	s.recordConfig()
	return s, nil
}

// Parts are what differs between agents. Model, Generator, Tools and Gate must be set.
type Parts struct {
	Model     string
	Generator llm.Generator
	Tools     *tool.Registry
	Gate      agent.Gate
	// Use is the purpose of the requests, "" for the main conversation. Sampling returns their parameters;
	// nil uses those of the user's chats.
	Use      llm.Use
	Sampling func(model string, retry bool) llm.Config
	// WhyHidden returns why the model does not see a tool; nil gives no reasons.
	WhyHidden func(name string) string
	// NotFound returns the answer to a call of a tool that the agent does not have, "" for the usual one.
	NotFound func(name string) string
	// Instruction returns the system instruction in a form; nil is for none.
	Instruction func(form tool.Form) *llm.Content
	// Form returns the form of the instruction and the tools for a model with a context window
	// of this size in tokens, 0 if it is unknown; nil says more to older models.
	Form func(model string, window int) tool.Form
	// Context opens the conversation, before the first prompt.
	Context   []agent.Message
	SessionID string
	// MaxTurns bounds the requests of the agent; nil does not.
	MaxTurns *int
	// Attempts bounds how often an unusable answer is asked for again; 0 leaves that
	// to the settings.
	Attempts int

	// These may be nil.
	Hooks        agent.Hooks
	Router       agent.Router
	Compressor   agent.Compressor
	Masker       agent.Masker
	Shortener    agent.Shortener
	IDE          agent.IDE
	LoopDetector agent.LoopDetector
	NextSpeaker  agent.NextSpeaker
	Journal      agent.Journal
	// KeepUnanswered reports whether a prompt without a response stays, see [agent.Config]; nil keeps
	// none.
	KeepUnanswered func(cause error) bool
	// StandIn finds another model where responses break off; nil finds none.
	StandIn func(model, promptID string, err error) bool
	// Unfinished reports whether a response leaves work undone; nil reports none.
	Unfinished func(agent.Ending) bool
}

// NewAgent builds an agent of these parts, with the user's settings for models: the
// session's own, or one beside it such as a subagent.
func NewAgent(m *models.Directory, s *config.Settings, p Parts) *agent.Agent {
	retry := streamRetry(s)
	retry.Attempts = cmp.Or(p.Attempts, retry.Attempts)
	if p.Sampling == nil {
		p.Sampling = m.ChatConfig
	}
	return agent.New(agent.Config{
		Generator: p.Generator,
		Model:     p.Model,
		Tools:     p.Tools,
		Gate:      p.Gate,
		WhyHidden: p.WhyHidden,
		NotFound:  p.NotFound,
		SessionID: p.SessionID,
		System:    p.Instruction,
		Form:      p.Form,
		Use:       p.Use,
		Sampling:  p.Sampling,
		Context:   p.Context,
		Limit:     func(model string) int { return m.Describe(model).Input },
		MaxTurns:  p.MaxTurns,
		Retry:     retry,
		Hooks:     p.Hooks,
		Router:    p.Router,
		Journal:   p.Journal,

		Compressor:   p.Compressor,
		Masker:       p.Masker,
		Shortener:    p.Shortener,
		IDE:          p.IDE,
		LoopDetector: p.LoopDetector,
		NextSpeaker:  p.NextSpeaker,
		Unfinished:   p.Unfinished,
		StandIn:      p.StandIn,

		DropInvalidPrompts: config.HistoryDropInvalid.In(s),
		ContinueInvalid:    config.InvalidAnswerContinue.In(s),
		ForgetCancelled:    config.HistoryForget.In(s),
		KeepUnanswered:     p.KeepUnanswered,
	})
}

// parts are those of the session's own agent.
func (s *Session) parts(g llm.Generator) Parts {
	p := Parts{
		Model:       s.Current().Model,
		Generator:   g,
		Tools:       s.registry,
		Gate:        s.gate,
		WhyHidden:   s.whyHidden,
		Instruction: s.instruction.For,
		Form:        s.form,
		Context:     []agent.Message{s.opening()},
		SessionID:   s.ID(),
		MaxTurns:    maxTurns(s.Project.Settings()),

		KeepUnanswered: s.Record.KeepsUnanswered,

		Router:       s.router(g, s.models.Current),
		Compressor:   s.compressor(g, func(model string) llm.Config { return s.agent.RequestConfig(model) }),
		Masker:       s.records.Masker(s.masker()),
		Shortener:    s.shortener(),
		IDE:          watchIDE(s.options.IDE),
		LoopDetector: s.loops(g),
		NextSpeaker:  s.nextSpeaker(g),
		Unfinished:   s.unfinished(),
	}
	if s.hooks != nil {
		p.Hooks = s.hooks
	}
	if s.fallback != nil {
		p.StandIn = s.fallback.Fail
	}
	if j := s.Record.Journal(); j != nil {
		p.Journal = j
	}
	return p
}

// newGate makes the gate that all tool calls pass.
func (s *Session) newGate() *guard.Gate {
	o := guard.Options{
		Policy:      s.policy,
		Interactive: s.Project.Options.Interactive,
		Origins:     s.origins(),
		Given:       s.given,
		Tool:        s.registry.Lookup,
		Threshold:   config.TruncateToolOutput.In(s.Project.Settings()),
		OutputDir:   s.outputDir,
		Log:         s.Project.Log,
	}
	if s.hooks != nil {
		o.Hooks = s.hooks
	}
	if j := s.Record.Journal(); j != nil {
		o.Around = append(o.Around, record.SyncStep(j))
	}
	return guard.New(o)
}

// loops returns the detector of models that repeat themselves.
func (s *Session) loops(g llm.Generator) *loopdetect.Detector {
	d := loopdetect.New(loopdetect.Options{
		MaxCycle:     config.LoopMaxCycle.In(s.Project.Settings()),
		Interval:     config.LoopInterval.In(s.Project.Settings()),
		SingleJudge:  config.LoopSingle.In(s.Project.Settings()),
		Generator:    g,
		ResolveModel: s.models.UtilityConfig,
		OnJudgement: func(id string, j loopdetect.Judgement) {
			s.records.Emit(records.LoopChecked{PromptID: id, First: j.First, Model: j.Model, Second: j.Second})
		},
	})
	if config.DisableLoopDetection.In(s.Project.Settings()) {
		d.Disable()
	}
	return d
}

// nextSpeaker returns what decides who speaks after a response without tool calls.
func (s *Session) nextSpeaker(g llm.Generator) agent.NextSpeaker {
	off := config.SkipNextSpeaker.In(s.Project.Settings())
	n := nextspeaker.New(nextspeaker.Options{Disabled: off, Generator: g, ResolveModel: s.models.UtilityConfig})
	if off {
		return n // there is nothing to record
	}
	return s.records.NextSpeaker(n)
}

// unfinished returns what finds responses that leave work undone. It is nil where the next
// speaker is asked for, which finds them too. A plan announces work, so that it is no such
// response.
func (s *Session) unfinished() func(agent.Ending) bool {
	if !config.Nudge.In(s.Project.Settings()) || !config.SkipNextSpeaker.In(s.Project.Settings()) {
		return nil
	}
	return func(e agent.Ending) bool { return !s.isPlanning() && unfinished.Check(e) }
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

// streamRetry returns how often an unusable answer is asked for again: never more
// often than a failed request.
func streamRetry(s *config.Settings) agent.StreamRetry {
	attempts := config.MaxAttempts.In(s)
	if attempts <= 0 {
		attempts = 10 // as for requests
	}
	return agent.StreamRetry{
		Attempts: max(1, min(config.InvalidAnswerAttempts.In(s), attempts)),
		Delay:    time.Duration(config.InvalidAnswerDelay.In(s) * float64(time.Second)),
		Linear:   config.InvalidAnswerLinear.In(s),
	}
}

// watchIDE describes to the model what the person has open; nil where there is no IDE.
func watchIDE(state func() (ide.State, bool)) agent.IDE {
	if state == nil {
		return nil
	}
	return ide.New(state)
}

// outputDir returns the directory for tool output that is too large for the model,
// and makes it a project's.
func (s *Session) outputDir() (string, error) {
	temp, err := s.Project.Paths.ProjectTemp()
	if err != nil {
		return "", err
	}
	return filepath.Join(temp, "tool-outputs", "session-"+s.ID()), nil
}
