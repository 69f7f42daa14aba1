package project_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
)

// decide stores a decision of the user about a folder, and that Pollux has recorded the powers of folders before.
func decide(t *testing.T, u *projecttest.User, dir string, level trust.Level) {
	t.Helper()
	levels, err := json.Marshal(map[string]trust.Level{dir: level})
	if err != nil {
		t.Fatal(err)
	}
	u.Write("~/.gemini/trustedFolders.json", string(levels))
	u.Write("~/.gemini/pollux/folders.json", "{}")
}

// TestTrust checks the sources of trust in a folder, for scripts and for a person.
func TestTrust(t *testing.T) {
	t.Parallel()
	const off = `{"security": {"folderTrust": {"enabled": false}}}`
	for name, tt := range map[string]struct {
		env     string
		user    string // settings of the user
		folder  string // settings of the folder
		level   trust.Level
		decided trust.State // by the program
		code    exit.Code   // of a script
		trusted bool        // with a person, who cancels all questions
		asked   bool
	}{
		"unknown":                        {code: exit.Untrusted, asked: true},
		"trusted by the user":            {level: trust.TrustFolder, trusted: true},
		"not trusted by the user":        {level: trust.DoNotTrust, code: exit.Untrusted},
		"--skip-trust":                   {env: "GEMINI_CLI_TRUST_WORKSPACE=true", trusted: true},
		"--skip-trust wins":              {env: "GEMINI_CLI_TRUST_WORKSPACE=true", level: trust.DoNotTrust, trusted: true},
		"refused by the environment":     {env: "GEMINI_CLI_TRUST_WORKSPACE=false", level: trust.TrustFolder, code: exit.Untrusted},
		"restricted mode":                {env: "GEMINI_RESTRICTED_MODE=true", level: trust.TrustFolder, code: exit.Untrusted},
		"folder trust is off":            {user: off, trusted: true},
		"the folder turns it off itself": {folder: off, code: exit.Untrusted, asked: true},
		"trusted by the program":         {decided: trust.Trusted, level: trust.DoNotTrust, trusted: true},
		"not trusted by the program":     {decided: trust.Untrusted, level: trust.TrustFolder},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := projecttest.NewUser(t, tt.env)
			if tt.level != "" {
				decide(t, u, u.Dir, tt.level)
			}
			if tt.user != "" {
				u.Write("~/.gemini/settings.json", tt.user)
			}
			if tt.folder != "" {
				u.Write(".gemini/settings.json", tt.folder)
			}
			program := func(o *project.Options) { o.Folder = tt.decided }
			p, err := u.TryOpen(program)
			if exit.CodeOf(err) != tt.code || err == nil && p.IsTrusted() != tt.trusted {
				t.Errorf("a script: %v", err)
			}
			p, err = u.TryOpen(program, u.AtTerminal)
			if asked := len(u.TakeAsked()) > 0; asked != tt.asked || err == nil == tt.asked {
				t.Errorf("asked %v, %v", asked, err)
			}
			if tt.asked {
				if exit.CodeOf(err) != exit.Interrupted {
					t.Errorf("without an answer: %v", err)
				}
				return
			}
			if p.IsTrusted() != tt.trusted || strings.Contains(u.TakeWarnings(), "This folder is not trusted: ") == tt.trusted {
				t.Errorf("a person: trusted %v", p.IsTrusted())
			}
		})
	}
}

// TestAskTrust checks the question about trust, and the effect of its answers.
func TestAskTrust(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]struct {
		level   trust.Level
		trusted bool
	}{
		"Trust this folder":       {trust.TrustFolder, true},
		"Trust the parent folder": {trust.TrustParent, true},
		"Do not trust":            {trust.DoNotTrust, false},
	} {
		u := projecttest.NewUser(t)
		u.Write(".gemini/settings.json", `{"general": {"preferredEditor": "vim"}}`)
		u.Answer(answer)
		p := u.Open(u.AtTerminal)
		warnings := u.TakeWarnings()
		if p.IsTrusted() != want.trusted || !strings.HasPrefix(warnings, "Welcome to Pollux.") || strings.Contains(warnings, "This folder is not trusted: ") == want.trusted {
			t.Errorf("%s: trusted %v, warnings %s", answer, p.IsTrusted(), warnings)
		}
		if uses := config.PreferredEditor.In(p.Settings()) == "vim"; uses != want.trusted {
			t.Errorf("%s: the settings of the folder count: %v", answer, uses)
		}
		levels, err := trust.Read(u.Path("~/.gemini/trustedFolders.json"))
		if err != nil || levels[u.Dir] != want.level {
			t.Errorf("%s: stored %v, %v", answer, levels, err)
		}
		asked := u.TakeAsked()
		if len(asked) != 1 || !strings.Contains(asked[0].Help, "trustedFolders.json") || !strings.Contains(asked[0].Options[1].Description, filepath.Dir(u.Dir)+" and every folder in it") {
			t.Errorf("%s: asked %+v", answer, asked)
		}
		if u.Open(u.AtTerminal); len(u.TakeAsked()) > 0 {
			t.Errorf("%s: asked again", answer)
		}
	}
	home := projecttest.NewUser(t)
	home.Answer("Do not trust")
	sub := filepath.Dir(home.Write("~/sub/x", ""))
	home.Open(home.AtTerminal, func(o *project.Options) { o.Dir = sub })
	if asked := home.TakeAsked(); !strings.HasPrefix(asked[0].Text, "Do you trust the files in ~/sub?") || asked[0].Options[1].Description != "your whole home directory" {
		t.Errorf("below the home directory: %+v", asked)
	}
}

