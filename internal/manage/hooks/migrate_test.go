package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/guard/trust"
	"pollux/internal/manage/managetest"
)

// TestMigrateKeepsHooks checks that hooks which are there stay as they are written, also those that the person has not seen and
// that therefore do not count.
func TestMigrateKeepsHooks(t *testing.T) {
	t.Parallel()
	const guard = `{"type": "command", "command": "sh $HOME/guard.sh"}`
	for name, env := range map[string]string{"not seen": "", "not trusted": "false", "trusted": "true"} {
		p := managetest.New(t, `{}`, "PATH="+os.Getenv("PATH"), "GEMINI_CLI_TRUST_WORKSPACE="+env)
		p.Options.Folder = trust.Unknown
		p.Write(p.Home+"/.gemini/trustedFolders.json", `{"`+p.Options.Dir+`": "TRUST_FOLDER"}`)
		p.Write(p.Home+"/.gemini/pollux/folders.json", "{}")
		p.Write(".gemini/settings.json", `{"hooks": {"BeforeTool": [{"matcher": "write_file", "hooks": [`+guard+`]}]}}`)
		p.Write(".claude/settings.json", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}`)
		o, err := p.Shell(Command(), "migrate", "--from-claude")
		text, readErr := os.ReadFile(filepath.Join(p.Options.Dir, ".gemini", "settings.json"))
		if err != nil || readErr != nil || !strings.Contains(string(text), "sh $HOME/guard.sh") || !strings.Contains(string(text), `"dialect": "claude"`) {
			t.Errorf("%s: %s, %v, %v, the file is now %s", name, o.Plain(0), err, readErr, text)
		}
	}
}

// TestMigrateHostile checks files that a repository may have in the place of settings.
func TestMigrateHostile(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Write(p.Home+"/secret.json", `{"hooks": {}}`)
	if err := os.MkdirAll(filepath.Join(p.Options.Dir, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(p.Options.Dir, ".claude", "settings.json")
	for _, target := range []string{"/dev/zero", p.Home + "/secret.json"} {
		if err := os.Symlink(target, file); err != nil {
			t.Skip(err)
		}
		if _, err := p.Shell(Command(), "migrate", "--from-claude"); exit.CodeOf(err) != exit.Config || !strings.Contains(err.Error(), "leads out of the project") {
			t.Errorf("a link to %s: %v", target, err)
		}
		_ = os.Remove(file)
	}
}

// TestMigrateUser checks that the hooks of the user go to the user's settings, that the list names each of them, and that links in
// the home directory are followed.
func TestMigrateUser(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{"hooks": {"BeforeTool": [{"matcher": "glob", "hooks": [{"type": "command", "command": "mine"}]}]}}`, "PATH="+os.Getenv("PATH"))
	if _, err := p.Shell(Command(), "migrate", "--from-claude", "--scope=user"); exit.CodeOf(err) != exit.Input || !strings.Contains(err.Error(), "There is no .claude/settings.json in ") {
		t.Errorf("without settings: %v", err)
	}
	p.Write(p.Home+"/dotfiles/settings.json", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "guard", "args": ["-x"]}]}], "Stop": [{"hooks": [{"type": "command", "command": "bell"}]}]}}`)
	if err := os.Symlink("dotfiles", filepath.Join(p.Home, ".claude")); err != nil {
		t.Skip(err)
	}
	o, err := p.Shell(Command(), "migrate", "--from-claude", "--scope=user")
	if text := o.Plain(0); err != nil || !strings.Contains(text, "\ncopied    PreToolUse of Bash: guard -x\ncopied    Stop: bell\n\nWrote 2 hooks to ") {
		t.Errorf("%s, %v", text, err)
	}
	text, err := os.ReadFile(filepath.Join(p.Home, ".gemini", "settings.json"))
	if err != nil || !strings.Contains(string(text), "mine") || !strings.Contains(string(text), "guard") {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(p.Options.Dir, ".gemini", "settings.json")); err == nil {
		t.Error("the settings of the project have changed")
	}
}
