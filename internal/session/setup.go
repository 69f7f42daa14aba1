package session

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/journal"
	"pollux/internal/process"
	"pollux/internal/secret"
	"pollux/internal/telemetry"
	"pollux/internal/wording"
	"pollux/internal/worktree"
)

// Setup is the result of flags, settings, environment and trust in a directory: what a
// session needs to know before its parts are built.
type Setup struct {
	Options
	Paths    *config.Paths
	Settings *config.Settings
	// Env is the environment, with what the .env file that counts here adds to it.
	Env *config.Env
	// Trust says whether the folder is trusted.
	Trust trust.State
	// Worktree is the worktree of Pollux that the session is in, nil for none.
	Worktree *worktree.Worktree
	// Model is the model as the user named it, where Named is set, else the default.
	Model string
	Named bool
	Mode  policy.Mode
	// Telemetry says whether and where records are kept of what the session does.
	Telemetry telemetry.Settings
	Log       *slog.Logger
	// Launcher starts all programs. A sandbox is a middleware of it.
	Launcher process.Launcher

	logFile  *slog.Logger // nil for none
	logClose io.Closer
	policies *bool               // the answer about the project's policies
	newKeys  map[string]auth.Key // keys that the person typed in this session, by provider
	isMuted  *atomic.Bool        // warnings are dropped
	masking  *masking            // of secrets in what is written

	extensions *extensions

	journal *journal.Journal // nil if the conversation is not recorded
	resumed *journal.Session // the session to continue, until its history is restored; nil for none
	recap   *Recap           // of the resumed session, nil for none
	dirs    func() []string  // the workspace's directories, nil until there is one
	// skillFolders are the directories outside of the workspace that activated skills have made readable.
	skillFolders *folders

	// LeftOut are one-line warnings about what the run does without, for the JSON formats: because the user has not
	// seen it, or because it cannot have an effect.
	LeftOut []string
	lost    error // restrictions that the run must not do without, nil for none

	phases           []telemetry.Phase // of the start
	wasTrustAsked    bool              // the person has decided about the folder in this run
	refusedVariables []string          // of the folder's .env file
	refusedSettings  []string          // of extensions, in the folder's .env file
}

// Settle reads the user's settings for a directory, and asks about trust in it. It sends
// no request. Its errors carry the exit code of the program. The caller must close the
// setup, or the session that it opens with it.
func Settle(ctx context.Context, o Options) (_ *Setup, err error) {
	p := NewSetup(o)
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	began := time.Now()
	if err = p.Load(ctx); err != nil {
		return nil, err
	}
	p.phases = []telemetry.Phase{{Name: "load_settings", Start: began, End: time.Now()}}
	if o.Loaded != nil {
		o.Loaded(p)
	}
	if o.Asker == nil && o.Folder == trust.Unknown {
		if refused := trust.CheckTrusted(p.Trust); refused != nil {
			return nil, refused
		}
		if p.lost != nil {
			return nil, p.lost
		}
	}
	if lost := p.Settings.Lost(); o.Asker == nil && len(lost) > 0 {
		return nil, exit.Errorf(exit.Config, "Settings that restrict what runs are not valid, and a script does not go on without them:\n%s\nPlease fix the configuration and try again.", strings.Join(lost, "\n"))
	}
	if o.InWorktree {
		return p.settleInWorktree(ctx)
	}
	if p.Worktree != nil {
		_ = p.Worktree.Hold() // a session that was started in a read-only worktree works, too
	}
	p.ReadEnv()
	if err = p.RefuseSandbox(); err != nil {
		return nil, err
	}
	if p.Telemetry, err = telemetry.Resolve(p.Settings, p.Env); err != nil {
		return nil, err
	}
	for _, text := range p.startWarnings() {
		p.Warn(text)
	}
	p.warnUnused()
	if err = p.chooseMode(); err != nil {
		return nil, err
	}
	if o.Asker != nil && !p.IsTrusted() {
		p.Warn("This folder is not trusted: Pollux ignores its settings and instructions.\n" +
			"To trust it, type /permissions trust.")
	}
	return p, nil
}

