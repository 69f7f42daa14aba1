// Package app puts an agent together: settings, credentials and a directory go
// in, an agent with its tools behind their gate comes out. It is the one place
// where the parts meet, and reads as the list of them.
//
// Nothing here is done before it is needed: what only a tool call needs is made
// when the first one comes.
package app

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"pollux/agent"
	"pollux/agent/loopdetect"
	"pollux/agent/nextspeaker"
	"pollux/internal/config"
	"pollux/internal/editor"
	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/memory"
	"pollux/internal/modelconfig"
	"pollux/internal/prompt"
	"pollux/internal/stats"
	"pollux/internal/telemetry"
	"pollux/internal/tools/shell"
	"pollux/internal/tools/topic"
	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/llm/fallback"
	"pollux/tool"
)

// Options are what an agent is made of.
type Options struct {
	Settings *config.Settings
	Env      *config.Env
	Paths    *config.Paths

	Model       string // as the user named it
	Named       bool   // the user did; else Model is the default
	SessionID   string
	Mode        policy.Mode
	Interactive bool // a person can be asked
	Trusted     bool // the working directory is
	UserAgent   string
	Version     string
	// Telemetry says whether and where records are kept of what the session does.
	Telemetry telemetry.Settings

	// Generator, where set, is the model; no credentials are then looked for.
	Generator llm.Generator
	// Unreachable, where set, is why no model can be asked: the app does then what
	// it can without one, and this is the error of everything else.
	Unreachable error
	// Editor returns what the person has open in an editor, false where there is
	// none; nil is for no editor.
	Editor func() (editor.State, bool)
	// Tools are more tools, behind the built-in ones.
	Tools []tool.Tool
	// AcceptPolicies asks the person whether the project's policy files, in this
	// directory, may count, as they are new or were changed.
	AcceptPolicies func(dir string) bool

	// Replay plays answers from a file in place of a model; ReplayAnyOrder
	// does not insist on their order. Record writes a model's answers to a file.
	Replay         string
	ReplayAnyOrder bool
	Record         string

	// Warn takes what the user should know and can live with.
	Warn func(string)
	// Log takes what only debugging needs.
	Log *slog.Logger
}

// App is a session's parts.
type App struct {
	Agent     *agent.Agent
	Workspace *workspace.Workspace
	Memory    *memory.Memory
	Stats     *stats.Session
	Loops     *loopdetect.Detector
	// Fallback knows which models can answer; its Reset belongs to a change of the
	// model by the user. nil when answers are played.
	Fallback *fallback.Generator
	// Processes are the commands that run, and those that ran in the background.
	Processes *shell.Processes

	options  Options // SessionID, Model and Named as they are now
	now      atomic.Pointer[now]
	choosing atomic.Bool // a model, for the user
	modes    *modes
	topic    topic.Topic
	models   *models // nil then
	configs  *modelconfig.Resolver
	registry *tool.Registry
	// searching is the tool that needs somebody who searches, typed that of a person.
	searching, typed tool.Tool
	told             *prompt.Instruction
	// These look on; nil is off.
	telemetry *telemetry.Telemetry
	activity  *telemetry.Activity
	closers   []func()
}

// Close ends what was left running.
func (a *App) Close() {
	for _, f := range a.closers {
		f()
	}
	a.telemetry.Close()
	a.activity.Close()
}

