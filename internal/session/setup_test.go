package session

import (
	"context"
	"testing"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
)

// TestStartMode: settings choose the mode to begin in, except for one that allows
// everything, and for plan mode where it is disabled.
func TestStartMode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		flags map[string]any
		asked string
		want  policy.Mode
	}{
		{nil, "", policy.Default},
		{nil, "plan", policy.Plan},
		{nil, "yolo", policy.Yolo},
		{map[string]any{string(config.DefaultApprovalMode): "auto_edit"}, "", policy.AutoEdit},
		{map[string]any{string(config.DefaultApprovalMode): "yolo"}, "", policy.Default},
		{map[string]any{string(config.PlanEnabled): false}, "plan", policy.Default},
	} {
		p := projecttest.New(t, `{}`)
		p.Options.Flags, p.Options.ApprovalMode, p.Options.Warn = tt.flags, tt.asked, func(string) {}
		if err := p.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := p.ChooseMode(); err != nil || p.Mode != tt.want {
			t.Errorf("%v with %q begins in %v, %v", tt.flags, tt.asked, p.Mode, err)
		}
	}
}

// TestLoaded: who opens a session learns of the settings before anything that they
// decide about fails.
func TestLoaded(t *testing.T) {
	t.Parallel()
	loaded := false
	home := t.TempDir()
	_, err := Open(t.Context(), Options{Project: project.Options{
		Dir: t.TempDir(), Folder: trust.Trusted, Flags: map[string]any{"tools.sandbox": true, string(config.OutputFormat): "json"}, Env: config.NewEnv("HOME="+home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+home+"/none.json"), Loaded: func(p *project.Project) { loaded = config.OutputFormat.In(p.Settings()) == "json" },
	}})
	if exit.CodeOf(err) != exit.Sandbox || !loaded {
		t.Errorf("loaded %v, %v", loaded, err)
	}
}

// TestAuthInputs checks that the accounts of a session outlive the command that opened them.
func TestAuthInputs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &Session{Project: project.New(project.Options{Env: config.NewEnv()})}
	if err := s.authInputs(ctx).Context.Err(); err != nil {
		t.Error(err)
	}
}