// IsTrusted reports whether the folder is trusted.
func (p *Setup) IsTrusted() bool { return p.Trust == trust.Trusted }

// NewSetup returns the setup of a directory before any file is read.
func NewSetup(o Options) *Setup {
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	p := &Setup{
		Options: o, Paths: config.NewPaths(o.Env, o.Dir), Env: o.Env, Log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		isMuted: new(atomic.Bool), masking: new(masking), extensions: new(extensions), skillFolders: new(folders), Worktree: cmp.Or(o.entered, worktree.Find(o.Dir)),
		Launcher: process.NewLauncher(),
	}
	warn := o.Warn
	p.Warn = func(text string) {
		if p.isMuted.Load() {
			return
		}
		if o.Interactive { // scripts may look for the path
			text = p.Paths.DisplayText(text)
		}
		warn(text)
		if p.logFile != nil {
			p.logFile.Warn(text)
		}
	}
	return p
}

// Load reads the settings, and decides whether the folder is trusted.
func (p *Setup) Load(ctx context.Context) error {
	settings, warnings, err := p.read(ctx, func(s *config.Settings) (state trust.State, err error) {
		if p.Options.Folder != trust.Unknown {
			return p.Options.Folder, nil
		}
		state, err = p.Decide(s)
		if err == nil && state == trust.Unknown && p.Asker != nil {
			state, err = p.askTrust(ctx, s)
			p.wasTrustAsked = true
		}
		return state, err
	})
	if !p.InWorktree { // else they come again
		for _, w := range warnings {
			p.Warn(string(w))
		}
	}
	p.Settings = settings
	return err
}

// read reads the settings of a folder whose trust decide settles.
func (p *Setup) read(ctx context.Context, decide func(*config.Settings) (trust.State, error)) (*config.Settings, []config.Warning, error) {
	return config.Load(config.Sources{
		Paths: p.Paths, Env: p.Options.Env, Flags: p.Flags,
		Trusted: func(s *config.Settings) (trusted bool, err error) {
			p.Trust, err = decide(s)
			return p.IsTrusted(), err
		},
		Admit: func(s *config.Settings, workspace map[string]any) error { return p.admit(ctx, s, workspace) },
	})
}

// reload reads the settings again, without repeating warnings, and returns them with the variables
// that the user has refused by now.
func (p *Setup) reload() (_ *config.Settings, refused []string, _ error) {
	o := p.Options
	o.Warn, o.Asker = nil, nil
	again := NewSetup(o)
	err := again.Load(context.Background())
	return again.Settings, again.refusedVariables, err
}

// ReadEnv reads the .env file that counts here, and what depends on it: the model
// and the log.
func (p *Setup) ReadEnv() {
	for _, w := range p.setEnv() {
		p.Warn(string(w))
	}
	p.Model = config.Model(p.Options.Model, p.Env, p.Settings)
	p.Named = config.ChosenModel(p.Options.Model, p.Env, p.Settings) != ""
	p.openLog()
}

// setEnv sets the environment: with the .env file that counts here, without what the user has refused
// of it.
func (p *Setup) setEnv() []config.Warning {
	env, warnings := config.WithDotEnv(p.Options.Env, p.Settings, p.Paths)
	p.Env = env.Without(p.refusedVariables...)
	known := p.Env
	p.masking.set(func() []string { return secret.Values(known.List()) }) // all that is known before the models are
	return warnings
}

// Debugging reports whether debugging is on, by flag or environment.
func (p *Setup) Debugging() bool {
	on := func(name string) bool { v := p.Env.Get(name); return v == "1" || v == "true" }
	return p.Debug || on("DEBUG") || on("DEBUG_MODE")
}

