package imports

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/trust"
	"pollux/internal/manage/managetest"
	"pollux/internal/transfer"
)

const key = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"

// writeClaude writes files of Claude Code below a directory.
func writeClaude(p *managetest.Person, dir string) {
	p.Helper()
	for name, text := range map[string]string{
		"settings.json": `{"permissions": {"deny": ["Bash(rm:*)", "Monitor"], "allow": ["Bash(go test:*)"]}, "env": {"TOKEN": "` + key + `"}, "odd": 1,
  "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "guard"}, {"type": "command", "command": "guard ` + key + `"}]}]}}`,
		"commands/git/commit.md": "---\ndescription: Commit\n---\nCommit $ARGUMENTS\n", "commands/key.md": "Use " + key, "commands/mine.md": "theirs", "commands/readme.txt": "no",
		"agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews\ntools: Read\n---\nYou review.\n", "agents/team/reviewer.md": "---\ndescription: Other\ntools: Read\n---\nx\n",
		"skills/x/SKILL.md": "---\nname: x\ndescription: x\n---\nx",
	} {
		p.Write(filepath.Join(dir, ".claude", filepath.FromSlash(name)), text)
	}
}

// contents returns the contents of the files below a directory, by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			text, _ := os.ReadFile(path)
			found[path] = string(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// lines checks that a text has these lines, or beginnings of lines.
func lines(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, line := range want {
		if !strings.Contains("\n"+text, "\n"+line) {
			t.Errorf("no %q in:\n%s", line, text)
		}
	}
}

// TestImport copies all parts of a user's set-up: nothing is written before --apply, no key is written or printed, nothing is replaced, and a
// second import changes nothing.
func TestImport(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{"ui": {"hideTips": true}}`)
	writeClaude(p, p.Home)
	p.Write(p.Home+"/.claude.json", `{"mcpServers": {"gh": {"command": "gh-mcp", "env": {"GITHUB_TOKEN": "`+key+`"}}}}`)
	p.Write(p.Home+"/.gemini/commands/mine.toml", "prompt = 'mine'")
	theirs, before := contents(t, p.Home+"/.claude"), contents(t, p.Home+"/.gemini")
	o, err := p.Shell(Command(), "--from=claude")
	if err != nil {
		t.Fatal(err)
	}
	if now := contents(t, p.Home+"/.gemini"); len(now) != len(before) {
		t.Errorf("without --apply there are %d files, before %d", len(now), len(before))
	}
	dry := o.Plain(0)
	lines(
		t, dry, "changed   gh: gh-mcp, env: GITHUB_TOKEN (env.GITHUB_TOKEN is a key", "copied    deny Bash(rm:*)\n", "left out  deny Monitor (", "copied    PreToolUse of Bash: guard\n",
		"left out  PreToolUse of Bash (it has a key: put it into a variable)\n", "copied    git/commit.md\n", "left out  key.md (it has a key)\n", "left out  mine.md (there is another file mine.toml)\n",
		"copied    reviewer.md\n", "left out  team/reviewer.md (reviewer.md has the same name)\n", "present   .claude/skills (Pollux reads it as it is)\n", "left out  env (set the variables",
		"left out  odd (Pollux does not know it)\n", "Nothing is written yet. To write all of this, add --apply.\nNOT COPIED: 1 permission and 1 hook that may have refused something",
	)
	o, err = p.Shell(Command(), "--from=claude", "--apply")
	if err != nil {
		t.Fatal(err)
	}
	lines(t, o.Plain(0), "Wrote 1 server to ", "Wrote 2 permissions to ", "Wrote 1 hook to ", "Wrote 1 command to ", "Wrote 1 subagent to ", "The settings from before are in ")
	first := contents(t, p.Home+"/.gemini")
	for name, part := range map[string]string{
		"commands/git/commit.toml": "Commit {{args}}", "commands/mine.toml": "prompt = 'mine'", "agents/reviewer.md": `tools: ["read_file"]`, "policies/claude.toml": "commandPrefix = 'rm'",
		"settings.json": `"guard"`, "settings.json.before-import": `{"ui": {"hideTips": true}}`,
	} {
		if text := first[filepath.Join(p.Home, ".gemini", filepath.FromSlash(name))]; !strings.Contains(text, part) {
			t.Errorf("%s has no %s: %s", name, part, text)
		}
	}
	again, err := p.Shell(Command(), "--from=claude", "--apply")
	if err != nil {
		t.Fatal(err)
	}
	lines(t, again.Plain(0), "present   gh: ", "present   deny Bash(rm:*)\n", "present   PreToolUse of Bash: guard\n", "present   git/commit.md\n", "present   reviewer.md\n", "There are no commands to write.")
	second := contents(t, p.Home+"/.gemini")
	for name, text := range second {
		if first[name] != text {
			t.Errorf("a second import changes %s", name)
		}
		if strings.Contains(text, key) {
			t.Errorf("%s has the key", name)
		}
	}
	if len(second) != len(first) || strings.Contains(dry+o.Plain(0), key) {
		t.Errorf("%d files, before %d; %s", len(second), len(first), dry)
	}
	for name, text := range contents(t, p.Home+"/.claude") {
		if theirs[name] != text {
			t.Errorf("%s has changed", name)
		}
	}
}

// TestImportProject checks that an import for a project allows nothing, needs trust, and follows no link out of the project.
func TestImportProject(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	writeClaude(p, p.Options.Dir)
	p.Write(".mcp.json", `{"mcpServers": {}}`)
	p.Write("CLAUDE.md", "x")
	p.Write("AGENTS.md", "x")
	outside := p.Write(p.Home+"/outside/secret.md", "secret")
	if err := os.Symlink(outside, filepath.Join(p.Options.Dir, ".claude", "commands", "out.md")); err != nil {
		t.Skip("NOT TESTED: no links", err)
	}
	o, err := p.Shell(Command(), "--from=claude", "--scope=project", "--apply")
	if err != nil {
		t.Fatal(err)
	}
	lines(
		t, o.Plain(0), "left out  allow Bash(go test:*) (a project must not allow anything)\n", "left out  out.md (it is a link that leads out of the project", "present   .mcp.json (Pollux reads it",
		"left out  CLAUDE.md (Pollux reads GEMINI.md and AGENTS.md, which are here)\n", "Wrote 2 commands to .gemini/commands. ",
	)
	dir := filepath.Join(p.Options.Dir, ".gemini")
	got := contents(t, dir)
	for _, name := range []string{"commands/git/commit.toml", "agents/reviewer.md", "policies/claude.toml", "settings.json"} {
		if got[filepath.Join(dir, filepath.FromSlash(name))] == "" {
			t.Errorf("there is no %s", name)
		}
	}
	if _, err := os.Stat(p.Home + "/.gemini/commands"); err == nil {
		t.Error("the user has commands")
	}
	p.Write(p.Home+"/.gemini/settings.json", `{"pollux": {"foreignSkills": false, "foreignServers": false}}`)
	if o, err = p.Shell(Command(), "--from=claude", "--scope=project"); err != nil {
		t.Fatal(err)
	}
	lines(t, o.Plain(0), "left out  .claude/skills (pollux.foreignSkills switches it off)\n", "left out  .mcp.json (pollux.foreignServers switches it off)\n")
	p.Options.Folder = trust.Untrusted
	if _, err := p.Shell(Command(), "--from=claude", "--scope=project"); exit.CodeOf(err) != exit.Untrusted {
		t.Errorf("untrusted: %v", err)
	}
	p.Options.Folder, p.Options.Dir = trust.Trusted, p.Home
	if _, err := p.Shell(Command(), "--from=claude", "--scope=project"); exit.CodeOf(err) != exit.Input {
		t.Errorf("at home: %v", err)
	}
}

// TestImportLarge checks the bounds of files and of all files.
func TestImportLarge(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	for i := range 20 {
		p.Write(fmt.Sprintf(".claude/commands/%02d.md", i), strings.Repeat("x", transfer.MaxText))
	}
	p.Write(".claude/agents/a.md", "---\ndescription: a\ntools: Read\n---\nx")
	o, err := p.Shell(Command(), "--from=claude", "--scope=project")
	if err != nil {
		t.Fatal(err)
	}
	lines(t, o.Plain(0), "copied    16.md\n", "left out  17.md (the files before it are larger than 4 MB)\n", "copied    a.md\n")
	p.Write(".claude/commands/00.md", strings.Repeat("x", transfer.MaxText+1))
	if o, err = p.Shell(Command(), "--from=claude", "--scope=project"); err != nil {
		t.Fatal(err)
	}
	lines(t, o.Plain(0), "left out  00.md (it is larger than 256 KB)\n")
}

// TestImportLinkedTarget checks that a project cannot send copies to the user's commands.
func TestImportLinkedTarget(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Write(".claude/commands/evil.md", "evil")
	p.Write(p.Home+"/.gemini/commands/own.toml", "prompt = 'x'")
	if err := os.MkdirAll(filepath.Join(p.Options.Dir, ".gemini"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(p.Home+"/.gemini/commands", filepath.Join(p.Options.Dir, ".gemini", "commands")); err != nil {
		t.Skip("NOT TESTED: no links", err)
	}
	if _, err := p.Shell(Command(), "--from=claude", "--scope=project", "--apply"); exit.CodeOf(err) != exit.General || !strings.Contains(err.Error(), "leads out of the project") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(p.Home + "/.gemini/commands/evil.toml"); err == nil {
		t.Error("the command is there")
	}
}

// TestOthers copies from the other agents.
func TestOthers(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	for name, text := range map[string]string{
		".codex/config.toml":    "model = 'x'\napproval_policy = 'never'\n[mcp_servers.cx]\ncommand = 'cx'\n[[hooks.PreToolUse]]\nmatcher = 'Bash'\n[[hooks.PreToolUse.hooks]]\ntype = 'command'\ncommand = 'cguard'\n[[hooks.PreToolUse]]\nmatcher = 'apply_patch'\n[[hooks.PreToolUse.hooks]]\ntype = 'command'\ncommand = 'patch'\n",
		".codex/prompts/fix.md": "Fix $1", ".codex/rules/default.rules": "prefix_rule(pattern=['git', 'push'], decision='forbidden')\nif x: y",
		".config/opencode/opencode.json":   `{"mcp": {"oc": {"type": "local", "command": ["oc"]}}, "permission": {"bash": {"*": "ask", "git status": "allow", "git push *": "deny"}}, "provider": {}}`,
		".config/opencode/command/test.md": "Run !`make test`", ".config/opencode/agent/docs.md": "---\ndescription: d\nmode: subagent\ntools:\n  bash: false\n---\nx",
		".cursor/mcp.json": `{"mcpServers": {"cu": {"command": "cu"}}}`, ".cursor/commands/ship.md": "Ship it", ".cursor/hooks.json": "{}",
		".qwen/settings.json": `{"mcpServers": {"qw": {"command": "qw"}}, "tools": {"exclude": ["edit", "x"]}}`, ".qwen/commands/q.toml": "prompt = 'q'", ".qwen/commands/m.md": "m {{args}}",
		".config/crush/crush.json": `{"mcp": {"cr": {"type": "stdio", "command": "cr"}}, "permissions": {"allowed_tools": ["x"]}, "hooks": {}}`,
	} {
		p.Write(filepath.Join(p.Home, filepath.FromSlash(name)), text)
	}
	o, err := p.Shell(Command())
	if err != nil {
		t.Fatal(err)
	}
	lines(
		t, o.Plain(0), "codex     user   ~/.codex            1 server, 1 permission, 1 hook, 1 command\n", "opencode  user   ~/.config/opencode  1 server, 3 permissions, 1 command, 1 subagent\n",
		"cursor    user   ~/.cursor           1 server, 1 command\n", "qwen      user   ~/.qwen             1 server, 2 commands, 1 setting\n", "crush     user   ~/.config/crush     1 server\n",
		"To see all of it, run: pollux import --from codex --scope user",
	)
	for name, want := range map[string][]string{
		"codex": {
			"copied    cx: cx\n", "copied    PreToolUse of Bash: cguard\n", "left out  PreToolUse of apply_patch (its input in Codex is a patch, which no tool of Pollux has)\n",
			"changed   fix.md ($1 stands for all arguments)\n", "left out  approval_policy (choose a mode", "copied    deny git push\n", "left out  default.rules, line 2 (", "NOT COPIED: 1 permission, 1 hook and 1 setting that",
		},
		"opencode": {"copied    oc: oc\n", "copied    ask bash\n", "copied    allow bash(git status)\n", "copied    deny bash(git push *)\n", "copied    test.md\n", "changed   docs.md ("},
		"cursor":   {"copied    cu: cu\n", "copied    ship.md\n", "left out  .cursor/hooks.json (", "NOT COPIED: 1 setting"},
		"qwen":     {"copied    qw: qw\n", "copied    m.md\n", "copied    q.toml\n", "changed   tools.exclude (with Pollux's names of tools)\n"},
		"crush":    {"copied    cr: cr\n", "left out  permissions (tools that run without a question are not copied)\n"},
	} {
		o, err := p.Shell(Command(), "--from="+name, "--apply")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		lines(t, o.Plain(0), want...)
		o, err = p.Shell(Command(), "--from="+name, "--apply")
		if report, _ := o.Value.(transfer.Report); err != nil || len(report.Backups) > 0 || strings.Contains(o.Plain(0), "Wrote ") {
			t.Errorf("%s again: %s, %v", name, o.Plain(0), err)
		}
	}
	if _, err := p.Shell(Command(), "--from=antigravity"); exit.CodeOf(err) != exit.Input {
		t.Errorf("antigravity: %v", err)
	}
	p.Write(p.Home+"/.codex/config.toml", "x = ")
	if _, err := p.Shell(Command(), "--from=codex"); exit.CodeOf(err) != exit.Config {
		t.Errorf("a broken file: %v", err)
	}
	if o, err := p.Shell(Command()); err != nil || !strings.Contains(o.Plain(0), "Cannot read ") || !strings.Contains(o.Plain(0), "opencode ") {
		t.Errorf("%s, %v", o.Plain(0), err)
	}
	p.Options.Dir = p.Home // is no project
	if o, err := p.Shell(Command()); err != nil || strings.Contains(o.Plain(0), "project ") {
		t.Errorf("at home: %s, %v", o.Plain(0), err)
	}
	if _, err := p.Shell(Command(), "--apply"); exit.CodeOf(err) != exit.Input {
		t.Errorf("without --from: %v", err)
	}
}

// TestNothing checks the list and the offer of a user without other agents, and of one with some.
func TestNothing(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	if o, err := p.Shell(Command()); err != nil || !strings.Contains(o.Plain(0), "There are no files of other agents. Pollux imports from: claude, antigravity, codex,") {
		t.Errorf("%s, %v", o.Plain(0), err)
	}
	if got := Offer(p.Home); got != "" {
		t.Error(got)
	}
	p.Write(p.Home+"/.codex/auth.json", "{}")
	if got := Offer(p.Home); got != "To copy your set-up from Codex, run: pollux import --from codex" {
		t.Error(got)
	}
	p.Write(p.Home+"/.claude/settings.json", "{}")
	if got := Offer(p.Home); got != "To copy your set-up from Claude Code and other agents, run: pollux import" {
		t.Error(got)
	}
}

// TestQwenSettings copies settings of Qwen Code: those that mean the same and allow nothing, in their types, and without replacing any.
func TestQwenSettings(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{"ui": {"hideBanner": false, "customWittyPhrases": ["a"]}, "tools": {"core": ["replace"]}}`)
	p.Write(p.Home+"/.qwen/settings.json", `{
  "$version": 3, "odd": {"a": 1}, "general": {"vimMode": "yes", "checkpointing": {"enabled": true}, "terminalBell": true}, "output": 5,
  "ui": {"hideBanner": true, "customWittyPhrases": ["a"], "hideTips": true, "theme": "Qwen Dark"},
  "context": {"fileName": "QWEN.md", "fileFiltering": {"respectGitIgnore": false, "enableFuzzySearch": false}},
  "model": {"name": "m", "maxSessionTurns": 9, "chatCompression": {}}, "mcp": {"excluded": ["s"], "serverCommand": "x"},
  "tools": {"core": ["edit"], "exclude": ["Shell(rm)", "mcp__s__t", 5], "autoAccept": true, "truncateToolOutputThreshold": 100},
  "advanced": {"excludedEnvVars": ["`+key+`"]}, "security": {"auth": {"apiKey": "`+key+`"}}, "disableAllHooks": true}`)
	p.Write(p.Home+"/.qwen/QWEN.md", "Text with @./other.md")
	o, err := p.Shell(Command(), "--from=qwen", "--apply")
	if err != nil {
		t.Fatal(err)
	}
	lines(
		t, o.Plain(0), "left out  odd (Pollux does not know it)\n", "left out  general.vimMode (Pollux does not take its value)\n", "copied    general.checkpointing.enabled\n",
		"left out  general.terminalBell (Pollux does not know it)\n", "left out  output (Pollux does not know it)\n", "left out  ui.hideBanner (your settings have another value)\n",
		"present   ui.customWittyPhrases\n", "copied    ui.hideTips\n", "left out  ui.theme (", "copied    context.fileName\n", "left out  context.fileFiltering.respectGitIgnore (it would allow more",
		"copied    context.fileFiltering.enableFuzzySearch\n", "left out  model.name (", "copied    model.maxSessionTurns\n", "left out  model.chatCompression (Pollux does not know it)\n",
		"copied    mcp.excluded\n", "left out  mcp.serverCommand (it runs a program)\n", "present   tools.core (with Pollux's names of tools)\n", "left out  tools.exclude (Pollux does not take its value)\n",
		"left out  tools.autoAccept (", "copied    tools.truncateToolOutputThreshold\n", "left out  advanced.excludedEnvVars (it has a key)\n", "left out  security.auth (", "left out  disableAllHooks (",
		"changed   .qwen/QWEN.md (files that it imports with @ are looked for below ~/.gemini)\n", "NOT COPIED: 3 settings that may have refused something",
	)
	if strings.Contains(o.Plain(0), key) {
		t.Error("the report has the key")
	}
	settings, err := os.ReadFile(p.Home + "/.gemini/settings.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := config.ParseObject(settings)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"context":{"fileFiltering":{"enableFuzzySearch":false},"fileName":"QWEN.md"},"general":{"checkpointing":{"enabled":true}},"mcp":{"excluded":["s"]},"model":{"maxSessionTurns":9},` +
		`"tools":{"core":["replace"],"truncateToolOutputThreshold":100},"ui":{"customWittyPhrases":["a"],"hideBanner":false,"hideTips":true}}`
	if text, _ := json.Marshal(got); string(text) != want {
		t.Errorf("the settings are %s\nwant %s", text, want)
	}
	if text := contents(t, p.Home+"/.gemini")[filepath.Join(p.Home, ".gemini", "GEMINI.md")]; text != "Text with @./other.md" {
		t.Errorf("the instructions are %q", text)
	}
	if o, err = p.Shell(Command(), "--from=qwen", "--apply"); err != nil || strings.Contains(o.Plain(0), "Wrote ") {
		t.Errorf("again: %s, %v", o.Plain(0), err)
	}
}

// TestAntigravityAgents copies agents of Antigravity CLI, which may be in directories of their own.
func TestAntigravityAgents(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Write(p.Home+"/.gemini/antigravity-cli/settings.json", `{}`)
	const text = "---\ndescription: d\ntools: [view_file]\n---\nx"
	p.Write(p.Home+"/.gemini/config/agents/one.md", text)
	p.Write(p.Home+"/.gemini/config/agents/two/agent.md", text)
	o, err := p.Shell(Command(), "--from=antigravity", "--apply")
	if err != nil {
		t.Fatal(err)
	}
	lines(t, o.Plain(0), "copied    one.md\n", "copied    two/agent.md\n", "Wrote 2 subagents to ~/.gemini/agents.")
	got := contents(t, filepath.Join(p.Home, ".gemini", "agents"))
	for _, name := range []string{"one", "two"} {
		if text := got[filepath.Join(p.Home, ".gemini", "agents", name+".md")]; text != "---\nname: \""+name+"\"\ndescription: \"d\"\ntools: [\"read_file\"]\n---\n\nx\n" {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// TestInstructions copies the instructions of the user to a file of their own, and replaces none.
func TestInstructions(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ theirs, own, want string }{
		"none":   {"Theirs", "", "copied    .codex/AGENTS.md\n"},
		"equal":  {"Same", "Same", "present   .codex/AGENTS.md\n"},
		"others": {"Theirs", "Mine", "left out  .codex/AGENTS.md (you have instructions for Pollux: copy those that you want to ~/.gemini/GEMINI.md)\n"},
		"a key":  {"Use " + key, "", "left out  .codex/AGENTS.md (it has a key)\n"},
		"empty":  {" \n", "", "left out  .codex/AGENTS.md (it is empty)\n"},
		"large":  {strings.Repeat("x", transfer.MaxText+1), "", "left out  AGENTS.md (it is larger than 256 KB)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := managetest.New(t, `{}`)
			p.Write(p.Home+"/.codex/AGENTS.md", tt.theirs)
			if tt.own != "" {
				p.Write(p.Home+"/.gemini/GEMINI.md", tt.own)
			}
			o, err := p.Shell(Command(), "--from=codex", "--apply")
			if err != nil {
				t.Fatal(err)
			}
			lines(t, o.Plain(0), tt.want)
			got, _ := os.ReadFile(p.Home + "/.gemini/GEMINI.md") // nothing if there is none
			if want := map[bool]string{true: "Theirs", false: tt.own}[name == "none"]; string(got) != want {
				t.Errorf("the instructions are %q, want %q", got, want)
			}
		})
	}
}

// TestContexts names files with instructions in the settings of a project, which Pollux reads then, and keeps names that are there.
func TestContexts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ settings, theirs, want, written string }{
		"none":      {"", "", "changed   QWEN.md (context.fileName names it)\n", `{"context":{"fileName":["AGENTS.md","QWEN.md"]}}`},
		"there":     {`{"context": {"fileName": ["QWEN.md"]}}`, "", "present   QWEN.md (context.fileName names it)\n", `{"context":{"fileName":["QWEN.md"]}}`},
		"one":       {`{"context": {"fileName": "QWEN.md"}}`, "", "present   QWEN.md (context.fileName names it)\n", `{"context":{"fileName":"QWEN.md"}}`},
		"another":   {`{"context": {"fileName": "X.md"}}`, "", "left out  QWEN.md (name it in context.fileName)\n", `{"context":{"fileName":"X.md"}}`},
		"a secret":  {"", `{"context": {"fileName": ".env"}}`, "left out  context.fileName (it would allow more", `{"context":{"fileName":["AGENTS.md","QWEN.md"]}}`},
		"an object": {`{"context": 5}`, "", "changed   QWEN.md (context.fileName names it)\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := managetest.New(t, `{}`)
			p.Write("QWEN.md", "x")
			if tt.settings != "" {
				p.Write(".gemini/settings.json", tt.settings)
			}
			if tt.theirs != "" {
				p.Write(".qwen/settings.json", tt.theirs)
			}
			o, err := p.Shell(Command(), "--from=qwen", "--scope=project", "--apply")
			if tt.written == "" {
				if err == nil {
					t.Error("it is written")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			lines(t, o.Plain(0), tt.want)
			data, _ := os.ReadFile(filepath.Join(p.Options.Dir, ".gemini", "settings.json"))
			got, err := config.ParseObject(data)
			if err != nil {
				t.Fatal(err)
			}
			if text, _ := json.Marshal(got); string(text) != tt.written {
				t.Errorf("the settings are %s, want %s", text, tt.written)
			}
		})
	}
}

// TestProjectProviders checks that a project gives no provider, and that one of a name of the user's stays.
func TestProjectProviders(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{"modelProviders": {"w": {"baseUrl": "https://mine.example", "apiKey": "$MINE"}}}`, "MINE=x")
	const theirs = `{"providers": {"w": {"type": "openai-compat", "base_url": "https://theirs.example", "api_key": "$W"}, "v": {"type": "openai-compat", "base_url": "https://v.example", "api_key": "` + key + `"}}}`
	p.Write("crush.json", theirs)
	o, err := p.Shell(Command(), "--from=crush", "--scope=project", "--apply")
	if err != nil {
		t.Fatal(err)
	}
	lines(t, o.Plain(0), "left out  v (a project must not choose where your prompts and keys go)\n", "left out  w (a project must not")
	if _, err := os.Stat(filepath.Join(p.Options.Dir, ".gemini")); err == nil {
		t.Error("the project has settings")
	}
	p.Write(p.Home+"/.config/crush/crush.json", theirs)
	if o, err = p.Shell(Command(), "--from=crush", "--apply"); err != nil {
		t.Fatal(err)
	}
	lines(t, o.Plain(0), "changed   v: https://v.example, key: V_API_KEY (api_key is a key, which is not copied: set the variable V_API_KEY)\n", "left out  w: https://theirs.example, key: W (your settings have another provider with this name)\n")
	data, _ := os.ReadFile(p.Home + "/.gemini/settings.json")
	if text := string(data); strings.Contains(text+o.Plain(0), key) || !strings.Contains(text, `"apiKey": "$MINE"`) || strings.Contains(text, "theirs.example") {
		t.Errorf("the settings are %s", text)
	}
}
