package serving

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/config"
	"pollux/internal/face/a2a"
	"pollux/internal/project"
	"pollux/internal/terminal"
)

// TestAdopt checks which variables of Gemini CLI's server become flags of the sessions.
func TestAdopt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env   []string
		mode  string
		flags map[string]any
	}{
		{nil, "", map[string]any{}},
		{[]string{"GEMINI_YOLO_MODE=true"}, "yolo", map[string]any{}},
		{[]string{"GEMINI_YOLO_MODE=1"}, "", map[string]any{}},
		{[]string{"CHECKPOINTING=true"}, "", map[string]any{"general.checkpointing.enabled": true}},
		{[]string{"CHECKPOINTING=false"}, "", map[string]any{"general.checkpointing.enabled": false}},
		{[]string{"CUSTOM_IGNORE_FILE_PATHS=/a:b"}, "", map[string]any{"context.fileFiltering.customIgnoreFilePaths": []any{"/a", "b"}}},
	} {
		given := map[string]any{}
		p := project.Options{Flags: given}
		adopt(&p, config.NewEnv(tt.env...))
		if diff := cmp.Diff(tt.flags, p.Flags); diff != "" || p.ApprovalMode != tt.mode || len(given) != 0 {
			t.Errorf("%q: mode %q, %s", tt.env, p.ApprovalMode, diff)
		}
	}
	p := project.Options{ApprovalMode: "plan"}
	if adopt(&p, config.NewEnv("GEMINI_YOLO_MODE=true")); p.ApprovalMode != "plan" {
		t.Errorf("the flag does not count: %q", p.ApprovalMode)
	}
}

// TestLocate checks where the agent listens, and where its tasks may be.
func TestLocate(t *testing.T) {
	t.Parallel()
	env := config.NewEnv("HOME=/home/me", "CODER_AGENT_PORT=4000", "CODER_AGENT_WORKSPACE_PATH=/home/me/work")
	var a a2a.Options
	if err := locate(&a, env, false); err != nil || a.Port != 4000 || a.Dir != "/home/me/work" || !a.IsFixed || a.Root != "/home/me" {
		t.Errorf("%+v, %v", a, err)
	}
	a = a2a.Options{Port: 5000, Root: "/srv"}
	if err := locate(&a, env, true); err != nil || a.Port != 5000 || a.Root != "/srv" {
		t.Errorf("%+v, %v", a, err)
	}
	if err := locate(&a2a.Options{}, config.NewEnv("CODER_AGENT_PORT=99999"), false); err == nil {
		t.Error("a port that does not exist is accepted")
	}
}

// TestLogLevels checks which messages the log has.
func TestLogLevels(t *testing.T) {
	t.Parallel()
	quiet := &terminal.Terminal{Err: terminal.NewWriter(io.Discard)}
	for variable, want := range map[string]slog.Level{
		"": slog.LevelInfo, "LOG_LEVEL=error": slog.LevelError, "LOG_LEVEL=WARN": slog.LevelWarn, "LOG_LEVEL=debug": slog.LevelDebug, "LOG_LEVEL=other": slog.LevelInfo, "DEBUG=true": slog.LevelDebug,
	} {
		log := newLog(quiet, config.NewEnv(variable))
		if !log.Enabled(context.Background(), want) || log.Enabled(context.Background(), want-1) {
			t.Errorf("%s: not %v", variable, want)
		}
	}
}
