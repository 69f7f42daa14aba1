package servers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage/managetest"
)

// keys are in the files of other agents, and must be in nothing that an import writes or prints.
var keys = []string{"ghp_abcdefghijklmnopqrstuvwxyz0123456789", "sk-abcdefghijklmnopqrstuvwx1234567890", "abcdef0123456789abcdef", "s3cr3t-of-oauth"}

const claudeServers = `{"numStartups": 3, "projects": {"/x": {"mcpServers": {"local": {"command": "x"}}}}, "mcpServers": {
  "gh": {"type": "stdio", "command": "gh-mcp", "args": ["--x"], "env": {"GITHUB_TOKEN": "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "LEVEL": "debug", "REF": "${HOME}/x", "REF_TOKEN": "${MY_TOKEN}"}},
  "docs": {"type": "http", "url": "https://docs.example/mcp", "headers": {"Authorization": "Bearer sk-abcdefghijklmnopqrstuvwx1234567890", "X-Team": "a"}, "headersHelper": "x"},
  "plain": {"command": "plain"}, "mine": {"command": "theirs"},
  "argkey": {"command": "x", "args": ["--token", "sk-abcdefghijklmnopqrstuvwx1234567890"]},
  "urlkey": {"type": "sse", "url": "https://x.example/mcp?api_key=abcdef0123456789abcdef"},
  "cmdkey": {"command": "API_KEY=sk-abcdefghijklmnopqrstuvwx1234567890 run"},
  "dollar": {"command": "sh", "args": ["-c", "echo $HOME"]},
  "bad": {"type": "ws", "url": "x"}, "no": 5}}`

// TestImport copies the servers of Claude Code: no key is written or printed, and no server of the user changes.
func TestImport(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{"mcpServers": {"mine": {"command": "mine"}}}`)
	file := filepath.Join(p.Home, ".gemini", "settings.json")
	if _, err := p.Shell(Command(), "import"); exit.CodeOf(err) != exit.Input {
		t.Errorf("without a file: %v", err)
	}
	p.Write(p.Home+"/.claude.json", claudeServers)
	before, _ := os.ReadFile(file)
	o, err := p.Shell(Command(), "import")
	if err != nil {
		t.Fatal(err)
	}
	text := o.Plain(0)
	for _, line := range []string{
		"left out  argkey (its arguments have a key", "left out  urlkey (its address has a key", "left out  cmdkey (it has a key: ", "left out  dollar (it has a $ that Pollux would read",
		`left out  bad (its type is "ws", not stdio, http or sse)`, "left out  no (it is not an object)", "left out  mine: theirs (your settings have another server with this name)",
		"changed   docs: https://docs.example/mcp, headers: Authorization X-Team (without headersHelper (it runs a program); headers.Authorization is a key, which is not copied: set the variable DOCS_TOKEN)",
		"changed   gh: gh-mcp --x, env: GITHUB_TOKEN LEVEL REF REF_TOKEN (env.GITHUB_TOKEN is a key, which is not copied: set the variable GITHUB_TOKEN)", "copied    plain: plain\n",
		"Nothing is written yet. To write 3 servers to ", "left out  local (it is only for the project /x: ",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in:\n%s", line, text)
		}
	}
	if now, _ := os.ReadFile(file); string(now) != string(before) {
		t.Errorf("without --apply the settings are %s", now)
	}
	o, err = p.Shell(Command(), "import", "--apply")
	if err != nil || !strings.Contains(o.Plain(0), "Wrote 3 servers to ") {
		t.Errorf("%s, %v", o.Plain(0), err)
	}
	written, _ := os.ReadFile(file)
	for _, part := range []string{`"Authorization":"Bearer ${DOCS_TOKEN}"`, `"GITHUB_TOKEN":"${GITHUB_TOKEN}"`, `"LEVEL":"debug"`, `"REF_TOKEN":"${MY_TOKEN}"`, `"REF":"${HOME}/x"`, `"command": "mine"`} {
		if !strings.Contains(string(written), part) {
			t.Errorf("no %s in %s", part, written)
		}
	}
	again, err := p.Shell(Command(), "import", "--apply")
	if err != nil || !strings.Contains(again.Plain(0), "There are no servers to write.") || !strings.Contains(again.Plain(0), "present   gh: gh-mcp ") {
		t.Errorf("again: %s, %v", again.Plain(0), err)
	}
	if now, _ := os.ReadFile(file); string(now) != string(written) {
		t.Errorf("a second import changes the settings to %s", now)
	}
	for _, key := range keys {
		if strings.Contains(text+o.Plain(0)+string(written), key) {
			t.Errorf("the key %s is copied", key)
		}
	}
}

// TestImportAntigravity copies the servers of Antigravity CLI, and reads broken files.
func TestImportAntigravity(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	file := p.Home + "/.gemini/config/mcp_config.json"
	for text, want := range map[string]exit.Code{`{`: exit.Config, `[]`: exit.Config, `{}`: exit.Input, `{"mcpServers": {}}`: exit.Input} {
		p.Write(file, text)
		if _, err := p.Shell(Command(), "import", "--from=antigravity"); exit.CodeOf(err) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	const text = `{"mcpServers": {"db.x": {"serverUrl": "https://db.example/mcp", "disabledTools": ["drop"], "oauth": {"clientId": "c", "clientSecret": "s3cr3t-of-oauth"}}, "off": {"command": "x", "disabled": true}}}`
	p.Write(file, text)
	o, err := p.Shell(Command(), "import", "--from=antigravity", "--apply")
	if err != nil || !strings.Contains(o.Plain(0), "changed   db.x: https://db.example/mcp (oauth.clientSecret is a key, which is not copied: set the variable DB_X_CLIENT_SECRET)\nleft out  off (it is disabled)\n") {
		t.Errorf("%s, %v", o.Plain(0), err)
	}
	written, _ := os.ReadFile(filepath.Join(p.Home, ".gemini", "settings.json"))
	for _, part := range []string{`"excludeTools": [`, `"clientSecret": "${DB_X_CLIENT_SECRET}"`, `"type": "http"`, `"url": "https://db.example/mcp"`} {
		if !strings.Contains(string(written), part) {
			t.Errorf("no %s in %s", part, written)
		}
	}
	if now, _ := os.ReadFile(file); string(now) != text {
		t.Errorf("the file of Antigravity CLI is now %s", now)
	}
}
