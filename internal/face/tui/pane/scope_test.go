package pane

import (
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/config"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/theme"
)

// load returns the settings of a directory, which is trusted or not, and its paths.
func load(t *testing.T, dir, home string, isTrusted bool) (*config.Settings, *config.Paths) {
	t.Helper()
	e := config.NewEnv("GEMINI_CLI_HOME="+home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+home+"/none.json")
	paths := config.NewPaths(e, dir)
	s, _, err := config.Load(config.Sources{Paths: paths, Env: e, Trusted: func(*config.Settings) (bool, error) { return isTrusted, nil }})
	if err != nil {
		t.Fatal(err)
	}
	return s, paths
}

func TestScopes(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".gemini"), 0o700); err != nil {
		t.Fatal(err)
	}
	b := keys.Default("linux")
	for _, c := range []struct {
		dir       string
		isTrusted bool
		want      []string
		scopes    []config.Scope
	}{
		{dir, true, []string{
			"Apply To  ● User  ○ Workspace  ○ System  (Tab)", "Apply To  ○ User  ● Workspace  ○ System  (Tab)",
			"Apply To  ○ User  ○ Workspace  ● System  (Tab)", "Apply To  ● User  ○ Workspace  ○ System  (Tab)",
		}, []config.Scope{config.User, config.Workspace, config.System, config.User}},
		{dir, false, []string{"Apply To  ● User  ○ System  (Tab)", "Apply To  ○ User  ● System  (Tab)"}, []config.Scope{config.User, config.System}},
		{home, true, []string{"Apply To  ● User  ○ System  (Tab)"}, []config.Scope{config.User}},
	} {
		s := NewScopes(load(t, c.dir, home, c.isTrusted))
		for i, want := range c.want {
			if got := s.Line(theme.NoColor(), b).String(); got != want || s.Scope() != c.scopes[i] {
				t.Errorf("%s, %v; not %s", got, s.Scope(), want)
			}
			s.Next()
		}
	}
	unbound, _ := keys.Load("linux", []byte(`[{"command": "-nav.dialog.next", "key": "tab"}]`), "")
	if got := NewScopes(load(t, home, home, true)).Line(theme.NoColor(), unbound).String(); got != "Apply To  ● User  ○ System" {
		t.Error(got)
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		SetText(config.User, "ui.theme", "Default Light"): "/settings set ui.theme Default Light",
		SetText(config.Workspace, "ui.theme", "Ayu"):      "/settings set --scope=workspace ui.theme Ayu",
		SetText(config.User, "ui.theme", `"x"`):           `/settings set ui.theme "\"x\""`,
		SetText(config.User, "ui.theme", " x"):            `/settings set ui.theme " x"`,
		SetText(config.User, "ui.theme", "a\nb\x1b"):      `/settings set ui.theme "a\nb\u001b"`,
		SetText(config.User, "ui.theme", ""):              `/settings set ui.theme ""`,
		SetValue(config.System, "ui.hideTips", "true"):    "/settings set --scope=system ui.hideTips true",
		Unset(config.User, "ui.hideTips"):                 "/settings unset ui.hideTips",
		Unset(config.Workspace, "ui.hideTips"):            "/settings unset --scope=workspace ui.hideTips",
	} {
		if got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
	for text := range map[string]bool{`"x"`: true, " x": true, "a\nb": true, "5": true, "true": true, `{"a": 1}`: true, `["x"]`: true} {
		command := SetText(config.User, "ui.theme", text)
		v, err := config.ParseValue("ui.theme", command[len("/settings set ui.theme "):], config.NewEnv())
		if v != text || err != nil {
			t.Errorf("%q becomes %q, %v", text, v, err)
		}
	}
}