// TestTrustErrors checks decisions that cannot be read or stored.
func TestTrustErrors(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/trustedFolders.json", `{broken`)
	for _, change := range []func(*project.Options){func(*project.Options) {}, u.AtTerminal} {
		if _, err := u.TryOpen(change); exit.CodeOf(err) != exit.Config || !strings.Contains(err.Error(), "trustedFolders.json") {
			t.Errorf("%v", err)
		}
	}
	u = projecttest.NewUser(t)
	u.Write("~/.gemini/trustedFolders.json/x", "")
	if _, err := u.TryOpen(u.AtTerminal); err == nil {
		t.Error("a directory has decisions")
	}
	u = projecttest.NewUser(t, "GEMINI_CLI_TRUSTED_FOLDERS_PATH="+t.TempDir()+"/mine.json")
	u.Answer("Trust this folder")
	p := u.Open(u.AtTerminal)
	if _, err := os.Stat(u.Path("~/.gemini/trustedFolders.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the decision is in the wrong file: %v", err)
	}
	if state, err := p.DecideTrust(); state != trust.Trusted || err != nil {
		t.Errorf("decided %v, %v", state, err)
	}
}

// The question about trust lists the files of the folder that take effect, without control characters.
func TestContents(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Answer("Do not trust")
	u.Open(u.AtTerminal)
	if text := u.TakeAsked()[0].Text; text != "Do you trust the files in "+u.Dir+"?" {
		t.Errorf("an empty folder: %q", text)
	}
	u = projecttest.NewUser(t)
	u.Write(".gemini/settings.json", `{"mcpServers": {"evil\u001b[2J": {"command": "x"}}, "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "touch x"}]}]},
		"tools": {"allowed": ["run_shell_command"]}, "general": {"preferredEditor": "vim"}}`)
	u.Write(".gemini/commands/go.toml", `prompt = "go"`)
	u.Write(".gemini/skills/tidy/SKILL.md", "---\nname: Tidy\ndescription: x\n---\n")
	u.Write(".gemini/agents/helper.md", "---\nname: helper\ndescription: x\n---\nHelp.\n")
	u.Write(".gemini/policies/a.toml", "")
	u.Write("GEMINI.md", "Do.")
	u.Write("AGENTS.md", "Do.")
	u.Write("CLAUDE.md", "Do.")
	u.Write(".gemini/.env", "NODE_OPTIONS=-r ./evil.js\nGEMINI_API_KEY=k\nDATABASE_URL=x\n")
	u.Answer("Do not trust")
	u.Open(u.AtTerminal)
	text := u.TakeAsked()[0].Text
	for _, part := range []string{
		"\nThe folder has these files and settings for Pollux:", "- Commands: /go", "- MCP servers: evil", "- Hooks: ", "- Skills: tidy", "- Agents: helper", "- Policies: a.toml",
		"- Instructions: AGENTS.md, CLAUDE.md, GEMINI.md", "- Settings: ", "- What they do: ", "tools.allowed: run_shell_command", "- Variables in .env: DATABASE_URL", "- Warnings: ",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the question does not list %q:\n%s", part, text)
		}
	}
	if strings.ContainsAny(text, "\x1b") || strings.Contains(text, "GEMINI_API_KEY") {
		t.Errorf("the question has %q", text)
	}
	u = projecttest.NewUser(t)
	u.Write(".gemini/settings.json", `{broken`)
	u.Answer("Do not trust")
	u.Open(u.AtTerminal)
	if text := u.TakeAsked(); len(text) != 1 || !strings.Contains(text[0].Text, "- Not readable: ") {
		t.Errorf("broken settings: %+v", text)
	}
}

// The trust of a project is live: a copy of it has the same one.
func TestLiveTrust(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	p := u.Open(trusted)
	other := p.WithWarn(nil)
	p.Trust.Set(trust.Untrusted)
	if p.IsTrusted() || other.IsTrusted() {
		t.Error("a copy is still trusted")
	}
	if p.ProjectSettings() != "" {
		t.Error("the settings of an untrusted folder count")
	}
	p.Trust.Set(trust.Trusted)
	if p.ProjectSettings() != u.Path(".gemini/settings.json") {
		t.Errorf("the settings of the folder are %q", p.ProjectSettings())
	}
	home := u.Open(trusted, func(o *project.Options) { o.Dir = u.Home })
	if home.ProjectSettings() != "" {
		t.Error("the user's settings are those of a project")
	}
}

// TestTrustListsEveryServer checks that a server with a long entry hides no other one from the question about trust.
func TestTrustListsEveryServer(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write(".mcp.json", `{"mcpServers": {"a": {"command": "a", "args": ["`+strings.Repeat("x", 2000)+`"]}, "b": {"command": "evil"}}}`)
	u.Answer("Do not trust")
	u.Open(u.AtTerminal)
	if text := u.TakeAsked()[0].Text; !strings.Contains(text, "- MCP servers: a: {") || !strings.Contains(text, "\n  b: {\"command\":\"evil\"} (in .mcp.json)") {
		t.Errorf("the question is %s", text)
	}
}
