package servers

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/config"
	"pollux/internal/manage/managetest"
	"pollux/internal/project"
	"pollux/internal/transfer"
)

// TestAgents checks the entries and the reports for servers of each agent.
func TestAgents(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ agent, file, text, want, reports string }{
		{
			"codex", ".codex/config.toml", `
[mcp_servers.files]
command = "npx"
args = ["-y", "files"]
env = { LEVEL = "debug" }
env_vars = ["HOME", "LEVEL"]
startup_timeout_sec = 5
tool_timeout_sec = 30
enabled_tools = ["read"]
[mcp_servers.docs]
url = "https://docs.example/mcp"
bearer_token_env_var = "DOCS_TOKEN"
http_headers = { X-Team = "a" }
env_http_headers = { X-User = "USER" }
[mcp_servers.off]
command = "x"
enabled = false
[mcp_servers.dollar]
command = "x"
env = { PASSWORD = "a$b" }
[mcp_servers.bearer]
url = "https://x.example"
bearer_token_env_var = "x} {y"
[mcp_servers.key]
command = "x"
env = { API_KEY = "abcdef0123456789abcdef" }
`,
			`{"docs": {"type": "http", "url": "https://docs.example/mcp", "headers": {"Authorization": "Bearer ${DOCS_TOKEN}", "X-Team": "a", "X-User": "${USER}"}},
 "files": {"command": "npx", "args": ["-y", "files"], "env": {"HOME": "${HOME}", "LEVEL": "debug"}, "timeout": 30000, "includeTools": ["read"]},
 "key": {"command": "x", "env": {"API_KEY": "${API_KEY}"}}}`,
			`left out bearer (bearer_token_env_var is not the name of a variable)
copied docs
left out dollar (it has a $ that Pollux would read as a variable)
changed files (without startup_timeout_sec)
changed key (env.API_KEY is a key, which is not copied: set the variable API_KEY)
left out off (it is disabled)`,
		},
		{
			"opencode", ".config/opencode/opencode.jsonc", `{ // mine
"mcp": {
  "files": {"type": "local", "command": ["npx", "-y", "files"], "environment": {"TOKEN": "{env:FILES_TOKEN}"}, "enabled": true, "timeout": 7000},
  "docs": {"type": "remote", "url": "https://docs.example/{env:TEAM}", "headers": {"A": "Bearer {env:DOCS}"}, "oauth": {}},
  "leak": {"type": "local", "command": ["x", "{file:~/.ssh/id_rsa}"]}, "leak2": {"type": "remote", "url": "https://x.example/{file:secret}"},
  "dollar": {"type": "local", "command": ["sh", "-c", "echo ${HOME}"]},
  "off": {"type": "local", "command": ["x"], "enabled": false}, "text": {"type": "local", "command": "x"}, "none": {}}}`,
			`{"docs": {"type": "http", "url": "https://docs.example/${TEAM}", "headers": {"A": "Bearer ${DOCS}"}},
 "files": {"command": "npx", "args": ["-y", "files"], "env": {"TOKEN": "${FILES_TOKEN}"}, "timeout": 7000}}`,
			`copied docs
left out dollar (it has a $ that Pollux would read as a variable)
copied files
left out leak (it has the content of a file, or of a variable that no shell can set)
left out leak2 (it has the content of a file, or of a variable that no shell can set)
left out none (its type is not local or remote)
left out off (it is disabled)
left out text (its command is not a list of texts)`,
		},
		{
			"cursor", ".cursor/mcp.json", `{"mcpServers": {
  "files": {"command": "npx", "args": ["${env:ROOT}/x"], "env": {"A": "b"}, "envFile": ".env"},
  "docs": {"url": "https://docs.example", "headers": {"Authorization": "Bearer ${env:DOCS}"}},
  "folder": {"command": "${workspaceFolder}/run"}, "dollar": {"command": "$HOME/run"}}}`,
			`{"docs": {"url": "https://docs.example", "headers": {"Authorization": "Bearer ${DOCS}"}}, "files": {"command": "npx", "args": ["${ROOT}/x"], "env": {"A": "b"}}}`,
			`copied docs
left out dollar (it has a $ that Pollux would read as a variable)
changed files (without envFile)
left out folder (it has ${workspaceFolder}, which Pollux does not know)`,
		},
		{
			"qwen", ".qwen/settings.json", `{"mcpServers": {
  "files": {"command": "npx", "args": ["$ROOT"], "cwd": "x", "timeout": 5, "trust": true, "includeTools": ["a"]},
  "docs": {"httpUrl": "https://docs.example", "headers": {"Authorization": "$DOCS"}},
  "key": {"httpUrl": "https://k.example/?api_key=abcdef0123456789abcdef"},
  "old": {"url": "https://old.example", "type": "sse"}}}`,
			`{"docs": {"httpUrl": "https://docs.example", "headers": {"Authorization": "$DOCS"}}, "files": {"command": "npx", "args": ["$ROOT"], "cwd": "x", "timeout": 5, "includeTools": ["a"]},
 "old": {"url": "https://old.example", "type": "sse"}}`,
			`copied docs
changed files (without trust)
left out key (its address has a key: add it with pollux mcp add, and a variable in place of the key)
copied old`,
		},
		{
			"crush", ".config/crush/crush.json", `{"mcp": {
  "files": {"type": "stdio", "command": "npx", "args": ["x"], "env": {"TOKEN": "$FILES_TOKEN"}, "timeout": 12, "disabled_tools": ["rm"]},
  "run": {"type": "http", "url": "https://x.example", "headers": {"Authorization": "$(pass show x)"}},
  "off": {"command": "x", "disabled": true}}}`,
			`{"files": {"command": "npx", "args": ["x"], "env": {"TOKEN": "$FILES_TOKEN"}, "timeout": 12000, "excludeTools": ["rm"]}}`,
			`copied files
left out off (it is disabled)
left out run (it has $(...), which runs a program)`,
		},
	} {
		p := managetest.New(t, `{}`)
		p.Write(filepath.Join(p.Home, filepath.FromSlash(tt.file)), tt.text)
		settings := filepath.Join(p.Home, ".gemini", "settings.json")
		for range 2 {
			if o, err := p.Shell(Command(), "import", "--from="+tt.agent, "--apply"); err != nil {
				t.Fatalf("%s: %s, %v", tt.agent, o.Plain(0), err)
			}
			servers, err := transfer.Member(settings, "mcpServers")
			if err != nil {
				t.Fatal(err)
			}
			var want map[string]any
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, servers); diff != "" {
				t.Errorf("%s: %s", tt.agent, diff)
			}
		}
		if err := os.Remove(settings); err != nil {
			t.Fatal(err)
		}
		o, _ := p.Shell(Command(), "import", "--from="+tt.agent)
		report, _ := o.Value.(transfer.Report)
		if got := reportLines(report.Parts[0]); got != tt.reports {
			t.Errorf("%s reports:\n%s", tt.agent, got)
		}
	}
}

// reportLines returns the items without their details.
func reportLines(p *transfer.Part) string {
	var lines []string
	for _, i := range p.Items {
		line := string(i.Result) + " " + i.Name
		if len(i.Notes) > 0 {
			line += " (" + strings.Join(i.Notes, "; ") + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// TestTwoFiles checks that of two files with the same server the first one has it.
func TestTwoFiles(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Write("crush.json", `{"mcp": {"a": {"command": "one"}}}`)
	p.Write(".crush.json", `{"mcp": {"a": {"command": "two"}, "b": {"command": "b"}}}`)
	here := project.New(p.Options)
	if err := here.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	part, err := Import(here, "crush", config.Workspace)
	if err != nil || reportLines(part) != "copied a\nleft out a (your settings have another server with this name)\ncopied b" {
		t.Errorf("%v, %s", err, reportLines(part))
	}
}
