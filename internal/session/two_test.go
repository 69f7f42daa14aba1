package session_test

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pollux/agent"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/session"
)

// TestTwoSessions runs two sessions in two directories of one process, side by side:
// each reads its own settings, .env file and memory, and writes its own files.
func TestTwoSessions(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	var all sync.WaitGroup
	for _, name := range []string{"one", "two"} {
		dir := filepath.Join(h.dir, name)
		h.file(dir+"/GEMINI.md", "You are in "+name+".")
		h.file(dir+"/.gemini/settings.json", `{"model": {"name": "gemini-2.5-`+map[string]string{"one": "pro", "two": "flash"}[name]+`"}}`)
		env := h.env.With("GEMINI_DEBUG_LOG_FILE=" + dir + "/debug.log")
		model := scripttest.Gemini(t, "turn\n  expect anywhere You are in "+name+".\n  call run_shell_command {\"command\": \"pwd > here\"}\nturn\n  text Done.\n")
		all.Go(func() {
			s, err := session.Open(t.Context(), session.Options{
				Project: project.Options{
					Dir: dir, Env: env, Folder: trust.Trusted, ApprovalMode: "yolo",
				},
				Generator: model,
			})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			var text string
			for e, err := range s.Run(t.Context(), agent.TextPrompt("Where are you?")) {
				if e, ok := e.(agent.Text); ok {
					text += e.Text
				}
				if err != nil {
					t.Error(err)
				}
			}
			if got := strings.TrimSpace(h.read(t, dir+"/here")); text != "Done." || got != dir {
				t.Errorf("%s: %q, in %s", name, text, got)
			}
			if model := s.Models.Current().Model; !strings.HasPrefix(model, "gemini-2.5-"+map[string]string{"one": "pro", "two": "flash"}[name]) {
				t.Errorf("%s: %s answers", name, model)
			}
			if log := h.read(t, dir+"/debug.log"); !strings.Contains(log, dir) {
				t.Errorf("%s: the log is %q", name, log)
			}
		})
	}
	all.Wait()
}
