package session

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/project"
	"pollux/internal/records"
	"pollux/internal/secret"
	"pollux/internal/telemetry"
	"pollux/llm"
	"pollux/llm/observe"
	"pollux/llm/provider"
)

// newRecords returns the stream of what happens in the session. Each part emits it once.
func (s *Session) newRecords() *records.Stream {
	return records.New(s.Stats, s.options.Recent, s.log, s.Record.Journal(), s.telemetry)
}

// observed returns the model g such that each request to it is recorded and, where the user
// wants that, logged.
func (s *Session) observed(g llm.Generator) llm.Generator {
	if !s.Project.Log.Enabled(context.Background(), slog.LevelDebug) {
		return s.records.Observe(g, s.activity)
	}
	return s.records.Observe(g, s.activity, observe.Log(s.Project.Log))
}

// startTelemetry begins to record, where the user wants that; nil is off.
func (s *Session) startTelemetry() *telemetry.Telemetry {
	return telemetry.Start(telemetry.Options{
		Settings: s.Project.Telemetry,
		Path:     s.Project.Paths.Absolute,
		Warn:     func(text string) { s.Project.Warn("Warning: " + text) },
		Secrets:  s.secrets,

		Version: s.Project.Options.Version, Session: s.ID, Interactive: s.Project.Options.Interactive, AuthType: string(s.Current().Account.Type),
		Installation: func() string { return installation(s.Project.Paths) },
		Provider:     s.vendor,
		Tool:         s.registry.Lookup,
		Mode:         s.modeName,
	})
}

// openActivity has requests, warnings and the log written to a file, too, where the
// user wants that.
func (s *Session) openActivity() {
	path := s.Project.Env.Get("GEMINI_CLI_ACTIVITY_LOG_TARGET")
	if path == "" {
		return
	}
	s.activity = telemetry.NewActivity(telemetry.ActivityOptions{
		Path: s.Project.Paths.Absolute(path), Session: s.ID,
		Secrets: s.secrets,
		Warn:    func(text string) { s.Project.Options.Warn("Warning: " + text) }, // it does not record its own
	})
	console := s.activity.Handler()
	warnings := slog.New(console)
	s.closers = append(s.closers, s.Project.AddLog(console), s.Project.WatchWarnings(func(text string) { warnings.Warn(text) }))
}

// recordConfig records how the session is set up.
func (s *Session) recordConfig() {
	if s.telemetry == nil {
		return
	}
	account := s.Current().Account
	var names, ids []string
	for _, e := range s.Project.InstalledExtensions(context.Background()) { // which are read
		names, ids = append(names, e.Name), append(ids, e.ID)
	}
	s.records.Emit(records.SessionConfigured{
		Extensions: names, ExtensionIDs: ids,
		Model: s.Current().Model, CoreTools: project.ToolSettings(s.Project.Settings()).Core,
		APIKey: account.APIKey != "", Vertex: s.models.HasProvider() && account.Protocol == provider.Vertex,
		GitIgnore: config.RespectGitIgnore.In(s.Project.Settings()), Debug: s.Project.Log.Enabled(context.Background(), slog.LevelDebug),
		OutputFormat: config.OutputFormat.In(s.Project.Settings()), Worktree: s.Project.Worktree != nil,
	})
}

// recordStartup records how long the start took, whose last part began at a time.
func (s *Session) recordStartup(began time.Time) {
	if s.telemetry == nil || len(s.Project.Phases) == 0 {
		return
	}
	now := time.Now()
	s.records.Emit(records.SessionStarted{Phases: append(slices.Clip(s.Project.Phases),
		records.Phase{Name: "initialize_app", Start: began, End: now},
		records.Phase{Name: "cli_startup", Start: s.Project.Phases[0].Start, End: now})})
}

// RecordForcedExit records that the user had to press Ctrl+C a third time to end the program.
func (s *Session) RecordForcedExit() { s.records.Emit(records.ExitForced{}) }

// RecordCommand records that a / command was run, by its name with its parents'
// before it, and whether it failed.
func (s *Session) RecordCommand(name string, failed bool) {
	s.records.Emit(records.CommandRun{Name: name, Failed: failed})
}

// vendor names who serves a model, in OpenTelemetry's words where it has some.
func (s *Session) vendor(model string) string {
	if !s.models.HasProvider() {
		return "gcp.gen_ai" // whose answers are played
	}
	account, _, ok := s.models.Provider(model)
	if !ok {
		return "unknown"
	}
	switch account.Protocol {
	case provider.Gemini:
		return "gcp.gen_ai"
	case provider.Vertex:
		return "gcp.vertex_ai"
	}
	return account.ID
}

// secrets are the texts that nothing which is written down may hold: what proves
// who asks, and what the environment has under names that say so.
func (s *Session) secrets() []string {
	names := auth.SecretVariables(s.Project.Settings(), s.Project.Env)
	var texts []string
	if s.models != nil { // else nothing has been asked yet
		texts = s.models.Secrets()
	}
	texts = append(texts, s.Project.ExtensionSecrets()...)
	for _, key := range s.Project.NewKeys {
		texts = append(texts, key.Value)
	}
	return append(secret.Significant(texts), secret.Values(s.Project.Env.List(), names...)...)
}

// installation returns the id of this installation, and creates it if there is none.
func installation(p *config.Paths) string {
	const unknown = "123456789"
	path := filepath.Join(p.RuntimeDir(), "installation_id")
	id, err := readShort(path)
	switch {
	case err == nil && id != "":
		return id
	case !errors.Is(err, fs.ErrNotExist):
		return unknown
	}
	id = uuid.NewString()
	if err = durable.MkdirAll(p.RuntimeDir(), 0o700); err == nil {
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
