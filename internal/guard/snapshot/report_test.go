package snapshot

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/internal/undo/store"
	"pollux/tool"
)

// TestChanges checks which calls have their changes in the record, and in the result for the model.
func TestChanges(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	isReported := true
	var noted []string
	s.parts.Changed = func(by string, o *store.Operation) {
		noted = append(noted, fmt.Sprintf("%s %s", by, filepath.Base(o.Changes[0].Path)))
	}
	s.parts.IsReported = func() bool { return isReported }
	s.parts.IsHidden = func(path string) bool { return filepath.Base(path) == "hidden" }
	s.parts.Mask = func(text string) string { return strings.ReplaceAll(text, "secret", "-") }
	step := Step(s.parts)
	path := filepath.Join(s.dir, "a")
	write := func(path, text string) func() { return func() { _ = os.WriteFile(path, []byte(text), 0o600) } }
	shell := spec("sh", tool.KindExecute)
	edit := foreseen{spec("edit", tool.KindEdit), tool.Effect{Paths: []string{path}}}
	edit.lines = tool.LineChange{Added: 5, Removed: 4}
	const diff = "\n<untrusted_context>\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n</untrusted_context>"
	for i, tt := range []struct {
		name   string
		tool   tool.Tool
		run    func()
		call   agent.ToolCall
		off    bool
		line   string
		report string
	}{
		{"a new file", shell, write(path, "1\n"), agent.ToolCall{}, false, "1 file created (+1, -0)", "[Changed files: 1 created (a +1)]"},
		{"nothing", shell, nil, agent.ToolCall{}, false, "", ""},
		{"the same content", shell, write(path, "1\n"), agent.ToolCall{}, false, "", ""},
		{"a change", remote{spec("mcp", tool.KindOther), false}, write(path, "2\n"), agent.ToolCall{}, false, "1 file changed (+1, -1)", "[Changed files: 1 changed (a)]" + diff},
		{"little room", shell, write(path, "3\n"), agent.ToolCall{Room: smallRoom - 1}, false, "1 file changed (+1, -1)", "[Changed files: 1 changed (a +1 -1)]"},
		{"an edit", edit, write(path, "4\n"), agent.ToolCall{}, false, "1 file changed (+5, -4)", ""},
		{"a typed command", shell, write(path, "5\n"), agent.ToolCall{Typed: true}, false, "1 file changed (+1, -1)", ""},
		{"a command of the client", shell, write(path, "6\n"), agent.ToolCall{FromClient: true}, false, "1 file changed (+1, -1)", ""},
		{"a command file", shell, write(path, "0\n"), agent.ToolCall{}, false, "1 file changed (+1, -1)", ""},
		{"switched off", shell, write(path, "7\n"), agent.ToolCall{}, true, "1 file changed (+1, -1)", ""},
		{"a secret", shell, write(path, "secret\n"), agent.ToolCall{}, false, "1 file changed (+1, -1)", "[Changed files: 1 changed (a +1 -1)]"},
		{"a hidden file", shell, write(filepath.Join(s.dir, "hidden"), "1\n"), agent.ToolCall{}, false, "1 file created (+1, -0)", "[Changed files: 1 created (hidden +1)]"},
		{"and its change", shell, write(filepath.Join(s.dir, "hidden"), "2\n"), agent.ToolCall{}, false, "1 file changed (+1, -1)", "[Changed files: 1 changed (hidden +1 -1)]"},
	} {
		isReported = !tt.off
		as := tt.tool
		switch f := as.(type) {
		case fake:
			f.run = tt.run
			as = f
		case foreseen:
			f.run = tt.run
			as = f
		case remote:
			f.run = tt.run
			as = f
		}
		tt.call.ID = fmt.Sprint(i)
		if tt.name != "a command file" {
			tt.call.PromptID = "p"
		}
		x := s.call(t, &tt.call, as, step)
		line, report := "", ""
		if x.Changes != nil {
			line, report = x.Changes.String(), x.Changes.Report
			if x.Changes.Operation == 0 {
				t.Errorf("%s: no number", tt.name)
			}
		}
		if line != tt.line || report != tt.report {
			t.Errorf("%s: %q %q\nwant %q %q", tt.name, line, report, tt.line, tt.report)
		}
		if text := x.Result.Content[0].Text; !strings.HasPrefix(text, "done") || tt.report == "" && text != "done" || !strings.HasSuffix(text, tt.report) {
			t.Errorf("%s: the model reads %q", tt.name, text)
		}
	}
	const sh = "Summary of sh "
	want := []string{sh + "a", sh + "a", "mcp Summary of mcp a", sh + "a", sh + "a", sh + "a", sh + "a", sh + "a", sh + "a", sh + "hidden", sh + "hidden"}
	if diff := cmp.Diff(want, noted); diff != "" {
		t.Errorf("noted (-want +got):\n%s", diff)
	}
}

// BenchmarkCall measures the step around a call in a tree of 500 files: one that changes nothing, an edit, and a command that
// changes a file.
func BenchmarkCall(b *testing.B) {
	for _, bb := range []struct {
		name      string
		isEdit    bool
		isChanged bool
	}{{"unchanged", false, false}, {"edit", true, true}, {"command", false, true}} {
		b.Run(bb.name, func(b *testing.B) {
			s := newSession(b)
			for i := range 500 {
				if err := os.WriteFile(filepath.Join(s.dir, fmt.Sprint(i)), []byte("text\n"), 0o600); err != nil {
					b.Fatal(err)
				}
			}
			path, text := filepath.Join(s.dir, "0"), strings.Repeat("line\n", 100)
			n := 0
			f := spec("sh", tool.KindExecute)
			f.run = func() {
				if n++; bb.isChanged {
					_ = os.WriteFile(path, []byte(text+fmt.Sprint(n)), 0o600)
				}
			}
			as := tool.Tool(f)
			if bb.isEdit {
				as = foreseen{f, tool.Effect{Paths: []string{path}}}
			}
			step := Step(s.parts)
			s.call(b, &agent.ToolCall{ID: "first"}, spec("sh", tool.KindExecute), step) // reads the tree
			for i := 0; b.Loop(); i++ {
				s.call(b, &agent.ToolCall{ID: fmt.Sprint(i)}, as, step)
			}
		})
	}
}

// TestIsAlone names no call to the model as the one that has changed a file if others may have.
func TestIsAlone(t *testing.T) {
	t.Parallel()
	began := time.Now()
	for _, c := range []struct {
		took   time.Duration
		beside []string
		want   bool
	}{{time.Second, nil, true}, {time.Second, []string{"serve (in the background)"}, false}, {time.Minute, nil, false}} {
		o := &store.Operation{Header: store.Header{Began: began, Ended: began.Add(c.took), Beside: c.beside}}
		if got := isAlone(o); got != c.want {
			t.Errorf("%v, %q: %v", c.took, c.beside, got)
		}
	}
}
