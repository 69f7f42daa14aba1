package plugin

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/extension"
	"pollux/internal/extension/unpack"
)

// write returns a directory with these files.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// read returns the files below a directory, with their contents.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		text, _ := os.ReadFile(path)
		found[filepath.ToSlash(name)] = string(text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// convert converts the plugin in a directory, in place.
func convert(t testing.TB, dir, name string) (*Conversion, error) {
	t.Helper()
	s, err := Find(dir, name)
	if err != nil {
		return nil, err
	}
	if s == nil {
		t.Fatal("there is no plugin")
	}
	c, err := s.Convert(s.Dir)
	if err == nil {
		err = c.Write(unpack.Usual)
	}
	return c, err
}

const (
	manifestOfClaude = ".claude-plugin/plugin.json"
	key              = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
)

// TestCopiesAreBounded converts a plugin with skills in one another, each of which has a large file: copied with each of them, it would fill the disk.
func TestCopiesAreBounded(t *testing.T) {
	t.Parallel()
	const skill = "---\nname: s\ndescription: x\n---\n"
	files := map[string]string{"a/b/c/large": strings.Repeat("x", 1000), "a/SKILL.md": skill, "a/b/SKILL.md": skill, "a/b/c/SKILL.md": skill}
	files[manifestOfClaude] = `{"name": "x", "version": "1", "skills": ["a", "a/b", "a/b/c"]}`
	const size = 3*1000 + 6*int64(len(skill))
	for _, tt := range []struct {
		limits unpack.Limits
		want   string
	}{
		{unpack.Limits{Bytes: size, Files: 100}, ""},
		{unpack.Limits{Bytes: size - 1, Files: 100}, "cannot copy a/b/c: the plugin names too large directories more than once"},
		{unpack.Limits{Bytes: 10, Files: 100}, "cannot copy a: the plugin names too large directories more than once"},
		{unpack.Limits{Bytes: size, Files: 15}, ""}, // three directories and four files, two and three, one and two
		{unpack.Limits{Bytes: size, Files: 14}, "cannot copy a/b/c: the plugin names too many files more than once"},
	} {
		dir := write(t, files)
		s, err := Find(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Convert(dir)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := c.Write(tt.limits); err != nil {
			got = err.Error()
		}
		var n int64
		for name, text := range contents(t, dir) {
			if strings.HasPrefix(name, "skills/") {
				n += int64(len(text))
			}
		}
		if got != tt.want || n > tt.limits.Bytes+1 {
			t.Errorf("%+v: %q, and %d bytes", tt.limits, got, n)
		}
	}
}

// TestClaude converts a plugin with each kind of part, in the usual places and in those that the manifest names.
func TestClaude(t *testing.T) {
	t.Parallel()
	before := map[string]string{
		manifestOfClaude: `{"$schema": "x", "name": "all", "version": "2.0.0", "description": "D", "author": {"name": "A"}, "commands": ["./more/deploy.md", "./other"], "skills": "./extra/",
			"hooks": "./more/hooks.json", "mcpServers": {"inline": {"command": "${CLAUDE_PLUGIN_ROOT}/b", "args": ["$CLAUDE_PLUGIN_ROOT", "${CLAUDE_PLUGIN_DATA}", "${CLAUDE_PROJECT_DIR}"]}, "one": {"command": "again"}, "opt": {"url": "https://x/${user_config.a}", "type": "http"}},
			"outputStyles": "./styles", "userConfig": {"a": {"title": "The host", "description": "H", "type": "string", "sensitive": true, "default": "x"}, "b-c": {}, "l": {"multiple": true}}, "new": true, "off": false}`,
		"commands/git/commit.md": "---\ndescription: Commit\nallowed-tools: Bash(git:*)\n---\nUse !`${CLAUDE_PLUGIN_ROOT}/x.sh $ARGUMENTS` and mcp__plugin_all_one__run\n",
		"commands/old.toml":      "prompt = 'not of the plugin'",
		"more/deploy.md":         "Deploy $1",
		"other/a/b.md":           "B",
		"agents/one.md":          "---\nname: one\ndescription: d\ntools: Read, mcp__plugin_all_one__run\n---\nSee ${CLAUDE_PLUGIN_ROOT}/y",
		"agents/broken.md":       "none",
		"agents/deep/two.md":     "---\ndescription: d\ntools: Read\n---\nx",
		"skills/a/SKILL.md":      "---\nname: a\ndescription: d\nhooks: {}\nallowed-tools: Bash\ncontext: fork\n---\nRun ${CLAUDE_PLUGIN_ROOT}/z and ${CLAUDE_SKILL_DIR}/q",
		"skills/bad/SKILL.md":    "no front matter",
		"extra/c/SKILL.md":       "---\nname: c\ndescription: d\n---\nIn ${CLAUDE_SKILL_DIR}",
		"extra/c/data/x.txt":     "data",
		"hooks/hooks.json":       `{"description": "d", "hooks": {"PreToolUse": [{"matcher": "mcp__plugin_all_one__.*|Bash", "hooks": [{"type": "command", "command": "python3", "args": ["${CLAUDE_PLUGIN_ROOT}/h.py"]}]}]}}`,
		"more/hooks.json":        `{"hooks": {"PreToolUse": [{"matcher": "Edit", "hooks": [{"type": "agent", "prompt": "x"}]}], "Stop": [{"hooks": [{"type": "command", "command": "echo CLAUDE_PLUGIN_ROOT"}]}]}}`,
		".mcp.json":              `{"mcpServers": {"one": {"command": "one", "env": {"CLAUDE_PLUGIN_ROOT": "mine"}}, "gh": {"type": "http", "url": "https://x", "headers": {"Authorization": "Bearer ` + key + `"}}, "sh": {"command": "sh", "args": ["-c", "echo $HOME"]}}}`,
		"GEMINI.md":              "not of the plugin",
		"policies/p.toml":        "[[rule]]",
		"settings.json":          "{}",
	}
	dir := write(t, before)
	c, err := convert(t, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	const report = `Options:

changed   a: CLAUDE_PLUGIN_OPTION_A (its default x is not set by itself: enter it)
left out  b-c (it is not an object, or its name has other characters than letters, digits and _)
left out  l (it is a list)

Servers in .mcp.json:

changed   gh: https://x, headers: Authorization (headers.Authorization is a key, which is not copied: set the variable GH_TOKEN)
copied    one: one, env: CLAUDE_PLUGIN_ROOT
left out  sh (it has a $ that Pollux would read as a variable)
changed   inline: ${extensionPath}/b ${extensionPath} ${CLAUDE_PLUGIN_DATA} ${workspacePath} (it uses CLAUDE_PLUGIN_DATA, which Pollux does not set)
left out  one: again (there is another server with this name)
copied    opt: https://x/${CLAUDE_PLUGIN_OPTION_A}

Hooks in hooks/hooks.json and more/hooks.json:

copied    PreToolUse of mcp__one__.*|Bash: python3 '${extensionPath}/h.py'
left out  PreToolUse of Edit (the type must be "command", not "agent")
copied    Stop: echo CLAUDE_PLUGIN_ROOT

Commands in commands and other:

changed   git/commit.md (without allowed-tools, which allow calls without a question; in a shell command, the arguments are one quoted text)
changed   deploy.md ($1 stands for all arguments)
copied    a/b.md

Subagents in agents:

left out  broken.md (it does not begin with a description between two lines ---)
copied    deep/two.md
copied    one.md

Skills:

changed   skills/a (without allowed-tools, which allow calls without a question; without context; without its hooks, which may have refused calls)
left out  skills/bad (it does not begin with a description between two lines ---)
copied    extra/c

Settings:

left out  new (Pollux does not know it)
left out  outputStyles (Pollux has no such part)
left out  policies (they are no part of a plugin of Claude Code)
left out  settings.json (Pollux has no such part)

NOT COPIED: 1 hook that may have refused something, see above. Nothing checks in their place.
`
	if diff := cmp.Diff(strings.TrimRight(report, "\n"), c.Report()); diff != "" {
		t.Error(diff)
	}
	after := contents(t, dir)
	for name, want := range map[string]string{
		"gemini-extension.json": `{
  "name": "all",
  "version": "2.0.0",
  "description": "D",
  "mcpServers": {
    "gh": {
      "headers": {
        "Authorization": "Bearer ${GH_TOKEN}"
      },
      "type": "http",
      "url": "https://x"
    },
    "inline": {
      "args": [
        "${extensionPath}",
        "${CLAUDE_PLUGIN_DATA}",
        "${workspacePath}"
      ],
      "command": "${extensionPath}/b",
      "env": {
        "CLAUDE_PLUGIN_ROOT": "${extensionPath}"
      }
    },
    "one": {
      "command": "one",
      "env": {
        "CLAUDE_PLUGIN_ROOT": "mine"
      }
    },
    "opt": {
      "type": "http",
      "url": "https://x/${CLAUDE_PLUGIN_OPTION_A}"
    }
  },
  "contextFileName": [],
  "settings": [
    {
      "description": "H",
      "envVar": "CLAUDE_PLUGIN_OPTION_A",
      "name": "The host",
      "sensitive": true
    }
  ],
  "plugin": "claude",
  "notCopied": [
    "hook PreToolUse of Edit (the type must be \"command\", not \"agent\")"
  ]
}
`,
		"hooks/hooks.json":         `{"hooks":{"AfterAgent":[{"hooks":[{"command":"echo CLAUDE_PLUGIN_ROOT","dialect":"claude","type":"command"}]}],"BeforeTool":[{"hooks":[{"args":["${extensionPath}/h.py"],"command":"python3","dialect":"claude","type":"command"}],"matcher":"mcp__one__.*|Bash"}]}}`,
		"commands/git/commit.toml": "description = \"Commit\"\nprompt = '''\nUse !{${extensionPath}/x.sh {{args}}} and mcp__one__run'''\n",
		"commands/deploy.toml":     "prompt = '''\nDeploy {{args}}'''\n",
		"commands/a/b.toml":        "prompt = '''\nB'''\n",
		"agents/one.md":            "---\nname: \"one\"\ndescription: \"d\"\ntools: [\"read_file\", \"mcp_one_run\"]\n---\n\nSee ${extensionPath}/y\n",
		"agents/two.md":            "---\nname: \"two\"\ndescription: \"d\"\ntools: [\"read_file\"]\n---\n\nx\n",
		"skills/a/SKILL.md":        "---\nname: a\ndescription: d\nhooks: {}\nallowed-tools: Bash\ncontext: fork\n---\nRun ${extensionPath}/z and ${extensionPath}/skills/a/q",
		"skills/c/SKILL.md":        "---\nname: c\ndescription: d\n---\nIn ${extensionPath}/skills/c",
		"skills/c/data/x.txt":      "data",
	} {
		if diff := cmp.Diff(want, after[name]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		delete(after, name)
	}
	for _, name := range []string{"commands/old.toml", "agents/broken.md", "skills/bad/SKILL.md", "policies/p.toml"} {
		if _, isThere := after[name]; isThere {
			t.Errorf("%s is still there", name)
		}
		delete(before, name)
	}
	for name, text := range after {
		if before[name] != text {
			t.Errorf("%s is new, or has changed", name)
		}
	}
	if !c.HasVersion || len(c.Manifest.ContextFileNames) > 0 || c.Manifest.Plugin != "claude" || len(c.Manifest.NotCopied) != 1 {
		t.Errorf("%+v", c.Manifest)
	}
}

// TestOptions checks the places in which options of a plugin have an effect.
func TestOptions(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		manifestOfClaude: `{"name": "x", "userConfig": {"a": {}, "A": {}, "n": 5}}`,
		"hooks/hooks.json": `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x \"${user_config.A}\""}, {"type": "command", "command": "x '${user_config.A}'"},
			{"type": "command", "command": "x", "args": ["${user_config.A}"]}, {"type": "command", "command": "${user_config.A}", "args": ["y"]}, {"type": "command", "command": "x ${user_config.A}", "shell": "powershell"}]}]}}`,
		".mcp.json": `{"mcpServers": {"s": {"command": "x", "args": ["${user_config.A}"]}, "t": {"command": "x", "args": ["${user_config.no}"]}}}`,
	})
	c, err := convert(t, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	const report = `Options:

copied    A: CLAUDE_PLUGIN_OPTION_A
left out  a (another option differs only in case)
left out  n (it is not an object, or its name has other characters than letters, digits and _)

Servers in .mcp.json:

copied    s: x ${CLAUDE_PLUGIN_OPTION_A}
left out  t: x ${user_config.no} (it needs an option that the plugin does not have)

Hooks in hooks/hooks.json:

copied    PreToolUse: x "${CLAUDE_PLUGIN_OPTION_A}"
left out  PreToolUse (it needs an option of the plugin in a place where no shell would replace it)
left out  PreToolUse (it needs an option of the plugin in a place where no shell would replace it)
left out  PreToolUse (it needs an option of the plugin in a place where no shell would replace it)
left out  PreToolUse (it needs an option of the plugin in a place where no shell would replace it)

NOT COPIED: 4 hooks that may have refused something, see above. Nothing checks in their place.`
	if diff := cmp.Diff(report, c.Report()); diff != "" {
		t.Error(diff)
	}
	if s := c.Manifest.Settings; len(s) != 1 || s[0].EnvVar != "CLAUDE_PLUGIN_OPTION_A" || s[0].Name != "A" || s[0].IsSensitive {
		t.Errorf("%+v", s)
	}
}

// TestQwen converts an extension of Qwen Code.
func TestQwen(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"qwen-extension.json": `{"name": "qx", "version": "1.0.0", "mcpServers": {"s": {"command": "${extensionPath}/s", "trust": true}}, "channels": {"c": {"entry": "c.js"}},
			"settings": [{"name": "Key", "description": "K", "envVar": "QX_KEY", "sensitive": true}, {"name": "bad", "envVar": "a b"}], "excludeTools": ["x"]}`,
		"QWEN.md":           "Use it well.",
		"commands/a.md":     "---\ndescription: d\n---\nA {{args}}",
		"commands/b.toml":   "prompt = 'B'",
		"agents/w.md":       "---\nname: w\ndescription: d\ntools: [edit, read_file]\n---\nx",
		"skills/k/SKILL.md": "---\nname: k\ndescription: d\n---\nx",
		"hooks/hooks.json":  `{"hooks": {"PreToolUse": [{"matcher": "edit", "hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/g.sh", "timeout": 900}, {"type": "http", "url": "http://x"}]}]}}`,
		"policies/p.toml":   "[[rule]]",
	})
	c, err := convert(t, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	const report = `Options:

copied    Key: QX_KEY
left out  settings[1] (it has no name, or envVar is not the name of a variable)

Servers:

changed   s: ${extensionPath}/s (without trust)

Hooks in hooks/hooks.json:

copied    PreToolUse of edit: ${extensionPath}/g.sh
left out  PreToolUse of edit (the type must be "command", not "http")

Commands in commands:

copied    a.md
copied    b.toml

Subagents in agents:

copied    w.md

Skills:

copied    skills/k

Context files:

copied    QWEN.md

Settings:

left out  channels (it runs a program)
left out  excludeTools (write policies, see /docs policies)
left out  policies (they are no part of an extension of Qwen Code)

NOT COPIED: 1 hook that may have refused something, see above. Nothing checks in their place.`
	if diff := cmp.Diff(report, c.Report()); diff != "" {
		t.Error(diff)
	}
	m := c.Manifest
	if m.Plugin != "qwen" || len(m.Settings) != 1 || m.Settings[0].EnvVar != "QX_KEY" || !m.Settings[0].IsSensitive || !slices.Equal(m.ContextFileNames, []string{"QWEN.md"}) || m.Version != "1.0.0" {
		t.Errorf("%+v", m)
	}
	after := contents(t, dir)
	if !strings.Contains(after["hooks/hooks.json"], `"dialect":"qwen"`) || after["agents/w.md"] != "---\nname: \"w\"\ndescription: \"d\"\ntools: [\"replace\", \"read_file\"]\n---\n\nx\n" || after["policies/p.toml"] != "" {
		t.Errorf("%q", after)
	}
}

// TestAntigravity converts a plugin of Antigravity CLI, whose manifest can be in several places.
func TestAntigravity(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"plugin.json", ".antigravity-plugin/plugin.json", ".gemini-plugin/plugin.json"} {
		dir := write(t, map[string]string{
			place:                   `{"name": "agy", "logo": "x.png", "commands": "./x"}`,
			"hooks.json":            `{"b": {"PreToolUse": [{"matcher": "run_command", "hooks": [{"command": "./guard.sh"}]}], "Odd": [{"command": "x"}]}}`,
			"mcp_config.json":       `{"mcpServers": {"s": {"serverUrl": "https://x"}, "off": {"command": "x", "disabled": true}}}`,
			"rules/a b.md":          "---\ntrigger: always_on\n---\nText",
			"rules/skill.md":        "---\ntrigger: model_decision\ndescription: \"it's: odd\"\n---\nDo",
			"rules/none.md":         "---\ntrigger: model_decision\n---\nDo",
			"rules/knots.md":        "---\ntrigger: model_decision\ndescription: d\n---\nDo",
			"rules/say.md":          "---\ntrigger: manual\n---\nSay {{args}} !{date} $ARGUMENTS",
			"rules/go.md":           "---\ntrigger: glob\nglobs: '*.go'\n---\nGo",
			"rules/odd.md":          "---\ntrigger: [x]\n---\nGo",
			"rules/else.md":         "---\ntrigger: other\n---\nGo",
			"skills/knots/SKILL.md": "---\nname: knots\ndescription: d\ndisable-slash-command: true\n---\nTie",
			"commands/sail.toml":    "prompt = 'Sail {{args}}'",
			"commands/say.toml":     "prompt = 'Say'",
			"commands/bad.toml":     "prompt = 5",
			"commands/row.md":       "Row $ARGUMENTS !`date`",
			"agents/h/agent.md":     "---\nname: h\ndescription: d\ntools: [view_file, run_command]\nmax_turns: 4\ntimeout_mins: 3\nmodel: pro\n---\nx",
		})
		c, err := convert(t, dir, "")
		if err != nil {
			t.Fatal(err)
		}
		const report = `Servers in mcp_config.json:

left out  off (it is disabled)
copied    s: https://x

Hooks in hooks.json:

left out  Odd of b (Pollux has no such event)
copied    PreToolUse of b for run_command: ./guard.sh

Commands in commands:

left out  bad.toml (it has no prompt)
copied    row.md
copied    sail.toml
copied    say.toml

Subagents in agents:

changed   h/agent.md (without model pro: it uses that of the session)

Skills:

changed   skills/knots (without disable-slash-command)

Rules in rules:

copied    a b.md
left out  else.md (its trigger is not known)
left out  go.md (Pollux has no rules for some files only)
left out  knots.md (there is a skill knots)
left out  none.md (it has no description, by which the model would choose it)
left out  odd.md (it has no trigger, without which Antigravity CLI does not use it)
left out  say.md (say.toml is there already)
changed   skill.md (it is the skill skill)

Settings:

left out  commands (Pollux does not know it)`
		if diff := cmp.Diff(report, c.Report()); diff != "" {
			t.Errorf("%s: %s", place, diff)
		}
		after := contents(t, dir)
		for name, want := range map[string]string{
			"rules/context/a-b.md":  "Text\n",
			"skills/skill/SKILL.md": "---\nname: skill\ndescription: \"it's: odd\"\n---\n\nDo\n",
			"commands/row.toml":     "prompt = '''\nRow $ARGUMENTS !`date`'''\n",
			"commands/sail.toml":    "prompt = 'Sail {{args}}'",
			"agents/h.md":           "---\nname: \"h\"\ndescription: \"d\"\ntools: [\"read_file\", \"run_shell_command\"]\nmax_turns: 4\ntimeout_mins: 3\n---\n\nx\n",
			"hooks/hooks.json":      `{"hooks":{"BeforeTool":[{"hooks":[{"command":"./guard.sh","cwd":"${extensionPath}","dialect":"antigravity","name":"b","type":"command"}],"matcher":"run_command","sequential":true}]}}`,
			"commands/bad.toml":     "",
		} {
			if diff := cmp.Diff(want, after[name]); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		if c.HasVersion || c.Manifest.Version != "0.0.0" || strings.Join(c.Manifest.ContextFileNames, " ") != "rules/context/a-b.md" {
			t.Errorf("%+v", c.Manifest)
		}
	}
}

// TestHostile checks plugins with mistakes and attacks: each is refused, or the part is left out with a line.
func TestHostile(t *testing.T) {
	t.Parallel()
	large := strings.Repeat(" ", 2<<20)
	for name, tt := range map[string]struct {
		files  map[string]string // beside a manifest with a name
		report string            // a part of it, or of the error after "error: "
	}{
		"broken manifest":    {map[string]string{manifestOfClaude: `{"name": `}, "error: cannot read .claude-plugin/plugin.json: "},
		"large manifest":     {map[string]string{manifestOfClaude: `{"name": "x"}` + large}, "error: cannot read .claude-plugin/plugin.json: it is larger than 1 MB"},
		"list":               {map[string]string{manifestOfClaude: `[]`}, "error: cannot read .claude-plugin/plugin.json: "},
		"no name":            {map[string]string{manifestOfClaude: `{}`}, `error: its plugin.json cannot be used: "name" is missing`},
		"name with a path":   {map[string]string{manifestOfClaude: `{"name": "../x"}`}, `error: its plugin.json cannot be used: invalid name "../x"`},
		"name of a number":   {map[string]string{manifestOfClaude: `{"name": 5}`}, `error: its plugin.json cannot be used: "name" is missing`},
		"deep":               {map[string]string{".mcp.json": `{"x": {"command": "x", "env": ` + strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200) + `}}`}, "error: its plugin.json cannot be used: objects and lists nest"},
		"broken hooks":       {map[string]string{"hooks/hooks.json": `{`}, "left out  hooks/hooks.json ("},
		"lost hooks":         {map[string]string{"hooks/hooks.json": `{`}, "NOT COPIED: 1 hook "},
		"large hooks":        {map[string]string{"hooks/hooks.json": large}, "left out  hooks/hooks.json (it is larger than 1 MB)"},
		"hooks of a list":    {map[string]string{"hooks/hooks.json": `{"hooks": []}`}, `left out  hooks/hooks.json (it has no object "hooks")`},
		"hook with a key":    {map[string]string{"hooks/hooks.json": `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x ` + key + `"}]}]}}`}, "left out  PreToolUse (it has a key: "},
		"hook with options":  {map[string]string{"hooks/hooks.json": `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x ${user_config.a}"}]}]}}`}, "left out  PreToolUse (it needs an option of the plugin in a place where no shell would replace it)"},
		"option of servers":  {map[string]string{".mcp.json": `{"mcpServers": {"s": {"command": "x", "args": ["${user_config.no}"]}}}`}, "left out  s: x ${user_config.no} (it needs an option that the plugin does not have)"},
		"many prompts":       {map[string]string{"hooks/hooks.json": `{"hooks": {"PreToolUse": [{"hooks": [` + strings.Repeat(`{"type":"prompt"},`, 300) + `{"type":"prompt"}]}]}}`}, "NOT COPIED: 301 hooks "},
		"many hooks":         {map[string]string{"hooks/hooks.json": `{"hooks": {"PreToolUse": [{"hooks": [` + strings.Repeat(`{"type":"command","command":"x"},`, 31000) + `{"type":"command","command":"x"}]}]}}`}, "left out  hooks/hooks.json (it has more than 10000 values)"},
		"hooks that grow":    {map[string]string{"hooks/hooks.json": `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"` + strings.Repeat("x ", 1<<19-40) + `"}]}]}}`}, "(together with the others it is larger than 1 MB)"},
		"hooks outside":      {map[string]string{manifestOfClaude: `{"name": "x", "hooks": "../h.json"}`}, "left out  ../h.json (it leads out of the plugin)"},
		"hooks on Windows":   {map[string]string{manifestOfClaude: `{"name": "x", "hooks": "..\\h.json"}`}, `left out  ..\h.json (it leads out of the plugin)`},
		"absolute commands":  {map[string]string{manifestOfClaude: `{"name": "x", "commands": ["/etc"]}`}, "left out  /etc (it leads out of the plugin)"},
		"number of commands": {map[string]string{manifestOfClaude: `{"name": "x", "commands": 5}`}, "left out  commands (it is neither a path nor an object)"},
		"object of commands": {map[string]string{manifestOfClaude: `{"name": "x", "commands": {"a": {"content": "x"}}}`}, "left out  commands (it is an object)"},
		"missing agents":     {map[string]string{manifestOfClaude: `{"name": "x", "agents": "./none.md"}`}, "left out  none.md (it does not exist)"},
		"command with a key": {map[string]string{"commands/x.md": key}, "left out  x.md (it has a key)"},
		"other command":      {map[string]string{manifestOfClaude: `{"name": "x", "commands": "./x.txt"}`, "x.txt": "x"}, "left out  x.txt (it has no files that end in .md)"},
		"other skill":        {map[string]string{manifestOfClaude: `{"name": "x", "skills": "./x"}`, "x/README.md": "x"}, "left out  x (it has no SKILL.md)"},
		"large command":      {map[string]string{"commands/x.md": large}, "left out  x.md (it is larger than "},
		"same command":       {map[string]string{manifestOfClaude: `{"name": "x", "commands": ["./a/x.md", "./b/x.md"]}`, "a/x.md": "a", "b/x.md": "b"}, "left out  x.md (x.toml is there already)"},
		"broken YAML":        {map[string]string{"agents/x.md": "---\nname: [\n---\nx"}, "left out  x.md (it has no description)"},
		"broken servers":     {map[string]string{".mcp.json": `5`}, "left out  .mcp.json ("},
		"server of a text":   {map[string]string{".mcp.json": `{"x": "y"}`}, "left out  x (it is not an object)"},
		"bundle":             {map[string]string{manifestOfClaude: `{"name": "x", "mcpServers": "./x.mcpb"}`, "x.mcpb": "PK\x03\x04"}, "left out  x.mcpb ("},
		"skill of all":       {map[string]string{manifestOfClaude: `{"name": "x", "skills": ["./"]}`, "SKILL.md": "---\ndescription: d\n---\nx"}, "left out  . (its directory is that of the plugin)"},
		"same skill":         {map[string]string{manifestOfClaude: `{"name": "x", "skills": ["./a/s", "./b/s"]}`, "a/s/SKILL.md": "---\ndescription: d\n---\nx", "b/s/SKILL.md": "---\ndescription: d\n---\nx"}, "left out  b/s (there is another directory skills/s)"},
		"escapes":            {map[string]string{manifestOfClaude: "{\"name\": \"x\", \"a\\u001b[2J\\nb\": 1}"}, "left out  a"},
	} {
		if tt.files[manifestOfClaude] == "" {
			tt.files[manifestOfClaude] = `{"name": "x"}`
		}
		dir := write(t, tt.files)
		c, err := convert(t, dir, "")
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = c.Report()
		}
		if !strings.Contains(got, tt.report) || strings.Contains(got, key) || strings.Contains(got, "\x1b") {
			t.Errorf("%s: %.2000s\nwant %s", name, got, tt.report)
		}
		if err != nil {
			continue
		}
		if n := len(c.Manifest.NotCopied); n > maxNotCopied+1 || n == maxNotCopied+1 && c.Manifest.NotCopied[maxNotCopied] != "101 more" || len(c.Manifest.Problems) > 0 {
			t.Errorf("%s: %d parts are not copied, problems %q", name, n, c.Manifest.Problems)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "hooks", "hooks.json")); err == nil && len(text) > 0 {
			t.Errorf("%s: there are hooks: %.200s", name, text)
		}
	}
}

