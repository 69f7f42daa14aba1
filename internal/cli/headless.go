package cli

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"pollux/internal/app"
	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/face/headless"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/telemetry"
	"pollux/internal/terminal"
	"pollux/llm/catalog"
)

// Headless runs one prompt for a script: it settles what applies here, puts an
// agent together and lets the headless face tell of its work.
func Headless(ctx context.Context, req Request) error {
	h, err := settle(req, nil)
	if err != nil {
		return err
	}
	defer h.close()
	options := h.face()
	// Credentials come before standard input: who cannot be answered should
	// not be waited for.
	parts := h.app()
	a, err := assemble(ctx, parts, req.Query)
	if err != nil {
		return headless.Fail(options, err)
	}
	defer a.Close()
	parts.Log.Debug("start", "version", req.Version(), "dir", h.paths.Dir(), "settings", h.settings.UserFile(),
		"model", h.model, "approval", h.mode.String(), "auth", a.Auth().Type, "session", req.SessionID)
	text, err := headless.Prompt(ctx, headless.Input{
		Stdin: piped(req.Terminal), Words: req.Query, Flag: req.PromptGiven, Err: req.Terminal.Err,
		Patience: time.Duration(config.StdinPatience.In(h.settings) * float64(time.Millisecond)),
	})
	if err != nil {
		return headless.Fail(options, err)
	}
	options.Prompt, options.Stats = text, a.Stats
	if a.Auth().Profile != nil && !catalog.IsGemini(a.Model()) {
		options.Model = a.Model() // Gemini's aliases mean nothing with others
	}
	options.QuotaHint = quotaHint(a.Auth())
	text, said, err := h.command(ctx, a, text)
	switch {
	case err != nil:
		return headless.Fail(options, err)
	case said != "":
		return headless.Say(options, said)
	}
	prompt, leftOut, err := expand(ctx, a, text)
	if err != nil {
		return headless.Fail(options, err)
	}
	for _, what := range leftOut {
		h.warn("Warning: " + what)
	}
	return headless.Run(ctx, options, a.Run(ctx, prompt))
}

// session is what settings, environment, flags and trust come to, together.
type session struct {
	req      Request
	env      *config.Env
	paths    *config.Paths
	settings *config.Settings
	format   headless.Format
	model    string
	named    bool // by the user
	mode     policy.Mode

	telemetry telemetry.Settings
	log       *slog.Logger
	logFile   *slog.Logger // nil for none
	logClose  io.Closer
}

// settle reads what the user has set. Its errors end the run before anything
// is read from standard input or asked of a model.
// A folder that nobody has decided about is decided about by doubt; nil is for nobody
// who could.
func settle(req Request, doubt doubt) (*session, error) {
	h, state, err := load(req, doubt)
	if err != nil {
		return nil, err
	}
	req.SetFormat(config.OutputFormat.In(h.settings))
	h.format = headless.Format(config.OutputFormat.In(h.settings))
	if refused := trust.Refuse(state); refused != nil && doubt == nil {
		return nil, refused
	}
	h.readEnv()
	if err := refuseSandbox(h.settings, h.env); err != nil {
		return nil, err
	}
	if h.telemetry, err = telemetry.Resolve(h.settings, h.env); err != nil {
		return nil, err
	}
	h.warn(h.startWarnings(state)...)
	return h, h.chooseMode(state == trust.Trusted)
}

// look reads what the user has set for a command that runs nothing, in a folder
// that is trusted or not.
func look(t *terminal.Terminal, env *config.Env, model string) (*session, error) {
	h, _, err := load(Request{Terminal: t, Env: env, Flags: Flags{Model: model}}, nil)
	if err == nil {
		h.readEnv()
	}
	return h, err
}

// readEnv reads the .env file that counts here, and what depends on it.
func (h *session) readEnv() {
	env, warnings := config.WithDotEnv(h.req.Env, h.settings, h.paths)
	for _, w := range warnings {
		h.warn(string(w))
	}
	h.env = env
	h.model = config.Model(h.req.Flags.Model, h.env, h.settings)
	h.named = config.NamedModel(h.req.Flags.Model, h.env, h.settings) != ""
	h.openLog()
}

// doubt decides whether a folder is trusted where nobody has yet, by what the other
// settings say.
type doubt func(h *session, s *config.Settings) (trust.State, error)

