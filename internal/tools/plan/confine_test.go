package plan_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
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
	writer := plan.Confine(file.NewWrite(h.Workspace, nil, nil), plan.Options{Workspace: h.Workspace, Dir: func() string { return h.plans }, Mode: func() string { return h.mode }})
	denied := func(path string) string {
		return "Access denied: plan path (" + path + ") must be within the designated plans directory (" + h.plans + "). In plan mode only plans are written."
	}
	trap := filepath.Join(h.plans, "trap.md")
	for _, c := range []struct{ mode, path, refused, where string }{
		{mode: "plan", path: filepath.Join(h.plans, "a.md"), where: filepath.Join(h.plans, "a.md")},
		{mode: "plan", path: "plans/new.md", where: filepath.Join(h.plans, "new.md")},
		{mode: "plan", path: "named.md", where: filepath.Join(h.plans, "named.md")},
		{mode: "plan", path: "plans/named.md", where: filepath.Join(h.plans, "named.md")},
		{mode: "plan", path: "code.md", refused: denied("code.md")},
		{mode: "plan", path: "a.md", where: filepath.Join(h.plans, "a.md")},
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

// TestWritten checks that a model need not read a plan that it has written, unless the file has changed.
func TestWritten(t *testing.T) {
	t.Parallel()
	for _, isChanged := range []bool{false, true} {
		h := build(t)
		h.mode = "plan"
		o := plan.Options{
			Workspace: h.Workspace, Dir: func() string { return h.plans }, Mode: func() string { return h.mode },
			SetMode: func(mode string) error { h.mode = mode; return nil }, Interactive: true, Written: new(plan.Written),
		}
		if err := os.MkdirAll(h.plans, 0o700); err != nil {
			t.Fatal(err)
		}
		run(t, call(t, plan.Confine(file.NewWrite(h.Workspace, nil, nil), o), map[string]any{"file_path": "a.md", "content": "# Do it"}))
		if isChanged {
			write(t, filepath.Join(h.plans, "a.md"), "# Do it better")
		}
		_, exit := plan.Tools(o)
		text := run(t, call(t, exit, map[string]any{"plan_filename": "a.md"}))
		if strings.Contains(text, "without reading it again") == isChanged || strings.Contains(text, "Read it,") != isChanged {
			t.Errorf("changed: %v: %s", isChanged, text)
		}
	}
}

// TestPlanNames checks which plan a model means where the plans are outside the project.
func TestPlanNames(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.mode = "plan"
	write(t, filepath.Join(h.root, "README.md"), "x")
	write(t, filepath.Join(h.root, "both.md"), "x")
	write(t, filepath.Join(h.plans, "both.md"), "x")
	o := plan.Options{Workspace: h.Workspace, Dir: func() string { return h.plans }, Mode: func() string { return h.mode }}
	writer := plan.Confine(file.NewWrite(h.Workspace, nil, nil), o)
	for path, want := range map[string]string{
		"new.md": "new.md", "both.md": "both.md", filepath.Base(h.plans) + "/new.md": "new.md", "deep/new.md": "deep/new.md",
		"README.md": "", "./README.md": "", "../README.md": "",
	} {
		args, _ := json.Marshal(map[string]string{"file_path": path, "content": "y"})
		inv, err := tool.Build(writer, args)
		switch {
		case want == "" && (err == nil || !strings.Contains(err.Error(), "must be within the designated plans directory")):
			t.Errorf("%s: %v, %v", path, inv, err)
		case want != "" && (err != nil || inv.Locations()[0].Path != filepath.Join(h.plans, want)):
			t.Errorf("%s: %v, %v", path, inv, err)
		}
	}
	_, exit := plan.Tools(o)
	if got := run(t, call(t, exit, map[string]any{"plan_filename": "other.md"})); !strings.Contains(got, "There is both.md.") {
		t.Errorf("the plans that there are: %s", got)
	}
}
