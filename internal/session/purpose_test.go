package session_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"pollux/agent"
	"pollux/internal/command"
	"pollux/internal/guard/trust"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/session"
)

// TestPurposes checks that the programs of a session pass its launcher, which sees why each runs.
func TestPurposes(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.file(filepath.Join(h.path, ".gemini", "settings.json"), `{"tools": {"discoveryCommand": "/bin/echo []", "callCommand": "/bin/echo"}}`)
	h.file(filepath.Join(h.dir, ".gemini", "settings.json"), `{"tools": {"callCommand": "/bin/false"},
		"hooks": {"SessionStart": [{"hooks": [{"type": "command", "name": "greet", "command": "true"}]}]}}`)
	var mu sync.Mutex
	seen := map[process.Purpose]bool{}
	launcher := process.NewLauncher(func(next process.Handler) process.Handler {
		return func(ctx context.Context, c *process.Command) (*process.Process, error) {
			mu.Lock()
			defer mu.Unlock()
			seen[c.For] = true
			return next(ctx, c)
		}
	})
	s, err := session.Open(t.Context(), session.Options{
		Project: project.Options{
			Dir: h.dir, Env: h.env, Folder: trust.Trusted, ApprovalMode: "yolo", Loaded: func(p *project.Project) { p.Launcher = launcher },
		},
		Generator: scripttest.Gemini(t, "turn\n  text ok\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, kind := range []command.Kind{command.Workspace, command.Extension} {
		c := &command.Command{Source: command.Source{Kind: kind}, Prompt: "Look: !{true}"}
		if _, err := s.Composer.Command(t.Context(), c, command.Call{Line: "/c", Name: "c"}); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.RunTyped(t.Context(), "true", nil); err != nil {
		t.Error(err)
	}
	for _, err := range s.Run(t.Context(), agent.TextPrompt("hello")) {
		if err != nil {
			t.Error(err)
		}
	}
	for _, want := range []process.Purpose{
		{Kind: process.KindTool, Origin: process.OriginProject},
		{Kind: process.KindHook, Origin: process.OriginProject, Name: "greet"},
		{Kind: process.KindShell, Origin: process.OriginProject},
		{Kind: process.KindShell, Origin: process.OriginExtension},
		{Kind: process.KindShell, Origin: process.OriginUser},
	} {
		if !seen[want] {
			t.Errorf("no command for %+v in %+v", want, seen)
		}
	}
}
