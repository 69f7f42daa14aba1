// Package project opens the directory that a session works in: its settings, environment, trust, worktree and
// extensions, and the files that these bring.
//
//   - [Open] reads the settings and the .env file, and asks the person whether to trust the directory. A [Project] is
//     all that a session needs to know before its parts are built.
//   - Settings, environment, trust, warnings and logs are live: all parts of a session, and all copies of a project,
//     have the same ones.
//   - [Project.Env] has the variables of the folder's .env file, which may come from strangers. [Options.Env] has none:
//     it decides where the user's files, credentials and programs are.
//   - powers.go is about the settings and variables that the user must see before they take effect.
package project

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/gitstate"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/host"
	"pollux/internal/person"
	"pollux/internal/process"
	"pollux/internal/records"
	"pollux/internal/sandbox/confine"
	"pollux/internal/sandbox/container"
	"pollux/internal/secret"
	"pollux/internal/telemetry"
	"pollux/internal/worktree"
)

// Options configure a [Project]. Dir and Env must be set.
type Options struct {
	// Dir is the directory to work in: absolute, without links.
	Dir string
	// Env is the environment that the program was started with.
	Env *config.Env
	// Flags are settings from the command line, by their keys.
	Flags map[string]any
	// Model is the model's name or alias; "" leaves it to environment and settings.
	Model string
	// ApprovalMode is the mode to begin in, as --approval-mode has it; "" leaves it to
	// the settings.
	ApprovalMode string
	// Extensions are the names of the extensions to use, whatever the user has enabled: "none" alone is none,
	// nil leaves it to the user.
	Extensions []string
	// InWorktree uses a Git worktree of the repository that Dir is in. WorktreeName is its
	// name, "" for a new one. Relative paths in other options start at Dir.
	InWorktree   bool
	WorktreeName string
	// Version is that of the program. UserAgent is the header of requests, "{model}" in
	// it being replaced by the model's name; "" names Pollux, the version and the system.
	Version   string
	UserAgent string

	// Asker asks the person, before a session can open and while it works; nil if there is no one.
	Asker person.Asker
	// Interactive says that the consumer of events answers each [agent.ToolAsked].
	Interactive bool
	// Folder is whether the folder is trusted, as the program has decided. If it is unknown, the user's
	// trusted folders, and then the Asker, decide; without an Asker the folder must be trusted.
	Folder trust.State
	// Hooks are the hooks of a program, beside those of the settings and of extensions.
	Hooks []hook.Hook
	Begun *hook.Begun // the session that a face may open again, nil for another one
	// Host has the parts of a session that the program provides in place of Pollux's own.
	Host host.Host

	// Loaded, if not nil, is called as soon as the settings are read, before an error that
	// depends on them can occur. With InWorktree, it is called for Dir and then for the worktree.
	Loaded func(*Project)
	// Warn is called with each warning: something that the user should know and that does
	// not prevent the session. The text is not sanitized for a screen. nil drops warnings.
	Warn func(text string)
	// Notify is called with each message that is no warning, such as the result of a sign-in; nil means Warn.
	Notify func(text string)
	// HooksRunning is called with the hooks that run when that changes, if the settings want it. It must not wait.
	HooksRunning func([]hook.Running)
	// Debug enables the log in DebugLog, and one on disk if the conversation is recorded. Log, if not nil, always gets it.
	Debug    bool
	DebugLog io.Writer
	Log      *slog.Logger

	entered *worktree.Worktree // that InWorktree names, once Dir is its path
}

