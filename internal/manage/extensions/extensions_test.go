package extensions

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/manage/managetest"
)

func TestExtensions(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Write("src/gemini-extension.json", `{"name": "tools", "version": "1.0.0"}`)
	p.Check(Command(), []managetest.Case{
		{Line: "list --output-format=json", Want: "No extensions installed.", JSON: "[]"},
		{Line: "/", Want: "No extensions installed. To find some, type /extensions explore."},
		{Line: "/explore", Want: "https://geminicli.com/extensions/"},
	})
	p.Check(Command(), []managetest.Case{
		{Line: "install --consent src", Want: `Extension "tools" installed successfully and enabled.`},
		{Line: "list", Want: "tools"},
		{Line: "/list", Want: "EXTENSION  VERSION  STATE "},
		{Line: "/list", Want: "tools      1.0.0    active from the next start"},
		{Line: "disable tools", Want: `Extension "tools" successfully disabled for scope "User".`},
		{Line: "disable none", Want: "Extension with name none does not exist.", Code: exit.General},
		{Line: "enable none", Want: "Extension with name none does not exist.", Code: exit.Config},
		{Line: "enable --scope=moon tools", Want: "Invalid scope: moon. Please use one of user, workspace.", Code: exit.General},
		{Line: "enable tools", Want: `Extension "tools" successfully enabled in all scopes.`},
		{Line: "/disable", Want: "Usage: /extensions disable <name> [--scope=user|workspace]", Code: exit.Input},
		{Line: "/disable none", Want: `There is no extension "none".`, Code: exit.Input},
		{Line: "/disable tools --scope=session", Want: "Extensions do not change during a session.", Code: exit.Input},
		{Line: "/disable tools --scope=workspace", Want: `Extension "tools" disabled for scope "workspace".`},
		{Line: "/enable tools --scope=workspace", Want: `Extension "tools" enabled for scope "workspace". Takes effect the next time you start Pollux.`},
		{Line: "update tools", Want: `Extension "tools" is already up to date.`},
		{Line: "/update none", Want: `Extension "none" not found. /extensions lists the installed ones.`},
		{Line: "/update", Want: "Usage: /extensions update <name>...|--all", Code: exit.Input},
		{Line: "/install src --moon", Want: "There is no option --moon.", Code: exit.Input},
		{Line: "/reload", Want: "exit and run: pollux --resume live"},
		{Line: "new made", Want: "Successfully created new extension at made."},
		{Line: "new other moon", Want: `There is no template "moon".`, Code: exit.General},
		{Line: "uninstall none", Want: `Failed to uninstall "none": Extension not found.`, Code: exit.General},
		{Line: "/uninstall none", Want: `Failed to uninstall "none": Extension not found.`},
		{Line: "uninstall tools", Want: `Extension "tools" successfully uninstalled.`},
		{Line: "uninstall --all", Want: "No extensions currently installed."},
	})
	if _, err := os.Stat(filepath.Join(p.Options.Dir, "made", "gemini-extension.json")); err != nil {
		t.Error(err)
	}
	var misuse *manage.UsageError
	for _, words := range [][]string{{"update"}, {"update", "--all", "x"}, {"uninstall"}} {
		if _, err := p.Shell(Command(), words...); !errors.As(err, &misuse) {
			t.Errorf("%q: %v", words, err)
		}
	}
	if o, _, err := p.Slash(Command(), "uninstall", "none"); err != nil || !o.Failed {
		t.Errorf("%+v, %v", o, err)
	}
}

// In a session, the person answers the questions of an installation.
func TestConsent(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Write("src/gemini-extension.json", `{"name": "tools", "version": "1.0.0"}`)
	p.Answers = []string{"No"}
	p.Check(Command(), []managetest.Case{{Line: "/install src", Want: `Installation cancelled for "tools".`, Code: exit.General}})
	p.Answers = []string{"Yes"}
	p.Check(Command(), []managetest.Case{
		{Line: "/install src", Want: `Extension "tools" installed successfully and enabled. Takes effect the next time you start Pollux.`},
	})
	p.Check(&manage.Command{Run: manage.With(manage.Open, ListPlainly)}, []managetest.Case{{Line: "", Want: "Installed extensions:\n- tools\n"}})
}
