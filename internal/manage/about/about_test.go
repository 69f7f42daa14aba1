package about

import (
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/manage/managetest"
)

func command(t *testing.T, name string) *manage.Command {
	for _, c := range Commands() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no %s", name)
	return nil
}

func TestAbout(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{"advanced": {"bugCommand": {"urlTemplate": "https://bugs.example/?t={title}"}}}`)
	p.Check(command(t, "about"), []managetest.Case{{Line: "/", Want: "Pollux\n\n    CLI Version    1.2.3\n"}, {Line: "/", Want: "    Session ID     live\n"}})
	p.Check(command(t, "docs"), []managetest.Case{
		{Line: "/", Want: "Pages of the documentation:\n\n    "}, {Line: "/hooks", Want: "# Hooks"}, {Line: "/../go", Want: "There is no page", Code: exit.Input},
	})
	p.Check(command(t, "bug"), []managetest.Case{{Line: "/a b", Want: "https://bugs.example/?t=a%20b"}})
	p.Prompt("hi")
	p.Check(command(t, "bug"), []managetest.Case{{Line: "/a", Want: "The conversation is saved in $HOME/.gemini/tmp/"}})
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{"security": {"folderTrust": {"enabled": false}}}`)
	doctor := command(t, "doctor")
	if o, err := p.Shell(doctor, "--offline", "--json"); exit.CodeOf(err) != exit.Auth || !exit.WasShown(err) || o.Value == nil || o.Parts != nil {
		t.Errorf("%+v, %v", o, err)
	}
}
