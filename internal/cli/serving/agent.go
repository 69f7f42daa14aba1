package serving

import (
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/face/a2a"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/session"
	"pollux/internal/terminal"
)

// Address is where [Agent] listens. The zero value is a free port on this machine.
type Address struct {
	Host string
	Port int
	// HasPort says that Port is the user's choice, else it may come from the environment.
	HasPort bool
}

// TokenVariable is the variable with the secret that clients of [Agent] send. No session has it.
const TokenVariable = "POLLUX_A2A_TOKEN"

// Agent serves other programs by the protocol A2A until ctx ends. loaded is called with each project once its settings are read.
func Agent(ctx context.Context, t *terminal.Terminal, o session.Options, at Address, loaded func(p *project.Project, o *session.Options)) error {
	process.Seal() // the environment may hold keys, and commands run as the same user
	env := o.Project.Env
	log := newLog(t, env)
	a := a2a.Options{
		Host: at.Host, Port: at.Port, Token: strings.TrimSpace(env.Get(TokenVariable)), Root: env.Get("CODER_AGENT_ALLOWED_ROOT"),
		Out: t.Out, Log: log, Terminal: t, MustTrust: env.True("GEMINI_FOLDER_TRUST"),
		OnSession: func(s *session.Options) {
			s.Project.Loaded = func(p *project.Project) { loaded(p, s) }
		},
	}
	if err := locate(&a, env, at.HasPort); err != nil {
		return err
	}
	adopt(&o.Project, env)
	o.Project.DebugLog, o.Project.Env = t.Err, env.Without(TokenVariable)
	a.Session = o
	warnOfAgent(log, env, a.Token != "")
	return a2a.Serve(ctx, a)
}

// locate sets the port and the directories.
func locate(a *a2a.Options, env *config.Env, hasPort bool) (err error) {
	if text := env.Get("CODER_AGENT_PORT"); text != "" && !hasPort {
		if a.Port, err = strconv.Atoi(text); err != nil {
			return exit.Errorf(exit.Input, "CODER_AGENT_PORT is %q, which is not a number.", terminal.Cut(text, 20))
		}
	}
	if a.Port < 0 || a.Port > 0xffff {
		return exit.Errorf(exit.Input, "The port %d is not valid: use 1 to 65535, or 0 for a free one.", a.Port)
	}
	if a.Dir, err = config.WorkingDir(); err != nil {
		return err
	}
	paths := config.NewPaths(env, a.Dir)
	if dir := env.Get("CODER_AGENT_WORKSPACE_PATH"); dir != "" {
		a.Dir, a.IsFixed = paths.Absolute(dir), true
	}
	if a.Root == "" {
		a.Root = paths.Home()
	}
	a.Root = paths.Absolute(a.Root)
	return nil
}

// adopt adds the environment of Gemini CLI's server to the flags of all sessions.
func adopt(p *project.Options, env *config.Env) {
	p.Flags = maps.Clone(p.Flags)
	if p.Flags == nil {
		p.Flags = map[string]any{}
	}
	if env.True("GEMINI_YOLO_MODE") && p.ApprovalMode == "" {
		p.ApprovalMode = "yolo"
	}
	if value := env.Get("CHECKPOINTING"); value != "" {
		p.Flags[string(config.Checkpointing)] = value == "true"
	}
	if list := env.Get("CUSTOM_IGNORE_FILE_PATHS"); list != "" {
		var files []any
		for _, file := range filepath.SplitList(list) {
			files = append(files, file)
		}
		p.Flags[string(config.CustomIgnoreFilePaths)] = files
	}
}

// newLog returns the log, on standard error.
func newLog(t *terminal.Terminal, env *config.Env) *slog.Logger {
	level := slog.LevelInfo
	switch strings.ToLower(env.Get("LOG_LEVEL")) {
	case "error":
		level = slog.LevelError
	case "warn":
		level = slog.LevelWarn
	case "debug", "verbose", "silly":
		level = slog.LevelDebug
	}
	if env.True("DEBUG") {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(t.Err, &slog.HandlerOptions{Level: level}))
}