// Project is a directory with its settings, environment and trust, and the flags of the command line.
type Project struct {
	Options Options
	Paths   *config.Paths
	// Launcher starts all programs. Sandbox, a middleware of it, confines those that the user has not chosen, while it is on.
	Launcher process.Launcher
	Sandbox  *confine.Confinement
	// Trust is whether the folder is trusted, now.
	Trust *trust.Live
	// Git describes the repository of the directory, as it is when the session starts.
	Git gitstate.Description
	// Worktree is the worktree of Pollux that the session is in, nil for none.
	Worktree *worktree.Worktree
	// Model is the model as the user named it, where Named is set, else the default.
	Model string
	Named bool
	Mode  policy.Mode
	// Telemetry says whether and where records of the session are kept.
	Telemetry telemetry.Settings
	Log       *slog.Logger

	settings *atomic.Pointer[config.Settings]  // copies of a project share it
	env      *atomic.Pointer[config.FolderEnv] // likewise
	dotEnv   config.DotEnv                     // it sets the variables that the person was asked about
	logClose io.Closer
	policies *bool               // the answer about the project's policies
	newKeys  map[string]auth.Key // see [Project.NewKeys]
	notices  *notices
	logs     logs
	masking  *masking // copies of a project share it

	extensions *extensions

	leftOut []string // see [Project.LeftOut]
	lost    error    // restrictions that the run must not do without, nil for none

	phases           []records.Phase // see [Project.Phases]
	wasTrustAsked    bool            // the person has decided about the folder in this run
	isDiagnosis      bool            // see [Project.Diagnose]
	refusedVariables []string        // of the folder's .env file
	refusedSettings  []string        // of extensions, in the folder's .env file
}

// Open reads the user's settings for a directory, and asks about trust in it. It sends
// no request. Its errors carry the exit code of the program. The caller must close the
// project, or the session that it opens with it.
func Open(ctx context.Context, o Options) (_ *Project, err error) {
	p := New(o)
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	release := p.Options.hold()
	defer func() {
		if !container.IsNeeded(err) { // else the session in the container warns again
			release()
		}
	}()
	began := time.Now()
	if err = p.Load(ctx); err != nil {
		return nil, err
	}
	p.phases = []records.Phase{{Name: "load_settings", Start: began, End: time.Now()}}
	if o.Loaded != nil {
		o.Loaded(p)
	}
	if o.Asker == nil && o.Folder == trust.Unknown {
		if refused := trust.CheckTrusted(p.Trust.State(), p.TrustOptions()); refused != nil {
			return nil, refused
		}
		if p.lost != nil {
			return nil, p.lost
		}
	}
	if err = config.CheckLost(p.Settings().Lost(), o.Asker != nil); err != nil {
		return nil, err
	}
	if o.InWorktree {
		release()
		return p.settleInWorktree(ctx)
	}
	if p.Worktree != nil {
		_ = p.Worktree.Hold() // a session that was started in a read-only worktree works, too
	}
	p.ReadEnv()
	sandbox, err := p.CheckSandbox()
	if err != nil {
		return nil, err
	}
	release()
	if p.Telemetry, err = telemetry.Resolve(p.Settings(), p.Env()); err != nil {
		return nil, err
	}
	if sandbox != "" {
		p.Warn(sandbox)
	}
	for _, text := range p.startWarnings() {
		p.Warn(text)
	}
	p.warnUnused()
	if err = p.ChooseMode(); err != nil {
		return nil, err
	}
	if o.Asker != nil && !p.IsTrusted() {
		p.Warn("This folder is not trusted: Pollux ignores its settings and instructions.\n" + trust.Advice(p.TrustOptions()))
	}
	return p, nil
}

// Phases returns the parts of the start that [Open] has finished, the first one first.
func (p *Project) Phases() []records.Phase { return p.phases }

// IsTrusted reports whether the folder is trusted.
func (p *Project) IsTrusted() bool { return p.Trust.IsTrusted() }

// New returns the project in a directory before any file is read.
func New(o Options) *Project {
	if o.Warn == nil {
		o.Warn, o.Notify = func(string) {}, nil
	}
	if o.Notify == nil {
		o.Notify = o.Warn
	}
	p := &Project{
		Options: o, Paths: config.NewPaths(o.Env, o.Dir), Worktree: cmp.Or(o.entered, worktree.Find(o.Dir)),
		Trust: trust.NewLive(trust.Unknown), settings: new(atomic.Pointer[config.Settings]), env: new(atomic.Pointer[config.FolderEnv]),
		masking: new(masking), extensions: new(extensions), newKeys: map[string]auth.Key{},
		notices: new(notices), logs: logs{new(live[slog.Handler])},
	}
	p.Git, p.Sandbox = gitstate.Describe(p.Paths.Dir()), newConfinement(p)
	p.Launcher = process.NewLauncher(append(slices.Clone(o.Host.Launch), p.Sandbox.Middleware)...)
	p.env.Store(config.NewFolderEnv(o.Env))
	p.Log = slog.New(p.logs)
	if o.Log != nil {
		p.AddLog(o.Log.Handler())
	}
	return p
}

