package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage/managetest"
)

const claudeSettings = `{"permissions": {
  "deny": ["Bash(git push:*)", "Read(./.env)", "Read(secrets/**)", "Edit(//etc/**)", "WebFetch(domain:evil.example)", "mcp__db__drop", "Monitor"],
  "ask": ["Bash(terraform apply:*)", "Read(notes.md)"],
  "allow": ["Bash(go test:*)", "Bash(ls -x)", "WebFetch(domain:a.example)"],
  "defaultMode": "bypassPermissions", "disableBypassPermissionsMode": "disable", "news": 1}, "disabledMcpjsonServers": ["x"]}`

// TestImport checks that an import shows everything and writes nothing until it should, and that the rules decide as they did in
// Claude Code, or more strictly.
func TestImport(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	file := filepath.Join(p.Home, ".gemini", "policies", "claude.toml")
	if _, err := p.Shell(Command(), "import"); exit.CodeOf(err) != exit.Input {
		t.Errorf("without settings: %v", err)
	}
	p.Write(p.Home+"/.claude/settings.json", claudeSettings)
	o, err := p.Shell(Command(), "import")
	if err != nil {
		t.Fatal(err)
	}
	text := o.Plain(0)
	for _, part := range []string{
		"copied    deny Bash(git push:*)", "changed   deny Read(./.env) (it matches below any directory", "left out  deny Monitor (Pollux has no such tool)",
		"left out  allow WebFetch(domain:a.example) (", "left out  defaultMode (", "left out  disableBypassPermissionsMode (to have the same, run: pollux config set security.disableYoloMode true)",
		"left out  news (Pollux does not know it)", "left out  disabledMcpjsonServers (see pollux mcp disable)", "Nothing is written yet. To write 10 permissions to ", "NOT COPIED: 1 permission that may have refused something",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in:\n%s", part, text)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("it writes without --apply")
	}
	for _, want := range []string{"Wrote 10 permissions to ", "There are no permissions to write."} {
		if o, err = p.Shell(Command(), "import", "--apply"); err != nil || !strings.Contains(o.Plain(0), want) {
			t.Errorf("no %q in %s, %v", want, o.Plain(0), err)
		}
	}
	p.Write("tests.toml", `
[[test]]
command = "git push"
mode = "yolo"
expect = "deny"
[[test]]
command = "cd x && git push origin"
mode = "yolo"
expect = "deny"
[[test]]
command = "git pushx"
mode = "yolo"
expect = "allow"
[[test]]
command = "terraform apply -auto"
mode = "yolo"
expect = "ask_user"
[[test]]
command = "terraform apply"
mode = "plan"
expect = "deny"
[[test]]
command = "go test ./..."
interactive = false
expect = "allow"
[[test]]
command = "go test ./... && make"
expect = "ask_user"
[[test]]
command = "ls -x"
interactive = false
expect = "allow"
[[test]]
command = "ls -x -y /"
interactive = false
expect = "deny"
[[test]]
tool = "read_file"
args = { file_path = ".env" }
expect = "deny"
[[test]]
tool = "read_file"
args = { file_path = "sub/.env" }
expect = "deny"
[[test]]
tool = "read_file"
args = { file_path = ".env.example" }
expect = "allow"
[[test]]
tool = "read_file"
args = { file_path = "secrets/a/b" }
expect = "deny"
[[test]]
tool = "grep_search"
args = { pattern = "x", dir_path = "secrets" }
expect = "deny"
[[test]]
tool = "grep_search"
args = { pattern = "secrets" }
expect = "allow"
[[test]]
tool = "read_file"
args = { file_path = "notes.md" }
mode = "plan"
expect = "ask_user"
[[test]]
tool = "write_file"
args = { file_path = "/etc/x/y", content = "z" }
mode = "yolo"
expect = "deny"
[[test]]
tool = "write_file"
args = { file_path = "x", content = "\"file_path\":\"/etc/x\"" }
mode = "yolo"
expect = "allow"
[[test]]
tool = "web_fetch"
args = { prompt = "read https://me@www.Evil.example:443/x" }
mode = "yolo"
expect = "deny"
[[test]]
tool = "web_fetch"
args = { prompt = "read https://evil.example.com/x and https://notevil.example" }
mode = "yolo"
expect = "allow"
[[test]]
tool = "mcp_db_drop"
mcpName = "db"
mode = "yolo"
expect = "deny"
`)
	if o, err = p.Shell(Command(), "test", "tests.toml"); err != nil {
		t.Error(o.Plain(0), err)
	}
	p.Write(file, "# mine\n")
	for _, flag := range []string{"--apply", "--apply=false"} {
		o, err = p.Shell(Command(), "import", flag)
		if text := o.Plain(0); err != nil || !strings.Contains(text, "does not replace it") || !strings.Contains(text, "left out  deny Bash(git push:*) (there are other rules in ") {
			t.Errorf("a file of the user: %s, %v", text, err)
		}
	}
	if text, err := os.ReadFile(file); string(text) != "# mine\n" {
		t.Errorf("the file of the user is now %q, %v", text, err)
	}
}

