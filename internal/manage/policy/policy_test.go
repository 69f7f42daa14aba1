package policy

import (
	"errors"
	"strings"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/manage/managetest"
)

func TestPolicy(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Write("good.toml", "[[rule]]\ntoolName = \"glob\"\ndecision = \"deny\"\npriority = 100\n")
	p.Write("bad.toml", "[[rule]]\ntoolName = 3\n")
	p.Write("tests.toml", "policy = \"good.toml\"\n\n[[test]]\ntool = \"glob\"\nargs = { pattern = \"x\" }\nexpect = \"deny\"\n\n[[test]]\ntool = \"glob\"\nargs = { pattern = \"x\" }\nexpect = \"allow\"\n")
	p.Check(Command(), []managetest.Case{
		{Line: "list", Want: "### Normal Mode Policies\n"},
		{Line: "/list", Want: "### Plan Mode Policies (in"},
		{Line: "list --policy=good.toml", Want: "good.toml"},
		{Line: "check good.toml", Want: "1 file, 1 rule, 0 problems", JSON: `{"files":["$DIR/good.toml"],"rules":1,"problems":[]}`},
		{Line: "check bad.toml", Want: "1 file, 0 rules, 3 problems", Code: exit.Config},
		{Line: "check", Want: "0 files, 0 rules, 0 problems"},
		{Line: "/explain", Want: "Enter a tool and its arguments", Code: exit.Input},
		{Line: "/explain run_shell_command git push", Want: "git push"},
	})
	o, err := p.Shell(Command(), "test", "tests.toml")
	if text := o.Plain(0); !exit.WasShown(err) || !strings.HasSuffix(text, "\n2 tests, 1 failed\n") {
		t.Errorf("%s, %v", text, err)
	}
	for flag, want := range map[string]string{"--json": "allow", "--policy=good.toml": "deny"} {
		o, err := p.Shell(Command(), "explain", flag, "glob", `{"pattern": "x"}`)
		if text := o.Plain(0); err != nil || !strings.Contains(text, want) || o.Value == nil {
			t.Errorf("%s: %s, %v", flag, text, err)
		}
	}
	if _, err := p.Shell(Command()); !errors.Is(err, manage.ErrHelp) {
		t.Error(err)
	}
	p.Write(p.Home+"/.gemini/policies/late.toml", "[[rule]]\ntoolName = \"late\"\ndecision = \"deny\"\npriority = 100\n")
	shell, err := p.Shell(Command(), "list")
	live, _, liveErr := p.Slash(Command(), "list", "")
	if err != nil || liveErr != nil || !strings.Contains(shell.Plain(0), "late.toml") || strings.Contains(live.Plain(0), "late.toml") {
		t.Errorf("a session lists rules that it does not use: %s\n%s, %v, %v", shell.Plain(0), live.Plain(0), err, liveErr)
	}
}
