package settings

import (
	"errors"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/manage/managetest"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{"mcpServers": {"a": {"command": "x", "env": {"TOKEN": "s3cret"}}}}`)
	p.Check(Command(), []managetest.Case{
		{Line: "list", Want: `"TOKEN":"********"`},
		{Line: "list --all", Want: "model.maxSessionTurns "},
		{Line: "/list", Want: "Your settings file: ~/.gemini/settings.json"},
		{Line: "get model.maxSessionTurns", Want: "-1\n", JSON: "-1"},
		{Line: "/get model.maxSessionTurns", Want: "model.maxSessionTurns = -1 (default)\n\n"},
		{Line: "set model.maxSessionTurns 7", Want: "Set model.maxSessionTurns to 7 in ~/.gemini/settings.json", JSON: `{"file":"$HOME/.gemini/settings.json","key":"model.maxSessionTurns","scope":"user","value":7}`},
		{Line: "set --scope=workspace model.maxSessionTurns 8", Want: "in $DIR/.gemini/settings.json"},
		{Line: "get --scope=user model.maxSessionTurns", Want: "7\n", JSON: "7"},
		{Line: "get model.maxSessionTurns", JSON: "8"},
		{Line: "set model.maxSessionTurns x", Want: "must be a number", Code: exit.General},
		{Line: "set --scope=user model.maxSessionTurns 9", Want: "Note: the workspace settings have another value, which wins."},
		{Line: "explain model.maxSessionTurns", Want: "8 (from workspace)"},
		{Line: "unset --scope=workspace model.maxSessionTurns", Want: "Removed model.maxSessionTurns from"},
		{Line: "unset --scope=workspace model.maxSessionTurns", Want: "model.maxSessionTurns is not set in"},
		{Line: "/set model.maxSessionTurns 3", Want: "Set model.maxSessionTurns to 3 in $HOME/.gemini/settings.json. Takes effect the next time you start Pollux."},
		{Line: "/unset model.maxSessionTurns", Want: "Removed model.maxSessionTurns from $HOME"},
		{Line: "/unset model.maxSessionTurns", Want: "is not set in"},
		{Line: "/unset", Want: "Enter a setting, such as", Code: exit.Input},
		{Line: "/get", Want: "Enter a setting, such as", Code: exit.Input},
		{Line: "/set a", Want: "Enter a setting and a value", Code: exit.Input},
		{Line: "get modle.name", Want: `There is no setting "modle.name".`, Code: exit.General},
		{Line: "path --scope=user", Want: "$HOME/.gemini/settings.json\n"},
		{Line: "path", Want: "workspace"},
	})
	var misuse *manage.UsageError
	for _, words := range [][]string{{"get"}, {"set", "a"}, {"list", "a"}, {"list", "--scope=nowhere"}} {
		if _, err := p.Shell(Command(), words...); !errors.As(err, &misuse) {
			t.Errorf("%q: %v", words, err)
		}
	}
	if _, err := p.Shell(Command()); !errors.Is(err, manage.ErrHelp) {
		t.Error(err)
	}
}

func TestEditor(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`, "PATH=/nowhere")
	p.Check(EditorCommand(), []managetest.Case{
		{Line: "/", Want: "The editor is unchanged."},
		{Line: "/notepad", Want: "Editor 'notepad' is not a recognized editor identifier.", Code: exit.Input},
		{Line: "/vim", Want: "Editor: vim. Editor command"},
		{Line: "/none", Want: "Removed general.preferredEditor from $HOME"},
	})
	p.Session.Project.Options.Asker = nil
	if _, _, err := p.Slash(EditorCommand(), "", ""); !errors.Is(err, manage.ErrNeedsPerson) {
		t.Error(err)
	}
}
