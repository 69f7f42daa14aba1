package hook

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestExamples runs the hooks of examples/hooks, as its settings file configures them.
func TestExamples(t *testing.T) {
	t.Parallel()
	const dir = "../../../examples/hooks"
	text, err := os.ReadFile(filepath.Join(dir, "settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	var settings struct{ Hooks map[string]json.RawMessage }
	if err := json.Unmarshal(text, &settings); err != nil {
		t.Fatal(err)
	}
	hooks, problems, _ := Read(Workspace, settings.Hooks)
	if len(problems) > 0 {
		t.Errorf("problems: %q", problems)
	}
	st := open(t, Options{Hooks: hooks})
	if err := os.CopyFS(filepath.Join(st.dir, ".gemini", "hooks"), os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"ok.go": "package  x\n", "bad.go": "package", "Makefile": "test:\n\tfalse\n"} {
		if err := os.WriteFile(filepath.Join(st.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	byName := map[string]Hook{}
	for _, h := range st.Hooks() {
		byName[h.Name] = h
	}
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name := range byName {
		if !strings.Contains(string(readme), "["+name+".") {
			t.Errorf("README.md does not name %s", name)
		}
	}
	has := func(program string) bool { _, err := exec.LookPath(program); return err == nil }
	for _, tt := range []struct{ hook, input, want, needs string }{
		{"protect", `{"tool_input": {"file_path": "a/yarn.lock"}}`, "blocks: a/yarn.lock is generated: change its source, and run the generator.", "sh"},
		{"protect", `{"tool_input": {"file_path": ".env"}}`, "blocks: Ask the user to change .env.", "sh"},
		{"protect", `{"tool_input": {"file_path": "main.go"}}`, "has no effect", "sh"},
		{"format", `{"tool_input": {"file_path": "ok.go"}}`, "has no effect", "python3 gofmt"},
		{"format", `{"tool_input": {"file_path": "bad.go"}}`, "adds for the model: gofmt fails for bad.go:", "python3 gofmt"},
		{"format", `{"tool_input": {"file_path": "x.txt"}}`, "has no effect", "python3"},
		{"context", `{}`, "has no effect", "sh git"}, // no repository
		{"redact", `{"llm_request": {"messages": [{"role": "user", "content": "AKIA0123456789ABCDEF"}]}}`, "changes the request", "node"},
		{"redact", `{}`, "has no effect", "node"},
		{"check", `{}`, "blocks: make test fails. Run it, and fix what it reports.", "sh make"},
		{"check", `{"stop_hook_active": true}`, "has no effect", "sh make"},
	} {
		skip := false
		for program := range strings.FieldsSeq(tt.needs) {
			skip = skip || !has(program)
		}
		if skip {
			continue
		}
		var changes map[string]json.RawMessage
		if err := json.Unmarshal([]byte(tt.input), &changes); err != nil {
			t.Fatal(err)
		}
		r := st.Try(t.Context(), byName[tt.hook], changes)
		if got := strings.Join(r.Effects, ", "); !strings.HasPrefix(got, tt.want) || r.Err != nil {
			t.Errorf("%s with %s: %s (%v, %s)", tt.hook, tt.input, got, r.Err, r.Stderr)
		}
	}
	if has("python3") && has("gofmt") {
		if text, _ := os.ReadFile(filepath.Join(st.dir, "ok.go")); string(text) != "package x\n" {
			t.Errorf("ok.go is %q", text)
		}
	}
	if has("git") {
		for _, args := range []string{"init -q -b main", `-c user.name=a -c user.email=a@b commit -q --allow-empty -m Say\s"hi"`} {
			c := exec.Command("git", strings.Fields(args)...)
			c.Dir = st.dir
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		if got := strings.Join(st.Try(t.Context(), byName["context"], nil).Effects, ", "); !strings.HasPrefix(got, `adds for the model: Branch and last commits: main;Say\s"hi"`) {
			t.Errorf("context: %s", got)
		}
	}
}
