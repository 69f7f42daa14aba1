package editors

import (
	"errors"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/pane/panetest"
)

func TestEditors(t *testing.T) {
	t.Parallel()
	s := &config.Settings{}
	scopes := pane.NewScopes(s, config.NewPaths(config.NewEnv("GEMINI_CLI_HOME="+t.TempDir()), t.TempDir()))
	p := New(Options{
		IDs: []string{"vim", "zed", "hx"}, Used: "hx", Scopes: scopes, Bindings: keys.Default("linux"),
		Current: func(s config.Scope) (string, bool) { return "vim", s == config.System },
		Check: func(id string) error {
			if id == "zed" {
				return errors.New("not there")
			}
			return nil
		},
	})
	text := func() string { return panetest.Text(t, p, 40, 10) }
	press := func(name string) pane.Outcome { return panetest.Press(p, p.o.Bindings, name) }
	if got := text(); !strings.Contains(got, "❯ hx") || !strings.Contains(got, "Looking for editors...") {
		t.Error(got)
	}
	p.Load()()
	if got := text(); !strings.Contains(got, "❯ hx    in use") || !strings.Contains(got, "not installed") || strings.Contains(got, "Looking") {
		t.Error(got)
	}
	press("up") // the one that is not installed is left out
	if o := press("enter"); o != (pane.Chosen{Command: "/editor vim"}) {
		t.Errorf("%#v", o)
	}
	for scopes.Scope() != config.System {
		press("tab")
	}
	if got := text(); !strings.Contains(got, "● System") || !strings.Contains(got, "chosen in these settings") {
		t.Error(got)
	}
	if o := press("enter"); o != (pane.Chosen{Command: "/settings set --scope=system general.preferredEditor vim"}) {
		t.Errorf("%#v", o)
	}
	press("up")
	if o := press("enter"); o != (pane.Chosen{Command: "/settings unset --scope=system general.preferredEditor"}) {
		t.Errorf("%#v", o)
	}
	if o := press("escape"); o != (pane.Closed{}) {
		t.Errorf("%#v", o)
	}
}
