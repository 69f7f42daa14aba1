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
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pollux/agent"
	"pollux/agent/loopdetect"
	"pollux/agent/nextspeaker"
	"pollux/docs"
	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/editor"
	"pollux/internal/exit"
	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/memory"
	"pollux/internal/modelconfig"
	"pollux/internal/prompt"
	"pollux/internal/stats"
	"pollux/internal/telemetry"
	toolask "pollux/internal/tools/ask"
	"pollux/internal/tools/discovered"
	tooldocs "pollux/internal/tools/docs"
	"pollux/internal/tools/fs"
	toolmemory "pollux/internal/tools/memory"
	"pollux/internal/tools/plan"
	"pollux/internal/tools/search"
	"pollux/internal/tools/shell"
	"pollux/internal/tools/todo"
	"pollux/internal/tools/topic"
	"pollux/internal/tools/web"
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

// web is how the web is reached: as the models are.
func (a *App) web(o Options, g llm.Generator) web.Options {
	reach := web.Options{Generator: g, Which: a.configs.Utility, Direct: config.DirectWebFetch.In(o.Settings), FellBack: a.telemetry.WebFetchFellBack}
	if a.models != nil {
		n := a.models.network
		reach.Proxy, reach.NoProxy, reach.RootCAs = n.Proxy, n.NoProxy, n.RootCAs
	}
	return reach
}

// tools are the built-in tools, in the order in which the model sees them.
func (a *App) tools(ctx context.Context, o Options, g llm.Generator, processes *shell.Processes) (*tool.Registry, error) {
	s, ws := o.Settings, a.Workspace
	var corrector fs.Corrector
	if !config.DisableLLMCorrection.In(s) {
		corrector = fs.NewModelCorrector(g, a.configs.Utility)
	}
	ripgrep := sync.OnceValue(func() string {
		if !config.UseRipgrep.In(s) {
			return ""
		}
		path := ripgrep(o, ws)
		if path == "" {
			a.telemetry.NoRipgrep()
		}
		return path
	})
	watched := fs.Watched(fs.EditWatch{Made: a.telemetry.EditMade, Corrected: a.telemetry.EditCorrected})
	reach := a.web(o, g)
	plans := plan.Options{
		Workspace: ws, Dir: a.modes.plans, Interactive: o.Interactive,
		Mode: a.modes.name, SetMode: a.modes.set, Approved: a.modes.approve,
	}
	commands := shell.Options{
		Workspace:         ws,
		Environ:           o.Env.List(),
		Redact:            redaction(o),
		InactivityTimeout: time.Duration(config.ShellInactivityTimeout.In(s) * float64(time.Second)),
		Processes:         processes,
	}
	a.typed = shell.NewTyped(commands)
	var builtin []tool.Tool
	if config.TopicUpdates.In(s) {
		builtin = append(builtin, topic.New(&a.topic))
	}
	builtin = append(
		builtin,
		memory.Wrap(fs.NewList(ws), a.Memory),
		memory.Wrap(fs.NewReadFile(ws), a.Memory),
		search.NewGrep(ws, search.GrepOptions{Ripgrep: ripgrep}),
		search.NewGlob(ws),
		memory.Wrap(plan.Confine(fs.NewReplace(ws, corrector, watched), plans), a.Memory),
		memory.Wrap(plan.Confine(fs.NewWrite(ws, corrector), plans), a.Memory),
		web.NewFetch(reach),
		shell.New(commands),
		shell.NewList(processes),
		shell.NewRead(processes),
	)
	a.searching = web.NewSearch(reach)
	builtin = append(builtin, a.searching)
	if o.Interactive {
		builtin = append(builtin, toolask.New())
	}
	if config.WriteTodos.In(s) {
		builtin = append(builtin, todo.New())
	}
	if config.PlanEnabled.In(s) {
		enter, exit := plan.Tools(plans)
		builtin = append(builtin, exit, enter)
	}
	core := toolSettings(s)
	if config.SaveMemory.In(s) || core.Core != nil { // else models edit the files
		builtin = append(builtin, toolmemory.NewSave(MemoryFile(o)))
	}
	if pages := tooldocs.New(docs.Pages); core.Names(pages.Spec()) {
		builtin = append(builtin, pages)
	}
	builtin = slices.DeleteFunc(builtin, func(t tool.Tool) bool { return !core.Registers(t.Spec()) })
	own, err := ownTools(ctx, o)
	return tool.NewRegistry(slices.Concat(builtin, own, o.Tools)...), err
}

