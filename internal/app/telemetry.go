package app

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"pollux/agent"
	"pollux/agent/route"
	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/guard/policy"
	"pollux/internal/telemetry"
	"pollux/internal/tools/shell"
	"pollux/llm"
	"pollux/llm/provider"
	"pollux/tool"
)

// Run puts a prompt to the agent, as [agent.Agent.Run] does, and tells of it where
// the user wants that.
func (a *App) Run(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error] {
	return a.telemetry.Run(ctx, p, a.Agent.Run)
}

// attempts returns the model g such that each request to it is counted, logged and
// told of.
func (a *App) attempts(o Options, g llm.Generator) llm.Generator {
	a.startTelemetry(o)
	return a.Stats.Meter(a.telemetry.Generator(logged(a.activity.Generator(g), o.Log)))
}

// startTelemetry begins to tell, where the user wants that. It belongs where it is known
// who answers, if anybody does.
func (a *App) startTelemetry(o Options) {
	a.telemetry = telemetry.Start(telemetry.Options{
		Settings: o.Telemetry,
		Path:     o.Paths.Absolute,
		Warn:     func(text string) { o.Warn("Warning: " + text) },
		Secrets:  func() []string { return a.secrets(o) },

		Version: o.Version, Session: a.SessionID, Interactive: o.Interactive, AuthType: string(a.Auth().Type),
		Installation: func() string { return installation(o.Paths) },
		Provider:     a.vendor,
		Tool:         func(name string) (tool.Tool, bool) { return a.registry.Lookup(name) },
		Mode:         a.modeName,
	})
}

// openActivity has what is logged and said written down, too, where the user wants
// that.
func (a *App) openActivity(o *Options) {
	path := o.Env.Get("GEMINI_CLI_ACTIVITY_LOG_TARGET")
	if path == "" {
		return
	}
	warn := o.Warn
	a.activity = telemetry.NewActivity(telemetry.ActivityOptions{
		Path: o.Paths.Absolute(path), Session: a.SessionID,
		Secrets: func() []string { return a.secrets(*o) },
		Warn:    func(text string) { warn("Warning: " + text) },
	})
	console := a.activity.Handler()
	o.Log = slog.New(slog.NewMultiHandler(o.Log.Handler(), console))
	told := slog.New(console)
	o.Warn = func(text string) {
		told.Warn(text)
		warn(text)
	}
}

// modeName returns the approval mode; before there is one, the usual one.
func (a *App) modeName() string {
	if a.modes == nil {
		return policy.Default.String()
	}
	return a.modes.name()
}

// tellConfig tells how the session is set up.
func (a *App) tellConfig(o Options) {
	if a.telemetry == nil {
		return
	}
	a.telemetry.Config(telemetry.Config{
		Model: a.Model(), CoreTools: toolSettings(o.Settings).Core,
		APIKey: a.Auth().APIKey != "", Vertex: a.models != nil && a.Auth().Protocol == provider.Vertex,
		GitIgnore: config.RespectGitIgnore.In(o.Settings), Debug: o.Log.Enabled(context.Background(), slog.LevelDebug),
		OutputFormat: config.OutputFormat.In(o.Settings),
	})
}

// CommandRan tells that a / command was run, by its name with its parents' before it,
// and whether it could not do what it was asked for.
func (a *App) CommandRan(name string, failed bool) { a.telemetry.Command(name, failed) }

// routed takes a decision about the model.
func (a *App) routed(o Options) func(id string, d route.Decision) {
	return func(id string, d route.Decision) {
		o.Log.Debug("routed", "prompt", id, "model", d.Model, "source", d.Source, "latency", d.Latency, "reasoning", d.Reasoning, "err", d.Err)
		a.telemetry.Routed(id, d.Model, d.Source, d.Latency, d.Reasoning, d.Err)
	}
}

// vendor names who serves a model, in OpenTelemetry's words where it has some.
func (a *App) vendor(model string) string {
	if a.models == nil {
		return "gcp.gen_ai" // whose answers are played
	}
	m, err := a.models.find(model)
	if err != nil {
		return "unknown"
	}
	switch m.account.Protocol {
	case provider.Gemini:
		return "gcp.gen_ai"
	case provider.Vertex:
		return "gcp.vertex_ai"
	}
	return m.account.ID
}

// secrets are the texts that nothing which is written down may hold: what proves
// who asks, and what the environment has under names that say so.
func (a *App) secrets(o Options) []string {
	texts := provider.Secrets(a.Auth().Access, provider.Network{})
	names := auth.Secrets(auth.Inputs{Settings: o.Settings, Env: o.Env})
	if a.models != nil {
		texts = provider.Secrets(a.Auth().Access, a.models.network)
		for p := range a.models.accounts.Table().All() {
			texts = append(texts, p.Secrets()...)
		}
	}
	for _, pair := range o.Env.List() {
		name, value, _ := strings.Cut(pair, "=")
		if isIn(names, name) || shell.Secret(name, value) {
			texts = append(texts, strings.TrimSpace(value))
		}
	}
	const shortest = 8 // what is shorter is a word
	kept := texts[:0]
	for _, text := range texts {
		if len(text) >= shortest && !filepath.IsAbs(text) { // the name of a file is none
			kept = append(kept, text)
		}
	}
	return kept
}

func isIn(names []string, name string) bool {
	for _, one := range names {
		if strings.EqualFold(one, name) {
			return true
		}
	}
	return false
}

// installation returns what tells this installation from others (spec/cli.md
// §4.1), and makes it where there is none.
func installation(p *config.Paths) string {
	const unknown = "123456789"
	path := filepath.Join(p.Runtime(), "installation_id")
	id, err := readShort(path)
	switch {
	case err == nil && id != "":
		return id
	case !errors.Is(err, fs.ErrNotExist):
		return unknown
	}
	id = uuid.NewString()
	if err = durable.MkdirAll(p.Runtime(), 0o700); err == nil {
		err = durable.WriteFile(path, []byte(id), 0o600)
	}
	if err != nil {
		return unknown
	}
	return id
}

// readShort returns the beginning of a small file, without the white space around it.
func readShort(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fs.ErrInvalid
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 100))
	return strings.TrimSpace(string(b)), err
}
