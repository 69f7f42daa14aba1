package plan_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/tools/fs"
	"pollux/internal/tools/plan"
	"pollux/tool"
)

func TestConfine(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.plans = filepath.Join(h.root, "plans")
	code := write(t, filepath.Join(h.root, "code.md"), "x")
	write(t, filepath.Join(h.plans, "a.md"), "x")
	if err := os.Symlink(code, filepath.Join(h.plans, "trap.md")); err != nil {
		t.Fatal(err)
	}
	writer := plan.Confine(fs.NewWrite(h.Workspace, nil), plan.Options{Workspace: h.Workspace, Dir: h.plans, Mode: func() string { return h.mode }})
	denied := func(path string) string {
		return "Access denied: plan path (" + path + ") must be within the designated plans directory (" + h.plans + ")."
	}
	trap := filepath.Join(h.plans, "trap.md")
	for _, c := range []struct{ mode, path, refused string }{
		{"plan", filepath.Join(h.plans, "a.md"), ""},
		{"plan", filepath.Join(h.plans, "new.md"), ""},
		{"plan", "plans/new.md", ""},
		{"plan", code, denied(code)},
		{"plan", trap, denied(trap)},
		{"plan", h.outside + "/a.md", denied(h.outside + "/a.md")},
		{"default", code, ""},
		{"default", trap, ""},
	} {
		h.mode = c.mode
		args, err := json.Marshal(map[string]string{"file_path": c.path, "content": "y"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = tool.Build(writer, args)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.refused {
			t.Errorf("%s in mode %s: %q, want %q", c.path, c.mode, got, c.refused)
		}
	}
}
