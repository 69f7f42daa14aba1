package plan_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/tools/plan"
	"pollux/internal/workspace"
	"pollux/tool"
)

// house is a session's directories and its mode.
type house struct {
	*workspace.Workspace
	root, plans, outside string
	mode                 string
	refuses              string // a mode that cannot be switched to
	approved             string
	then                 string
}

func build(t *testing.T) *house {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &house{root: filepath.Join(dir, "project"), outside: filepath.Join(dir, "outside"), mode: "default"}
	temp := filepath.Join(dir, "tmp", "project")
	for _, d := range []string{h.root, temp, h.outside} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var warnings []error
	h.Workspace, warnings = workspace.New(workspace.Options{Root: h.root, ProjectTemp: temp})
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	if h.plans, err = plan.Directory(h.Workspace, "", "session"); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *house) tools(interactive bool) (enter, exit tool.Tool) {
	return plan.Tools(plan.Options{
		Workspace: h.Workspace, Dir: func() string { return h.plans }, Interactive: interactive, Then: h.then,
		Mode: func() string { return h.mode },
		SetMode: func(mode string) error {
			if mode == h.refuses {
				return errors.New("not " + mode)
			}
			h.mode = mode
			return nil
		},
		Approved: func(path string) { h.approved = path },
	})
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func call(t *testing.T, to tool.Tool, args map[string]any) tool.Invocation {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	inv, err := tool.Build(to, raw)
	if err != nil {
		t.Fatal(err)
	}
	return inv
}

func run(t *testing.T, inv tool.Invocation) string {
	t.Helper()
	r := inv.Run(t.Context(), tool.Host{})
	if r.Error != nil {
		return "error: " + r.Error.Message
	}
	return r.Content[0].Text
}

func TestEnter(t *testing.T) {
	t.Parallel()
	h := build(t)
	enter, _ := h.tools(true)
	inv := call(t, enter, map[string]any{"reason": "It touches\nevery file."})
	got, err := inv.Confirmation(t.Context())
	want := &tool.InfoConfirmation{
		Title:  "Enter Plan Mode",
		Prompt: "It touches every file.\n\nUntil you approve a plan, only search, reading and the plan itself will be possible.",
	}
	if err != nil || !cmp.Equal(got, tool.Confirmation(want)) {
		t.Errorf("%v, %s", err, cmp.Diff(tool.Confirmation(want), got))
	}
	if got := run(t, inv); got != "Switching to Plan mode. Plans are Markdown files in "+h.plans+"." || h.mode != "plan" {
		t.Errorf("%q in mode %s", got, h.mode)
	}
	if fi, err := os.Stat(h.plans); err != nil || !fi.IsDir() {
		t.Errorf("no directory for plans: %v", err)
	}
}

func TestEnterFails(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.refuses = "plan"
	enter, _ := h.tools(true)
	if got := run(t, call(t, enter, map[string]any{})); got != "error: not plan" || h.mode != "default" {
		t.Errorf("%q in mode %s", got, h.mode)
	}
	h = build(t)
	write(t, filepath.Dir(h.plans), "a file in the way")
	enter, _ = h.tools(true)
	if got := run(t, call(t, enter, map[string]any{})); !strings.HasPrefix(got, "error: Plan mode needs the directory "+h.plans) || h.mode != "default" {
		t.Errorf("%q in mode %s", got, h.mode)
	}
}

// The person's answer decides; without one, the previous mode of the session does.
func TestExit(t *testing.T) {
	t.Parallel()
	approve := func(mode string) *tool.Reply { return &tool.Reply{Approved: true, Mode: mode} }
	for _, c := range []struct {
		name     string
		headless bool
		from     string // the mode that the model went into plan mode from; "" if the session began there
		allowed  bool   // by a rule, without a question
		then     string
		reply    *tool.Reply
		refuses  string
		mode     string // afterwards
		says     string
	}{
		{name: "yes", reply: approve(""), mode: "default", says: "Plan approved. Switching to Default mode"},
		{name: "yes, and make the edits", reply: approve("autoEdit"), mode: "autoEdit", says: "Plan approved. Switching to Auto-Edit mode"},
		{name: "as flags write it", reply: approve("auto_edit"), mode: "autoEdit", says: "Plan approved. Switching to Auto-Edit mode"},
		{name: "yes to everything", reply: approve("yolo"), mode: "yolo", says: "Plan approved. Switching to YOLO mode"},
		{name: "in a mode that may not be", reply: approve("yolo"), refuses: "yolo", mode: "plan", says: "error: not yolo"},
		{name: "in no mode there is", reply: approve("plan"), mode: "default", says: "Plan approved. Switching to Default mode"},
		{name: "a plain yes", mode: "default", says: "Plan approved. Switching to Default mode"},
		{name: "feedback", reply: &tool.Reply{Feedback: " Fewer steps. "}, mode: "plan", says: "Plan rejected. User feedback: Fewer steps."},
		{name: "feedback and a mode", reply: &tool.Reply{Feedback: "x", Mode: "yolo"}, mode: "plan", says: "Plan rejected. User feedback: x"},
		{name: "no", reply: &tool.Reply{}, mode: "plan", says: "Plan rejected. No feedback provided."},
		{name: "a rule allows it", allowed: true, mode: "default", says: "Plan approved. Switching to Default mode"},
		{name: "no user", headless: true, allowed: true, mode: "plan", says: "The plan is complete."},
		{name: "no user, then yolo", headless: true, then: "yolo", allowed: true, mode: "yolo", says: "Plan approved. Switching to YOLO mode"},
		{name: "no user, no yolo", headless: true, then: "yolo", allowed: true, refuses: "yolo", mode: "default", says: "Plan approved. Switching to Default mode"},
		{name: "a plan is no way to more", headless: true, from: "default", allowed: true, mode: "default", says: "Plan approved. Switching to Default mode"},
		{name: "nor to less", headless: true, from: "autoEdit", allowed: true, mode: "autoEdit", says: "Plan approved. Switching to Auto-Edit mode"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := build(t)
			h.refuses, h.then = c.refuses, c.then
			enter, exit := h.tools(!c.headless)
			if h.mode = "plan"; c.from != "" {
				h.mode = c.from
				run(t, call(t, enter, map[string]any{}))
			}
			file := write(t, filepath.Join(h.plans, "a.md"), "# Do it\n")
			inv := call(t, exit, map[string]any{"plan_filename": "a.md"})
			if !c.allowed {
				got, err := inv.Confirmation(t.Context())
				want := &tool.PlanConfirmation{Title: "Plan Approval", Path: file, Plan: "# Do it\n"}
				if err != nil || !cmp.Equal(got, tool.Confirmation(want)) {
					t.Fatalf("%v, %s", err, cmp.Diff(tool.Confirmation(want), got))
				}
			}
			if c.reply != nil {
				inv.(tool.Answerable).Answer(*c.reply)
			}
			says := run(t, inv)
			if !strings.HasPrefix(says, c.says) || h.mode != c.mode {
				t.Errorf("%q in mode %s, want %q in %s", says, h.mode, c.says, c.mode)
			}
			if yes := strings.HasPrefix(c.says, "Plan approved."); yes != (h.approved == file) || yes != strings.Contains(says, "\nThe approved plan is in "+file+".\n") {
				t.Errorf("approved %q, says %q", h.approved, says)
			}
		})
	}
}

