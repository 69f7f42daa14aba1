package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
)

// places are the settings files of a person and of a project.
type places struct{ user, project string }

// newProject returns a function that opens a trusted project with these settings files.
func newProject(t *testing.T, user, workspace string) (places, func(flags map[string]any) *project.Project) {
	t.Helper()
	home, dir := t.TempDir(), t.TempDir()
	at := places{filepath.Join(home, ".gemini", "settings.json"), filepath.Join(dir, ".gemini", "settings.json")}
	for file, text := range map[string]string{at.user: user, at.project: workspace} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := config.NewEnv("HOME="+home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+home+"/none.json")
	return at, func(flags map[string]any) *project.Project {
		p := project.New(project.Options{Dir: dir, Env: env, Folder: trust.Trusted, Flags: flags})
		if err := p.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// read returns the content of a file without white space.
func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
	}
	return strings.Join(strings.Fields(string(data)), "")
}

// A hook is enabled in the project's and the user's files. A layer above them stays.
func TestSwitch(t *testing.T) {
	t.Parallel()
	at, open := newProject(t, `{"hooksConfig": {"disabled": ["a", "b"]}}`, `{"hooksConfig": {"disabled": ["a"]}}`)
	p := open(nil)
	text, changed, err := Switch(p, nil, "a", true)
	if err != nil || !changed || !strings.Contains(text, `Hook "a" is enabled.`) {
		t.Errorf("%s %v %v", text, changed, err)
	}
	if user, ws := read(t, at.user), read(t, at.project); strings.Contains(ws, `"a"`) || strings.Contains(user, `"a"`) || !strings.Contains(user, `"b"`) {
		t.Errorf("files are %s %s", user, ws)
	}
	p = open(map[string]any{"hooksConfig.disabled": []any{"c"}})
	if _, changed, err := Switch(p, nil, "c", true); err == nil || changed || !strings.Contains(err.Error(), "stays disabled") {
		t.Errorf("%v %v", changed, err)
	}
	if _, _, err := Switch(p, nil, "d", false); err == nil {
		t.Error("an unknown hook is disabled")
	}
	p.Trust.Set(trust.Untrusted)
	if _, _, err := Switch(p, []hook.Hook{{Name: "d"}}, "d", false); err != nil || !strings.Contains(read(t, at.user), `"d"`) {
		t.Errorf("in an untrusted folder: %v, %s", err, read(t, at.user))
	}
}

// The project's hooks are disabled in the project's file, all others in the user's.
func TestChange(t *testing.T) {
	t.Parallel()
	at, open := newProject(t, `{}`, `{}`)
	p := open(nil)
	hooks := []hook.Hook{
		{Name: "a", Source: hook.Workspace},
		{Name: "b", Source: hook.User},
		{Name: "c", Source: hook.Workspace},
		{Name: "c", Source: hook.System},
	}
	files, err := change(p, hooks, []string{"a", "b", "c"}, false)
	if err != nil || len(files) != 2 {
		t.Errorf("%q %v", files, err)
	}
	for file, want := range map[string]string{at.project: `{"hooksConfig":{"disabled":["a"]}}`, at.user: `{"hooksConfig":{"disabled":["b","c"]}}`} {
		if got := read(t, file); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}