// TestLinks checks that links of a plugin do not lead out of it, neither for reading nor for writing.
func TestLinks(t *testing.T) {
	t.Parallel()
	outside := write(t, map[string]string{"x.md": "secret", "hooks.json": "{}", "s/SKILL.md": "---\ndescription: secret\n---\nx"})
	dir := write(t, map[string]string{manifestOfClaude: `{"name": "x", "skills": "./s"}`, "real/hooks.json": `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}`})
	for link, target := range map[string]string{
		"commands": outside, "agents": outside, "s": filepath.Join(outside, "s"), ".mcp.json": filepath.Join(outside, "hooks.json"), "hooks": "real",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip("NOT TESTED: no links", err)
		}
	}
	c, err := convert(t, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if report := c.Report(); strings.Contains(report, "secret") || !strings.Contains(report, "left out  .mcp.json (it is a link that leads out") || !strings.Contains(report, "copied    Stop: true") {
		t.Error(report)
	}
	if diff := cmp.Diff(map[string]string{"x.md": "secret", "hooks.json": "{}", "s/SKILL.md": "---\ndescription: secret\n---\nx"}, contents(t, outside)); diff != "" {
		t.Error(diff)
	}
	// A file that is a link to another file of the plugin is replaced, and the other file stays.
	dir = write(t, map[string]string{manifestOfClaude: `{"name": "x"}`, "commands/a.md": "A", "other.txt": "other"})
	if err := os.Symlink("../other.txt", filepath.Join(dir, "commands", "a.toml")); err != nil {
		t.Fatal(err)
	}
	if _, err := convert(t, dir, ""); err != nil {
		t.Fatal(err)
	}
	if after := contents(t, dir); after["other.txt"] != "other" || after["commands/a.toml"] != "prompt = '''\nA'''\n" {
		t.Errorf("%q", after)
	}
}