// Load reads the settings, and decides whether the folder is trusted.
func (p *Project) Load(ctx context.Context) error {
	p.dotEnv = config.DotEnv{}
	settings, warnings, err := p.read(ctx, func(s *config.Settings) (state trust.State, err error) {
		if p.Options.Folder != trust.Unknown {
			return p.Options.Folder, nil
		}
		state, err = p.Decide(s)
		if err == nil && state == trust.Unknown && p.Options.Asker != nil {
			state, err = p.askTrust(ctx, s)
			p.wasTrustAsked = true
		}
		return state, err
	}, nil)
	if !p.Options.InWorktree { // else they come again
		for _, w := range warnings {
			p.Warn(string(w))
		}
	}
	p.settings.Store(settings)
	return err
}

// Diagnose is [Project.Load] for a person who checks their setup. It has the result of a script, but asks and records
// nothing. Files that cannot be read are left out and passed to onBroken. trustErr is from reading the decision about trust.
func (p *Project) Diagnose(ctx context.Context, onBroken func(config.Scope, string, error)) (warnings []config.Warning, trustErr, err error) {
	p.isDiagnosis = true
	settings, warnings, err := p.read(ctx, func(s *config.Settings) (state trust.State, _ error) {
		state, trustErr = p.Decide(s)
		return state, nil
	}, onBroken)
	p.settings.Store(cmp.Or(settings, &config.Settings{}))
	return warnings, trustErr, err
}

// read reads the settings of a folder whose trust decide settles.
func (p *Project) read(ctx context.Context, decide func(*config.Settings) (trust.State, error), onBroken func(config.Scope, string, error)) (*config.Settings, []config.Warning, error) {
	return config.Load(config.Sources{
		Paths: p.Paths, Env: p.Options.Env, Flags: p.Options.Flags, OnBroken: onBroken,
		Trusted: func(s *config.Settings) (bool, error) {
			state, err := decide(s)
			p.Trust.Set(state)
			return p.IsTrusted(), err
		},
		Admit: func(s *config.Settings, workspace map[string]any) error { return p.admit(ctx, s, workspace) },
	})
}

// Settings returns the settings as they were read last, nil if they were not read. It may be called during a run.
func (p *Project) Settings() *config.Settings { return p.settings.Load() }

// Reload reads the settings again, without repeating warnings. After an error they stay as they are. The parts
// of the session that were built with them, such as its rules, do not change.
func (p *Project) Reload() error {
	_, err := p.reload()
	return err
}

// reload is [Project.Reload], and returns the project as it is read now.
func (p *Project) reload() (*Project, error) {
	o := p.Options
	o.Warn, o.Asker = nil, nil
	again := New(o)
	if err := again.Load(context.Background()); err != nil {
		return nil, err
	}
	p.settings.Store(again.Settings())
	return again, nil
}

// ReadEnv reads the .env file that counts here, sets the model, and opens the log.
func (p *Project) ReadEnv() {
	for _, w := range p.setEnv() {
		p.Warn(string(w))
	}
	p.Model = config.Model(p.Options.Model, p.Env(), p.Settings())
	p.Named = config.ChosenModel(p.Options.Model, p.Env(), p.Settings()) != ""
	p.openLog()
}

// setEnv sets the environment: with the .env file that counts here, without the variables that the user has refused.
func (p *Project) setEnv() []config.Warning {
	env, warnings := p.dotEnv.Extend(p.Options.Env, p.Settings(), p.Paths)
	env = env.Without(p.refusedVariables...)
	p.env.Store(env)
	p.masking.set(func() []string { return secret.Values(env.List()) }) // all that is known before the models are
	return warnings
}