// openLog opens the debug log: in DebugLog if debugging is on, and in the file that
// GEMINI_DEBUG_LOG_FILE names.
func (p *Setup) openLog() {
	var to []slog.Handler
	if p.Options.Log != nil {
		to = append(to, p.Options.Log.Handler())
	}
	if p.DebugLog != nil && p.Debugging() {
		to = append(to, slog.NewTextHandler(secret.NewWriter(p.DebugLog, p.masking.text), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	if path := p.Env.Get("GEMINI_DEBUG_LOG_FILE"); path != "" {
		file, closer, err := telemetry.DebugLog(p.Paths.Absolute(path), p.masking.text)
		if err != nil {
			p.Warn("Warning: Cannot write the debug log (GEMINI_DEBUG_LOG_FILE): " + err.Error())
		} else {
			p.logFile, p.logClose = slog.New(file), closer
			to = append(to, file)
		}
	}
	if len(to) > 0 {
		p.Log = slog.New(slog.NewMultiHandler(to...))
	}
}

// Close closes the log and the record of the conversation, and ends the use of the worktree.
func (p *Setup) Close() {
	if p.Worktree != nil {
		p.Worktree.Close()
	}
	if p.journal != nil {
		_ = p.journal.Close() // it has warned
	}
	if p.logClose != nil {
		_ = p.logClose.Close() // every line is written
		p.logClose = nil
	}
}

// startWarnings returns the warnings about the directory and the installation.
func (p *Setup) startWarnings() []string {
	warnings := config.InstallWarnings(p.Env)
	dir := p.Paths.Dir()
	if lost := worktree.Lost(dir); lost != "" {
		warnings = append(warnings, "Warning: "+lost+".")
	}
	decided := p.IsTrusted() && config.FolderTrust.In(p.Settings) // by the user
	if p.Paths.AtHome() && !decided && config.HomeWarning.In(p.Settings) {
		warnings = append(warnings, "Warning you are running Pollux in your home directory.\n"+
			"This warning can be disabled with: pollux config set ui.showHomeDirectoryWarning false")
	}
	if dir == filepath.Dir(dir) {
		warnings = append(warnings, "Warning: You are running Pollux in the root directory. "+
			"Your entire folder structure will be used for context. It is strongly recommended to run in a project-specific directory.")
	}
	return warnings
}

// InitialMode returns the approval mode with this name; "" is the one of the settings. In an
// untrusted folder it is the default, with a warning.
func (p *Setup) InitialMode(name string) (policy.Mode, error) {
	asked, err := p.askedMode(name)
	if err != nil {
		return 0, err
	}
	mode, warning := policy.StartMode(asked, p.IsTrusted())
	if warning != "" {
		p.Warn(warning)
	}
	return mode, nil
}

// askedMode returns the approval mode with this name; "" is the one of the settings.
func (p *Setup) askedMode(name string) (policy.Mode, error) {
	if name == "" {
		if name = config.DefaultApprovalMode.In(p.Settings); name == "yolo" {
			name = "default" // not something that a file may decide
		}
	}
	asked, err := policy.ParseMode(name)
	if err != nil {
		return 0, exit.Errorf(exit.General, "%w", err)
	}
	return asked, nil
}

// chooseMode settles the approval mode to begin in.
func (p *Setup) chooseMode() error {
	asked, err := p.askedMode(p.ApprovalMode)
	if err != nil {
		return err
	}
	switch {
	case asked == policy.Yolo && config.DisableYolo.In(p.Settings):
		return exit.Errorf(exit.Config, "Cannot start in YOLO mode since it is disabled in your settings: remove --yolo, or set security.disableYoloMode to false.")
	case asked == policy.Plan && !config.PlanEnabled.In(p.Settings):
		p.Warn(`Approval mode "plan" is disabled in your settings. Falling back to "default".`)
		asked = policy.Default
	}
	mode, warning := policy.StartMode(asked, p.IsTrusted())
	if warning != "" {
		p.Warn(warning)
	}
	if mode == policy.Yolo {
		p.Warn("YOLO mode is enabled. All tool calls will be automatically approved.")
	}
	p.Mode = mode
	return p.announcePlanThen()
}

// announcePlanThen warns that no user approves the plan of this run before it is carried out.
func (p *Setup) announcePlanThen() error {
	then := p.planThen()
	if p.Mode != policy.Plan || p.Interactive || then == "" {
		return nil
	}
	if then == policy.Yolo.String() && config.DisableYolo.In(p.Settings) {
		return exit.Errorf(exit.Config, "Cannot carry out a plan in YOLO mode since it is disabled in your settings: change pollux.planThen, or set security.disableYoloMode to false.")
	}
	p.Warn("Pollux carries out the plan without approval, in approval mode " + config.PlanThen.In(p.Settings) + " (pollux.planThen).")
	return nil
}

// planThen returns the mode in which a plan is carried out that no user can approve, "" if it is
// the answer.
func (p *Setup) planThen() string {
	m, err := policy.ParseMode(config.PlanThen.In(p.Settings))
	if err != nil || m <= policy.Default {
		return ""
	}
	return m.String()
}

// Open builds the session. If no model can be reached because a key is missing or refused, or
// because several models can be, it asks the person. The errors carry the exit code of the program. Requests to providers
// about their models, outside of prompts, end with ctx.
func (p *Setup) Open(ctx context.Context) (*Session, error) {
	if err := p.openJournal(ctx); err != nil {
		return nil, err
	}
	began := time.Now()
	s, err := build(ctx, p, nil)
	if err == nil {
		s.recordStartup(began)
	}
	switch {
	case err == nil || ctx.Err() != nil:
	case p.Offline:
		if offline, again := p.rebuild(ctx, err); again == nil {
			s, err = offline, nil
		}
	case p.Asker != nil:
		s, err = p.resolve(ctx, err)
	}
	switch {
	case err == nil:
		s.Log.Debug("start", "version", s.Version, "dir", s.Paths.Dir(), "settings", s.Settings.UserFile(),
			"model", s.Setup.Model, "approval", s.Setup.Mode.String(), "auth", s.Current().Account.Type, "session", s.ID())
		source := hook.StartupSource
		if s.resumed != nil {
			source = hook.ResumeSource
			s.restore(ctx)
		}
		s.startHooks(ctx, source)
		if s.Interactive {
			s.closers = append(s.closers, s.updateExtensions())
		}
		return s, nil
	case ctx.Err() != nil && p.Asker != nil: // the person does not want to be asked
		return nil, exit.Errorf(exit.Interrupted, "%s", wording.NotStarted)
	}
	return nil, err
}

// rebuild builds the session in a second attempt, which repeats no warnings of the first.
func (p *Setup) rebuild(ctx context.Context, unreachable error) (*Session, error) {
	p.isMuted.Store(true)
	defer p.isMuted.Store(false)
	return build(ctx, p, unreachable)
}

// quiet returns the setup without warnings.
func (p *Setup) quiet() *Setup {
	again := *p
	again.Warn = func(string) {}
	return &again
}

// UserAgentHeader returns the User-Agent header of requests, in the layout of Gemini CLI's; "{model}" stands for the model's name.
func (p *Setup) UserAgentHeader() string {
	if p.UserAgent != "" {
		return p.UserAgent
	}
	surface := p.Env.First("GEMINI_CLI_SURFACE", "SURFACE")
	if surface == "" {
		surface = "terminal"
		if p.Env.Get("GITHUB_SHA") != "" {
			surface = "GitHub"
		}
	}
	platform := strings.Replace(runtime.GOOS, "windows", "win32", 1)
	arch := strings.NewReplacer("amd64", "x64", "386", "ia32").Replace(runtime.GOARCH)
	return "Pollux/" + p.Version + "/{model} (" + platform + "; " + arch + "; " + surface + ")"
}
