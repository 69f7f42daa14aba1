package journal

import (
	"os"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/secret"
	"pollux/llm"
	"pollux/tool"
)

// Secrets are in no line of the file, and in the history in memory. The file is one that can be loaded.
func TestMask(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := secret.NewMasker([]string{"hunter22&<x>"})
	j := New(Options{Dir: func() (string, error) { return dir, nil }, Now: func() time.Time { return start }, Mask: m.JSON})
	must(t, j.Begin(t.Context(), "id", []agent.Message{opening}))
	asked := message("p", llm.RoleUser, llm.Text("my password is hunter22&<x>\nok"))
	must(t, j.Append(t.Context(), agent.Entry{Message: asked}))
	called := message("m", llm.RoleModel, llm.Part{Text: "sk-0123456789abcdef0123", ThoughtSignature: "sk-0123456789abcdef0123"},
		llm.Part{FunctionCall: &llm.FunctionCall{ID: "c", Name: "x", Args: []byte(`{"a":"hunter22\u0026<x>","password":"short1"}`)}})
	must(t, j.Append(t.Context(), agent.Entry{Message: called}))
	shown := &tool.DiffDisplay{Diff: "-KEY=hunter22&<x>\n+KEY=\n", FilePath: "/a"}
	must(t, j.Append(t.Context(), agent.Entry{
		Message: message("r", llm.RoleUser, llm.Part{FunctionResponse: llm.Output("c", "x", "is hunter22&<x>")}),
		Calls:   []agent.CallRecord{{ID: "c", Name: "x", Status: agent.Success, Description: "use hunter22&<x>", Display: shown}},
	}))
	must(t, j.SetSummary("about hunter22&<x>"))
	if d := j.Calls()["r"][0].Display.(*tool.DiffDisplay); d != shown || !strings.Contains(asked.Content.Text(), "hunter22") {
		t.Errorf("the history has changed: %v", d)
	}
	path := j.Path()
	must(t, j.Close())
	data, err := os.ReadFile(path)
	must(t, err)
	if text := string(data); strings.Contains(text, "hunter22") || strings.Contains(text, "short1") || strings.Count(text, "sk-0123456789abcdef0123") != 1 {
		t.Errorf("the file is %s", text)
	}
	s, err := Load(path)
	must(t, err)
	if got := s.Entries[0].Content.Text(); got != "my password is [REDACTED]\nok" || len(s.Entries) != 3 || s.Lost != 0 || s.Summary != "about [REDACTED]" ||
		s.Entries[1].Content.Parts[0].ThoughtSignature != "sk-0123456789abcdef0123" {
		t.Errorf("loaded %q of %d, %d lost, %q", got, len(s.Entries), s.Lost, s.Summary)
	}
}