// Env returns the environment in the folder. Until [Project.ReadEnv] it has no variables of the project.
func (p *Project) Env() *config.FolderEnv { return p.env.Load() }

// Debugging reports whether debugging is on, by flag or environment.
func (p *Project) Debugging() bool {
	on := func(name string) bool { v := p.Env().Get(name); return v == "1" || v == "true" }
	return p.Options.Debug || on("DEBUG") || on("DEBUG_MODE")
}

// openLog opens the debug log: in DebugLog if debugging is on, and in the file that
// GEMINI_DEBUG_LOG_FILE names, which has the warnings as well.
func (p *Project) openLog() {
	clean := func(text string) string { return p.LogMasker().Text(text) }
	if p.Options.DebugLog != nil && p.Debugging() {
		p.AddLog(slog.NewTextHandler(secret.NewWriter(p.Options.DebugLog, clean), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	path := p.Env().User().Get("GEMINI_DEBUG_LOG_FILE")
	if path == "" {
		return
	}
	file, closer, err := telemetry.DebugLog(p.Paths.Absolute(path), clean)
	if err != nil {
		p.Warn("Warning: Cannot write the debug log (GEMINI_DEBUG_LOG_FILE): " + err.Error())
		return
	}
	p.logClose = closer
	p.AddLog(file)
	warnings := slog.New(file)
	p.WatchWarnings(func(text string) { warnings.Warn(text) })
}

// Close closes the log and the record of the conversation, ends the use of the worktree, and closes the sandbox.
func (p *Project) Close() {
	p.Sandbox.Close()
	if p.Worktree != nil {
		p.Worktree.Close()
	}
	if p.logClose != nil {
		_ = p.logClose.Close() // every line is written
		p.logClose = nil
	}
}

// startWarnings returns the warnings about the directory and the installation.
func (p *Project) startWarnings() []string {
	warnings := config.InstallWarnings(p.Options.Env)
	dir := p.Paths.Dir()
	if lost := worktree.Lost(dir); lost != "" {
		warnings = append(warnings, "Warning: "+lost+".")
	}
	decided := p.IsTrusted() && config.FolderTrust.In(p.Settings()) // by the user
	if p.Paths.AtHome() && !decided && config.HomeWarning.In(p.Settings()) {
		warnings = append(warnings, "Warning you are running Pollux in your home directory.\n"+
			"This warning can be disabled with: pollux config set ui.showHomeDirectoryWarning false")
	}
	if dir == filepath.Dir(dir) {
		warnings = append(warnings, "Warning: You are running Pollux in the root directory. "+
			"Your entire folder structure will be used for context. It is strongly recommended to run in a project-specific directory.")
	}
	return warnings
}

// UserAgentHeader returns the User-Agent header of requests, in the layout of Gemini CLI's; "{model}" stands for the model's name.
func (p *Project) UserAgentHeader() string {
	if p.Options.UserAgent != "" {
		return p.Options.UserAgent
	}
	surface := p.Env().First("GEMINI_CLI_SURFACE", "SURFACE")
	if surface == "" {
		surface = "terminal"
		if p.Env().Get("GITHUB_SHA") != "" {
			surface = "GitHub"
		}
	}
	return UserAgent(p.Options.Version, surface)
}

// ServiceAgent returns the User-Agent header of a project's requests to services, which need not know the model.
func ServiceAgent(p *Project) string {
	return strings.Replace(p.UserAgentHeader(), "/{model}", "", 1)
}

// UserAgent returns the header of requests for a version of Pollux and the kind of program that it works in.
func UserAgent(version, surface string) string {
	platform := strings.Replace(runtime.GOOS, "windows", "win32", 1)
	arch := cmp.Or(map[string]string{"amd64": "x64", "386": "ia32"}[runtime.GOARCH], runtime.GOARCH)
	return "Pollux/" + version + "/{model} (" + platform + "; " + arch + "; " + surface + ")"
}