// load reads the settings, and decides whether the folder is trusted.
func load(req Request, doubt doubt) (*session, trust.State, error) {
	dir, err := workingDir()
	if err != nil {
		return nil, trust.Unknown, err
	}
	h := &session{req: req, env: req.Env, paths: config.NewPaths(req.Env, dir)}
	state := trust.Unknown
	settings, warnings, err := config.Load(config.Sources{
		Paths: h.paths, Env: req.Env, Flags: req.Flags.Settings,
		Trusted: func(s *config.Settings) (bool, error) {
			var err error
			if state, err = h.decide(s); err == nil && state == trust.Unknown && doubt != nil {
				state, err = doubt(h, s)
			}
			return state == trust.Trusted, err
		},
	})
	for _, w := range warnings {
		h.warn(string(w))
	}
	h.settings = settings
	return h, state, err
}

// decide says whether the folder is trusted.
func (h *session) decide(s *config.Settings) (trust.State, error) { return trust.Decide(h.trust(s)) }

// trust is what that is decided by.
func (h *session) trust(s *config.Settings) trust.Options {
	return trust.Options{
		Dir: h.paths.Dir(), File: h.trustFile(), Enabled: config.FolderTrust.In(s),
		Restricted: h.req.Env.Get("GEMINI_RESTRICTED_MODE"),
		Workspace:  h.req.Env.Get("GEMINI_CLI_TRUST_WORKSPACE"),
	}
}

func (h *session) trustFile() string {
	if file := h.req.Env.Get("GEMINI_CLI_TRUSTED_FOLDERS_PATH"); file != "" {
		return file
	}
	return filepath.Join(h.paths.Gemini(), "trustedFolders.json")
}

// chooseMode settles the approval mode (spec/safety.md §4).
func (h *session) chooseMode(trusted bool) error {
	name := h.req.Flags.ApprovalMode
	if name == "" {
		if name = config.DefaultApprovalMode.In(h.settings); name == "yolo" {
			name = "default" // not something that a file may decide
		}
	}
	asked, err := policy.ParseMode(name)
	if err != nil {
		return exit.Errorf(exit.General, "%w", err)
	}
	switch {
	case asked == policy.Yolo && config.DisableYolo.In(h.settings):
		return exit.Errorf(exit.Config, "Cannot start in YOLO mode since it is disabled in your settings: remove --yolo, or set security.disableYoloMode to false.")
	case asked == policy.Plan && !config.PlanEnabled.In(h.settings):
		h.warn(`Approval mode "plan" is disabled in your settings. Falling back to "default".`)
		asked = policy.Default
	}
	mode, warning := policy.StartMode(asked, trusted)
	if warning != "" {
		h.warn(warning)
	}
	if mode == policy.Yolo {
		h.warn("YOLO mode is enabled. All tool calls will be automatically approved.")
	}
	h.mode = mode
	return nil
}

// face returns the options of the headless face.
func (h *session) face() headless.Options {
	f := h.req.Flags
	return headless.Options{
		Format: h.format, Out: h.req.Terminal.Out, Err: h.req.Terminal.Err,
		Raw: f.RawOutput, RawAccepted: !f.RawOutputWarning,
		Color: h.req.Terminal.ErrColor(), Debug: h.debug(),
		SessionID: h.req.SessionID, Model: h.model, Prompt: h.req.Query,
	}
}

// app returns the options of the agent.
func (h *session) app() app.Options {
	return app.Options{
		Settings: h.settings, Env: h.env, Paths: h.paths,
		Model: h.model, Named: h.named, SessionID: h.req.SessionID, Mode: h.mode, Trusted: h.settings.Trusted(),
		UserAgent: userAgent(h.req.Version, h.env), Version: h.req.Version(), Telemetry: h.telemetry,
		Replay: h.req.Flags.FakeResponses, ReplayAnyOrder: !h.req.Flags.FakeStrict,
		Record: h.req.Flags.RecordResponses,
		Warn:   func(text string) { h.warn(text) },
		Log:    h.log,
	}
}

func (h *session) debug() bool {
	on := func(name string) bool { v := h.env.Get(name); return v == "1" || v == "true" }
	return h.req.Flags.Debug || on("DEBUG") || on("DEBUG_MODE")
}

// quotaHint says what to do about a used-up quota, by the kind of account.
func quotaHint(c auth.Account) string {
	switch c.Type {
	case auth.VertexAI, auth.ComputeADC: // which is Vertex AI as the machine
		return headless.QuotaHintVertex
	case auth.GeminiAPIKey, auth.Gateway, "": // the last where answers are played
		return headless.QuotaHintKey
	}
	return "\nPlease wait and try again later, or name models to ask instead in pollux.fallback of your settings."
}

// piped returns standard input, unless it is a terminal.
func piped(t *terminal.Terminal) io.Reader {
	if t.InTTY {
		return nil
	}
	return t.In
}
