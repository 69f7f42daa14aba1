package activate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/skill"
	"pollux/internal/workspace"
	"pollux/tool"
)

// fixture is the tool for the skills of an extension.
func fixture(t *testing.T, disabled ...string) (made tool.Tool, dir string, w *workspace.Workspace) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"tidy/SKILL.md":          "---\nname: tidy\ndescription: Tidies up.\n---\nRun scripts/tidy.sh.\n",
		"tidy/scripts/tidy.sh":   "echo tidy",
		"tidy/.git/config":       "secret",
		"tidy/node_modules/x/y":  "",
		"other/SKILL.md":         "---\nname: other\ndescription: Not it.\n---\n",
		"tidy/.gitignore":        "scripts\n",
		"tidy/references/api.md": "api",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, warnings := workspace.New(workspace.Options{Root: t.TempDir(), GitIgnore: true})
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	set := skill.Load([]skill.Source{{Dir: dir, Tier: skill.Extension, Extension: "ship"}}, disabled)
	return New(Options{Skills: set, Tree: w.FullTree, Open: func(dir string) {
		if _, _, err := w.AddReadable(dir); err != nil {
			t.Error(err)
		}
	}}), dir, w
}

// A call changes no file, and runs alone: after it, other calls may read more.
func TestEffect(t *testing.T) {
	t.Parallel()
	made, _, _ := fixture(t)
	if e := tool.EffectOf(made, nil); e.Reads || e.Paths == nil || len(e.Paths) > 0 || !made.Spec().Serial {
		t.Errorf("effect %+v, serial %v", e, made.Spec().Serial)
	}
}

// The schema names the enabled skills, and a call may put the name of the extension before that of its skill.
func TestSchema(t *testing.T) {
	t.Parallel()
	made, _, _ := fixture(t, "OTHER")
	var s struct {
		Properties struct{ Name struct{ Enum []string } }
		Required   []string
	}
	if err := json.Unmarshal(made.Spec().Schema, &s); err != nil {
		t.Fatal(err)
	}
	if want := []string{"skill-creator", "tidy"}; !slices.Equal(s.Properties.Name.Enum, want) {
		t.Errorf("names %q, want %q", s.Properties.Name.Enum, want)
	}
	for args, want := range map[string]string{
		`{"name":"tidy"}`: "", `{"name":"ship:tidy"}`: "",
		`{"name":"other"}`:          "params/name must be equal to one of the allowed values",
		`{"name":"Tidy"}`:           "params/name must be equal to one of the allowed values",
		`{}`:                        "params must have required property 'name'",
		`{"name":"tidy","other":1}`: "params must NOT have additional properties",
	} {
		_, err := tool.Build(made, json.RawMessage(args))
		if got := errorText(err); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	if made, _, _ := fixture(t, "tidy", "other", "skill-creator"); made != nil {
		t.Error("there is a tool without skills")
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A call returns the instructions and the files, which can be read from then on, and not written.
func TestActivate(t *testing.T) {
	t.Parallel()
	made, dir, w := fixture(t)
	call, err := tool.Build(made, json.RawMessage(`{"name":"ship:tidy"}`))
	if err != nil {
		t.Fatal(err)
	}
	details, err := call.Confirmation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	info := details.(*tool.InfoConfirmation)
	if info.Title != "Activate Skill: tidy" || !strings.Contains(info.Prompt, "Tidies up.") || !strings.Contains(info.Prompt, filepath.Join(dir, "tidy")) {
		t.Errorf("question %+v", info)
	}
	script := filepath.Join(dir, "tidy", "scripts", "tidy.sh")
	if w.CheckRead(script) == nil {
		t.Error("the script can be read before the call")
	}
	r := call.Run(t.Context(), tool.Host{})
	text := r.Content[0].Text
	for _, want := range []string{
		"<activated_skill name=\"tidy\">\n  <instructions>\n    Run scripts/tidy.sh.\n  </instructions>\n\n  <available_resources>\n    Showing up to 200 items",
		"tidy.sh", "api.md", "\n  </available_resources>\n</activated_skill>\nPaths of the skill's files are relative to " + filepath.Dir(filepath.Dir(script)) + ": ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if w.CheckRead(script) != nil || w.CheckWrite(script) == nil {
		t.Error("the script can not be read, or written")
	}
	for _, guarded := range []string{"tidy/.git/config", "other/SKILL.md"} {
		if w.CheckRead(filepath.Join(dir, guarded)) == nil {
			t.Errorf("%s can be read", guarded)
		}
	}
	if entries, err := w.Disk().ReadDir(filepath.Dir(script)); err != nil || len(entries) != 1 {
		t.Errorf("the directory cannot be listed: %v %v", entries, err)
	}
}

// A skill of Pollux needs no approval and has no files. A skill that is gone is an error.
func TestBuiltin(t *testing.T) {
	t.Parallel()
	made, dir, _ := fixture(t)
	call, err := tool.Build(made, json.RawMessage(`{"name":"skill-creator"}`))
	if err != nil {
		t.Fatal(err)
	}
	if details, err := call.Confirmation(t.Context()); details != nil || err != nil {
		t.Errorf("question %v %v", details, err)
	}
	if r := call.Run(t.Context(), tool.Host{}); r.Error != nil || !strings.Contains(r.Content[0].Text, "<available_resources>\n    (none)\n") || strings.Contains(r.Content[0].Text, "Paths of") {
		t.Errorf("%+v", r)
	}
	call, err = tool.Build(made, json.RawMessage(`{"name":"other"}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "other")); err != nil {
		t.Fatal(err)
	}
	if r := call.Run(t.Context(), tool.Host{}); r.Error == nil || !strings.Contains(r.Error.Message, `Cannot read the skill "other"`) {
		t.Errorf("%+v", r)
	}
}