// New puts an app together. Its errors carry the exit code they deserve. With ctx,
// the session's, or with [App.Close] ends what is asked about models.
func New(ctx context.Context, o Options) (*App, error) {
	ctx, cancel := context.WithCancel(ctx)
	a := &App{Stats: stats.New(), options: o, closers: []func(){cancel}}
	a.now.Store(&now{id: o.SessionID, began: time.Now()})
	rules, err := policyFiles(o, accepted)
	if err != nil {
		a.Close()
		return nil, err
	}
	a.openActivity(&o)
	generator, err := a.generator(ctx, o)
	if err != nil {
		a.Close()
		return nil, err
	}
	a.Workspace = newWorkspace(o)
	a.Memory = newMemory(o, a.Workspace)
	a.modes = newModes(o, a.Workspace, rules)
	a.Processes = shell.NewProcesses(filepath.Join(o.Paths.Runtime(), "tmp", "background-processes"))
	a.closers = append(a.closers, a.Processes.Close)
	if a.registry, err = a.tools(ctx, o, generator, a.Processes); err != nil {
		a.Close()
		return nil, err
	}
	a.registry.Hide(a.hidden)
	if a.told, err = a.system(o, a.registry); err != nil {
		a.Close()
		return nil, err
	}
	gate := guard.New(guard.Options{
		Policy:      a.modes.engine,
		Interactive: o.Interactive,
		Origins:     a.origins(),
		Threshold:   config.TruncateToolOutput.In(o.Settings),
		OutputDir:   a.outputDir,
		Log:         o.Log,
	})
	a.Loops = a.loops(o, generator)
	a.Agent = agent.New(agent.Config{
		Generator: generator,
		Model:     a.Model(),
		Tools:     a.registry,
		Gate:      gate,
		SessionID: o.SessionID,
		System:    a.told.For,
		Sampling:  a.configs.Chat,
		Context:   []agent.Message{opening(o, a.Workspace, a.Memory)},
		Limit:     func(model string) int { return a.describe(model).Input },
		MaxTurns:  maxTurns(o.Settings),
		Retry:     streamRetry(o.Settings),
		Router:    a.router(o, generator),

		Compressor:   a.compressor(o, generator),
		Masker:       a.telemetry.Masker(a.masker(o)),
		Editor:       editorOf(o),
		LoopDetector: a.Loops,
		NextSpeaker:  a.nextSpeaker(o, generator),

		DropInvalidPrompts: config.HistoryDropInvalid.In(o.Settings),
		ContinueInvalid:    config.InvalidAnswerContinue.In(o.Settings),
		ForgetCancelled:    config.HistoryForget.In(o.Settings),
	})
	a.modes.refresh, a.modes.told, a.modes.telemetry = a.refresh, a.told, a.telemetry
	a.tellConfig(o)
	return a, nil
}

// loops notices a model that goes in circles.
func (a *App) loops(o Options, g llm.Generator) *loopdetect.Detector {
	d := loopdetect.New(loopdetect.Options{
		MaxCycle:  config.LoopMaxCycle.In(o.Settings),
		Interval:  config.LoopInterval.In(o.Settings),
		Single:    config.LoopSingle.In(o.Settings),
		Generator: g,
		Which:     a.configs.Utility,
		Asked: func(id string, j loopdetect.Judgement) {
			a.telemetry.LoopJudged(id, j.First, j.Model, j.Second)
		},
	})
	if config.DisableLoopDetection.In(o.Settings) {
		d.Disable()
	}
	return d
}

// nextSpeaker says who speaks after an answer without calls.
func (a *App) nextSpeaker(o Options, g llm.Generator) agent.NextSpeaker {
	off := config.SkipNextSpeaker.In(o.Settings)
	n := nextspeaker.New(nextspeaker.Options{Off: off, Generator: g, Which: a.configs.Utility})
	if off {
		return n // there is nothing to tell of
	}
	return a.telemetry.NextSpeaker(n)
}

func newWorkspace(o Options) *workspace.Workspace {
	s := o.Settings
	include := config.IncludeDirectories.In(s)
	for i := range include {
		include[i] = o.Paths.Expand(include[i])
	}
	ws, warnings := workspace.New(workspace.Options{
		Root:         o.Paths.Dir(),
		Include:      include,
		ProjectTemp:  o.Paths.ProjectTempPath(),
		GlobalMemory: MemoryFile(o),
		GitIgnore:    config.RespectGitIgnore.In(s),
		GeminiIgnore: config.RespectGeminiIgnore.In(s),
		IgnoreFiles:  config.CustomIgnoreFilePaths.In(s),
		GitExcludes:  filepath.Join(cmp.Or(o.Env.Get("XDG_CONFIG_HOME"), filepath.Join(o.Paths.Home(), ".config")), "git", "ignore"),
	})
	for _, w := range warnings {
		o.Warn("Warning: " + w.Error())
	}
	return ws
}

// maxTurns returns the session's limit; a negative setting is none.
func maxTurns(s *config.Settings) *int {
	n := config.MaxSessionTurns.In(s)
	if n < 0 {
		return nil
	}
	return &n
}

// streamRetry says how often an unusable answer is asked for again: never more
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

// outputDir is where tool output goes that is too large for the model.
func (a *App) outputDir() (string, error) {
	temp, err := a.options.Paths.ProjectTemp()
	if err != nil {
		return "", err
	}
	return filepath.Join(temp, "tool-outputs", "session-"+a.SessionID()), nil
}