// ownTools are the tools that a command of the user's lists.
func ownTools(ctx context.Context, o Options) ([]tool.Tool, error) {
	if !discovers(o) {
		return nil, nil
	}
	tools, err := discovered.Discover(ctx, discovery(o))
	if err != nil {
		return nil, exit.Errorf(exit.Config, "%w", err)
	}
	return tools, nil
}

// discovers reports whether the user has such a command.
func discovers(o Options) bool { return config.ToolsDiscovery.In(o.Settings) != "" && o.Trusted }

func discovery(o Options) discovered.Options {
	return discovered.Options{
		Discovery: config.ToolsDiscovery.In(o.Settings), Call: config.ToolsCall.In(o.Settings),
		Dir: o.Paths.Dir(), Environ: o.Env.List(),
	}
}

// redaction says which variables commands do not get. Those that the user's own
// providers have their keys from are secrets whatever they are called; the names of
// the others show it.
func redaction(o Options) shell.Redaction {
	r := shell.Redaction{
		Enabled: config.RedactionEnabled.In(o.Settings),
		Allowed: config.RedactionAllowed.In(o.Settings),
		Blocked: config.RedactionBlocked.In(o.Settings),
	}.WithoutSensitive()
	if _, own := o.Settings.Lookup(string(config.ModelProviders)); own && (r.Enabled || len(r.Allowed) > 0) {
		secrets := auth.Secrets(auth.Inputs{Settings: o.Settings, Env: o.Env})
		r.Blocked = append(slices.Clip(r.Blocked), secrets...)
		r.Allowed = slices.DeleteFunc(r.Allowed, func(name string) bool {
			return slices.ContainsFunc(secrets, func(secret string) bool { return strings.EqualFold(name, secret) })
		})
	}
	return r
}

// system returns what the model is told before all else. The user's own text
// (GEMINI_SYSTEM_MD) is read now, for without it the session must not begin.
func (a *App) system(o Options, registry *tool.Registry) (*prompt.Instruction, error) {
	m := a.Memory
	own, _, err := ownInstruction(o)
	if err != nil {
		return nil, err
	}
	temp := o.Paths.ProjectTempPath()
	values := func(string) prompt.System {
		var names []string
		for _, t := range registry.Active() {
			names = append(names, t.Spec().Name)
		}
		texts := m.Texts()
		return prompt.System{
			Interactive: o.Interactive,
			Mode:        a.modes.name(),
			Git:         inGit(o.Paths.Dir()),
			Sandbox:     o.Env.Get("SANDBOX"),
			Tools:       names,
			PlanDir:     a.modes.plans(),
			Plan:        a.modes.approved(),
			Topic:       a.topic.Title(),
			Files: prompt.MemoryFiles{
				Project: memoryNames(o.Settings)[0],
				Private: filepath.Join(temp, "memory", "MEMORY.md"),
				Global:  MemoryFile(o),
			},
			Memory: prompt.Memory{Global: texts.Global, Private: texts.Private, Plain: texts.All, Names: memoryNames(o.Settings)},
			Own:    own,
			Env:    o.Env.Get,
		}
	}
	return prompt.NewInstruction(values, func(text string) {
		file := prompt.File(o.Env.Get("GEMINI_WRITE_SYSTEM_MD"), o.Paths.Dir(), o.Paths.Expand)
		if file == "" {
			return
		}
		if err := prompt.Write(file, text); err != nil {
			o.Warn("Warning: " + err.Error())
		}
	}), nil
}

// ownInstruction reads what the user tells the model in the place of Pollux's own text,
// and says from which file; nil for nothing.
func ownInstruction(o Options) (own *prompt.Template, file string, err error) {
	if file = prompt.File(o.Env.Get("GEMINI_SYSTEM_MD"), o.Paths.Dir(), o.Paths.Expand); file != "" {
		own, err = prompt.ReadTemplate(file)
	}
	return own, file, err
}

// opening returns the message that opens the conversation.
func opening(o Options, ws *workspace.Workspace, m *memory.Memory) agent.Message {
	texts := m.Texts()
	c := prompt.Context{
		Now:     time.Now(),
		OS:      strings.Replace(runtime.GOOS, "windows", "win32", 1),
		TempDir: o.Paths.ProjectTempPath(),
		Dirs:    ws.Dirs(),

		Extensions: texts.Extension,
		Project:    texts.Project,
	}
	if config.IncludeDirectoryTree.In(o.Settings) {
		c.Tree = ws.Tree()
	}
	return c.Message()
}

// inGit reports whether dir or a directory above it is a git work tree.
func inGit(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
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
