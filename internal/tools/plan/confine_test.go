package plan_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/tools/file"
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
	writer := plan.Confine(file.NewWrite(h.Workspace, nil), plan.Options{Workspace: h.Workspace, Dir: func() string { return h.plans }, Mode: func() string { return h.mode }})
	denied := func(path string) string {
		return "Access denied: plan path (" + path + ") must be within the designated plans directory (" + h.plans + ")."
	}
	trap := filepath.Join(h.plans, "trap.md")
	for _, c := range []struct{ mode, path, refused, where string }{
		{mode: "plan", path: filepath.Join(h.plans, "a.md"), where: filepath.Join(h.plans, "a.md")},
		{mode: "plan", path: "plans/new.md", where: filepath.Join(h.plans, "new.md")},
		{mode: "plan", path: "named.md", where: filepath.Join(h.plans, "named.md")},
		{mode: "plan", path: code, refused: denied(code)},
		{mode: "plan", path: trap, refused: denied(trap)},
		{mode: "plan", path: h.outside + "/a.md", refused: denied(h.outside + "/a.md")},
		{mode: "default", path: "named.md", where: filepath.Join(h.root, "named.md")},
		{mode: "default", path: trap, where: code},
	} {
		h.mode = c.mode
		args, err := json.Marshal(map[string]string{"file_path": c.path, "content": "y"})
		if err != nil {
			t.Fatal(err)
		}
		inv, err := tool.Build(writer, args)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.refused {
			t.Errorf("%s in mode %s: %q, want %q", c.path, c.mode, got, c.refused)
		}
		if err == nil && inv.Locations()[0].Path != c.where {
			t.Errorf("%s in mode %s writes %v, want %s", c.path, c.mode, inv.Locations(), c.where)
		}
	}
}