// TestPlaces checks that a manifest which names a part of the usual directory leaves out the rest of that, and no other directory.
func TestPlaces(t *testing.T) {
	t.Parallel()
	const text = "---\ndescription: d\n---\nx"
	files := map[string]string{
		manifestOfClaude:    `{"name": "x", "skills": ["./skills/a"], "commands": ["./commands/git/a.md"], "agents": ["./other/b.md"]}`,
		"skills/a/SKILL.md": text, "skills/b/SKILL.md": text, "commands/git/a.md": "a", "commands/b.md": "b", "agents/a.md": text, "other/b.md": text,
	}
	dir := write(t, files)
	if _, err := convert(t, dir, ""); err != nil {
		t.Fatal(err)
	}
	after := contents(t, dir)
	for name, want := range map[string]bool{
		"skills/a/SKILL.md": true, "skills/b/SKILL.md": false, "commands/git/a.toml": true, "commands/b.toml": false, "agents/a.md": true, "agents/b.md": true,
	} {
		if _, isThere := after[name]; isThere != want {
			t.Errorf("%s: %t", name, isThere)
		}
	}
}

// TestFind checks which directories have plugins.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ file, want string }{
		{"README.md", ""},
		{manifestOfClaude, "Claude Code"},
		{"plugin.json", "Antigravity CLI"},
		{".gemini-plugin/plugin.json", "Antigravity CLI"},
		{"sub/plugin.json", ""},
	} {
		dir := write(t, map[string]string{tt.file: "{}"})
		s, err := Find(dir, "")
		got := ""
		if s != nil {
			got = s.Title()
		}
		if got != tt.want || err != nil || Has(dir) != (got != "") {
			t.Errorf("%s: %s, %v", tt.file, got, err)
		}
		if err := os.WriteFile(filepath.Join(dir, extension.ManifestName), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := Find(dir, ""); s != nil || err != nil || Has(dir) {
			t.Errorf("%s beside %s: %v, %v", tt.file, extension.ManifestName, s, err)
		}
	}
	if Title("claude") != "Claude Code" || Title("other") != "other" {
		t.Error("the names of agents are wrong")
	}
}