// TestImportAskPriority checks that a rule that asks lifts no rule of the user that denies.
func TestImportAskPriority(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Write(p.Home+"/.gemini/policies/own.toml", "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"terraform\"\ndecision = \"deny\"\npriority = 100\n")
	p.Write(p.Home+"/.claude/settings.json", claudeSettings)
	if _, err := p.Shell(Command(), "import", "--apply"); err != nil {
		t.Fatal(err)
	}
	p.Write("tests.toml", "[[test]]\ncommand = \"terraform apply\"\nexpect = \"deny\"\n")
	if o, err := p.Shell(Command(), "test", "tests.toml"); err != nil {
		t.Error(o.Plain(0), err)
	}
}

// TestImportProject checks that a project's permissions only restrict, and only in a trusted folder.
func TestImportProject(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Write(".claude/settings.json", claudeSettings)
	p.Write(".claude/settings.local.json", `{"permissions": {"deny": ["Bash(npm publish)"], "allow": ["Bash"]}}`)
	o, err := p.Shell(Command(), "import", "--scope=project", "--apply")
	if err != nil || !strings.Contains(o.Plain(0), "left out  allow Bash(go test:*) (a project must not allow anything)") {
		t.Fatal(o.Plain(0), err)
	}
	p.Write("tests.toml", "[[test]]\ncommand = \"npm publish\"\nmode = \"yolo\"\nexpect = \"deny\"\n[[test]]\ncommand = \"go test\"\ninteractive = false\nexpect = \"deny\"\n")
	if o, err = p.Shell(Command(), "test", "tests.toml"); err != nil {
		t.Error(o.Plain(0), err)
	}
	for _, broken := range []string{`{`, `{"permissions": []}`, `{"permissions": {"deny": "Bash"}}`, `{"permissions": {"deny": [1]}}`} {
		p.Write(".claude/settings.json", broken)
		if _, err := p.Shell(Command(), "import", "--scope=project", "--apply"); exit.CodeOf(err) != exit.Config {
			t.Errorf("%s: %v", broken, err)
		}
	}
}

// TestImportAntigravity checks that the rules for permissions of Antigravity CLI decide as they did there, or more strictly.
func TestImportAntigravity(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	if _, err := p.Shell(Command(), "import", "--from=antigravity"); exit.CodeOf(err) != exit.Input {
		t.Errorf("without settings: %v", err)
	}
	p.Write(p.Home+"/.gemini/antigravity-cli/settings.json", `{"toolPermission": "always-proceed", "permissions": {
  "deny": ["command(git push)", "command(^rm\\s+-rf)", "read_file(.env)", "write_file(/etc)", "mcp(db/drop)", "unsandboxed(x)"],
  "ask": ["command(npm publish)"], "allow": ["command(go test)", "write_file(*)"], "odd": 1}}`)
	o, err := p.Shell(Command(), "import", "--from=antigravity", "--apply")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"left out  deny unsandboxed(x) (Pollux has no such action)", "left out  odd (Pollux does not know it)", "left out  toolPermission (choose a mode with --approval-mode)",
		"Wrote 7 permissions to ", "NOT COPIED: 1 permission that may have refused something",
	} {
		if text := o.Plain(0); !strings.Contains(text, part) {
			t.Errorf("no %q in:\n%s", part, text)
		}
	}
	p.Write("tests.toml", `
[[test]]
command = "cd x && git push origin"
mode = "yolo"
expect = "deny"
[[test]]
command = "git pull"
mode = "yolo"
expect = "allow"
[[test]]
command = "rm   -rf x"
mode = "yolo"
expect = "deny"
[[test]]
command = "npm publish --tag x"
mode = "yolo"
expect = "ask_user"
[[test]]
command = "go test ./..."
interactive = false
expect = "allow"
[[test]]
command = "go testx"
interactive = false
expect = "deny"
[[test]]
tool = "read_file"
args = { file_path = "sub/.env" }
expect = "deny"
[[test]]
tool = "write_file"
args = { file_path = "/etc/x", content = "z" }
mode = "yolo"
expect = "deny"
[[test]]
tool = "write_file"
args = { file_path = "x", content = "z" }
expect = "ask_user"
[[test]]
tool = "mcp_db_drop"
mcpName = "db"
mode = "yolo"
expect = "deny"
`)
	if o, err := p.Shell(Command(), "test", "tests.toml"); err != nil {
		t.Errorf("%v: %s", err, o.Plain(0))
	}
	if _, err := p.Shell(Command(), "import", "--from=antigravity", "--scope=project"); exit.CodeOf(err) != exit.Input {
		t.Errorf("of a project: %v", err)
	}
}