// A plan that cannot be read is an error for the model, without a question.
func TestNoPlan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		make       func(t *testing.T, path string)
	}{
		{"missing", "Plan file does not exist: %s. You must create the plan file before requesting approval.", func(*testing.T, string) {}},
		{"empty", "Plan file is empty: %s.", func(t *testing.T, path string) { write(t, path, "") }},
		{"blank", "Plan file is empty: %s.", func(t *testing.T, path string) { write(t, path, " \n\t\r\n") }},
		{"huge", "Plan file is too long: %s.", func(t *testing.T, path string) { write(t, path, strings.Repeat("step\n", 1<<20)) }},
		{"a directory", "Failed to read plan file: open %s", func(t *testing.T, path string) { write(t, filepath.Join(path, "x"), "x") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := build(t)
			h.mode = "plan"
			path := filepath.Join(h.plans, "a.md")
			c.make(t, path)
			_, exit := h.tools(true)
			inv := call(t, exit, map[string]any{"plan_filename": "a.md"})
			if asks, err := inv.Confirmation(t.Context()); asks != nil || err != nil {
				t.Errorf("asks %v, %v", asks, err)
			}
			if got, want := run(t, inv), strings.ReplaceAll(c.want, "%s", path); !strings.HasPrefix(got, want) || h.mode != "plan" || h.approved != "" {
				t.Errorf("%q in mode %s, want %q", got, h.mode, want)
			}
		})
	}
}

