package hooks

import (
	"errors"
	"os"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/manage/managetest"
)

func TestHooks(t *testing.T) {
	t.Parallel()
	const settings = `{"hooks": {"BeforeTool": [{"matcher": "glob", "hooks": [{"type": "command", "name": "check", "command": "true"}, {"type": "command", "name": "other", "command": "true"}]}]}}`
	p := managetest.New(t, settings, "PATH="+os.Getenv("PATH"))
	p.Check(Command(), []managetest.Case{
		{Line: "list", Want: "BeforeTool  check  glob     user  enabled"},
		{Line: "disable check", Want: `Hook "check" is disabled. Changed: ~/.gemini/settings.json`},
		{Line: "/", Want: "BeforeTool  check  glob     user  disabled"},
		{Line: "/disable check", Want: `Hook "check" is already disabled.`},
		{Line: "/enable check", Want: `Hook "check" is enabled.`},
		{Line: "/panel", Want: "BeforeTool  check  glob     user  enabled"},
		{Line: "/enable", Want: "Usage: /hooks enable <hook-name>", Code: exit.Input},
		{Line: "/disable", Want: "Usage: /hooks disable <hook-name>", Code: exit.Input},
		{Line: "enable none", Want: `There is no hook "none".`, Code: exit.Input},
		{Line: "/enable-all", Want: "All hooks are already enabled."},
		{Line: "/disable-all", Want: "Disabled 2 hook(s) successfully."},
		{Line: "/", Want: "BeforeTool  other  glob     user  disabled"},
		{Line: "/disable-all", Want: "All hooks are already disabled."},
		{Line: "/enable-all", Want: "Enabled 2 hook(s) successfully."},
		{Line: "test check", Want: "Result:  exit code 0, after "},
		{Line: "test none", Want: `There is no hook and no event "none".`, Code: exit.Input},
		{Line: "test AfterTool", Want: "There are no hooks for AfterTool.", Code: exit.Input},
		{Line: "test --input=nowhere check", Want: "Cannot read the input in nowhere", Code: exit.Input},
		{Line: "migrate --from-claude", Want: "There is no .claude/settings.local.json", Code: exit.Input},
	})
	p.Write(".claude/settings.json", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}`)
	p.Check(Command(), []managetest.Case{
		{Line: "migrate --from-claude", Want: "Hooks in .claude/settings.json:\n\ncopied    PreToolUse of Bash: true\n\nWrote 1 hook to "},
		{Line: "migrate --from-claude", Want: "present   PreToolUse of Bash: true\n\nThere are no hooks to write."},
	})
	if _, err := p.Shell(Command(), "migrate"); !errors.Is(err, manage.ErrHelp) {
		t.Error(err)
	}

	none := managetest.New(t, `{}`)
	none.Check(Command(), []managetest.Case{
		{Line: "list", Want: "No hooks configured. To learn about hooks, type /docs hooks in a session.", JSON: "[]"},
		{Line: "/", Want: "No hooks configured. To add one, see /docs hooks."},
		{Line: "/disable-all", Want: "No hooks configured."},
	})
	off := managetest.New(t, `{"hooksConfig": {"enabled": false}}`)
	off.Check(Command(), []managetest.Case{{Line: "list", Want: "Hook system is not enabled.", Code: exit.General}})
}