// A person approves the shown plan, not one that replaced it meanwhile.
func TestPlanChangedWhileAsked(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.mode = "plan"
	file := write(t, filepath.Join(h.plans, "a.md"), "Say hello.")
	_, exit := h.tools(true)
	inv := call(t, exit, map[string]any{"plan_filename": file})
	if _, err := inv.Confirmation(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, file, "Delete everything.")
	inv.(tool.Answerable).Answer(tool.Reply{Approved: true, Mode: "yolo"})
	if got := run(t, inv); !strings.Contains(got, "was changed after it was shown") || h.mode != "plan" || h.approved != "" {
		t.Errorf("%q in mode %s", got, h.mode)
	}
}

func TestPlanPaths(t *testing.T) {
	t.Parallel()
	h := build(t)
	file := write(t, filepath.Join(h.plans, "a.md"), "x")
	secret := write(t, filepath.Join(h.outside, "secret.md"), "x")
	write(t, filepath.Join(h.root, "code.md"), "x")
	for link, to := range map[string]string{"link.md": secret, "up": h.outside, "loop.md": "loop.md", "inside.md": "a.md", "missing.md": filepath.Join(h.outside, "none.md")} {
		if err := os.Symlink(to, filepath.Join(h.plans, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(file, filepath.Join(h.root, "shortcut.md")); err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(h.root, file)
	if err != nil {
		t.Fatal(err)
	}
	_, exit := h.tools(true)
	denied := func(name string) string {
		return "Access denied: plan path (" + name + ") must be within the designated plans directory (" + h.plans + "). In plan mode only plans are written."
	}
	for name, refused := range map[string]string{
		"a.md": "", file: "", rel: "", "./sub/../a.md": "", "inside.md": "", "shortcut.md": "", "not yet.md": "", "a\x00.md": "", "loop.md": "",
		"":                     "The 'plan_filename' parameter must be non-empty.",
		" \n":                  "The 'plan_filename' parameter must be non-empty.",
		".":                    denied("."),
		h.plans:                denied(h.plans),
		"../../../escape.md":   denied("../../../escape.md"),
		"/etc/passwd":          denied("/etc/passwd"),
		"link.md":              denied("link.md"),
		"missing.md":           denied("missing.md"),
		"up/secret.md":         denied("up/secret.md"),
		h.plans + "-evil/a.md": denied(h.plans + "-evil/a.md"),
		"a\nb.md":              "plan_filename is the name of a file, not the plan. Write the plan to " + h.plans + "/<short-name>.md, then call again with that name.",
	} {
		raw, err := json.Marshal(map[string]string{"plan_filename": name})
		if err != nil {
			t.Fatal(err)
		}
		_, err = tool.Build(exit, raw)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != refused {
			t.Errorf("%q: %q, want %q", name, got, refused)
		}
	}
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	h := build(t)
	for link, to := range map[string]string{"out": h.outside, "in": "docs"} {
		if err := os.Symlink(to, filepath.Join(h.root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for setting, want := range map[string]string{
		"":                                h.plans,
		"docs/plans":                      filepath.Join(h.root, "docs/plans"),
		"in/plans":                        filepath.Join(h.root, "docs/plans"),
		filepath.Join(h.root, "x/../abs"): filepath.Join(h.root, "abs"),
		"..":                              "is outside the project",
		"out/plans":                       "is outside the project",
		h.outside:                         "is outside the project",
		h.root + "-evil":                  "is outside the project",
		".git/plans":                      "Path not allowed",
	} {
		got, err := plan.Directory(h.Workspace, setting, "session")
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%q: %s, want %s", setting, got, want)
		}
	}
}
