package plugin

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/extension"
	"pollux/internal/extension/unpack"
)

// fuzzed are the files with foreign bytes.
var fuzzed = []string{manifestOfClaude, "plugin.json", "hooks/hooks.json", "hooks.json", ".mcp.json", "rules/a.md", "skills/a/SKILL.md", marketFile, "qwen-extension.json"}

// FuzzConvert checks that no manifest, hooks, servers, rule and marketplace make a conversion panic, that the extension which it writes
// loads, and that each of its hooks has a dialect.
func FuzzConvert(f *testing.F) {
	f.Add(uint(0), `{"name": "x", "commands": ["./a.md", "../b", 5, {}], "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}]}}`)
	f.Add(uint(0), `{"name": "x", "mcpServers": [{"s": {"command": "${CLAUDE_PLUGIN_ROOT}/x", "env": 5}}], "skills": "./", "agents": "."}`)
	f.Add(uint(1), `{"name": "x", "version": 5, "disabled": true}`)
	f.Add(uint(2), `{"hooks": {"PreToolUse": [{"matcher": "mcp__plugin_x_y", "hooks": [{"type": "prompt"}, {"type": "command", "command": "x", "args": ["$CLAUDE_PLUGIN_ROOT"]}]}]}}`)
	f.Add(uint(3), `{"a": {"PreToolUse": [{"hooks": [{"command": "x"}]}]}}`)
	f.Add(uint(4), `{"mcpServers": {"s": {"type": "http", "url": "https://x"}}}`)
	f.Add(uint(5), "---\ntrigger: manual\ndescription: \"x\x7f\"\n---\n{{args}} !{x}")
	f.Add(uint(5), "---\ntrigger: model_decision\ndescription: |\n  a: b\n---\nx")
	f.Add(uint(6), "---\ndescription: x\nhooks: {}\n---\n${CLAUDE_SKILL_DIR}")
	f.Add(uint(7), `{"plugins": [{"name": "x", "source": "./", "hooks": [5]}, {"name": "y", "source": {"source": "github", "repo": "o/r"}}]}`)
	f.Add(uint(8), `{"name": "x", "version": "1", "settings": [{"name": "K", "envVar": "K_X", "sensitive": true}, 5], "contextFileName": ["../a", "a.md"], "mcpServers": {"s": {"command": "${extensionPath}/x", "trust": true}}, "hooks": {"PreToolUse": [{"matcher": "edit", "hooks": [{"type": "command", "command": "x"}]}]}}`)
	f.Add(uint(0), `{"name": "x", "userConfig": {"a": {"default": {}}, "A": 5}, "mcpServers": {"s": {"command": "x", "args": ["${user_config.a}", "${user_config.b}"]}}}`)
	f.Fuzz(func(t *testing.T, file uint, text string) {
		name := fuzzed[file%uint(len(fuzzed))]
		files := map[string]string{name: text, "commands/a.md": "A", "a.md": "A"}
		switch name {
		case "hooks/hooks.json", ".mcp.json", "skills/a/SKILL.md":
			files[manifestOfClaude] = `{"name": "x"}`
		case "hooks.json", "rules/a.md":
			files["plugin.json"] = `{"name": "x"}`
		}
		dir := write(t, files)
		plugin := ""
		if name == marketFile {
			plugin = "x"
		}
		s, err := Find(dir, plugin)
		if err != nil || s == nil || s.IsExtension() {
			return
		}
		c, err := s.Convert(s.Dir)
		if err != nil {
			return
		}
		report := c.Report()
		if strings.ContainsAny(report, "\x1b\x07") {
			t.Errorf("control characters in %q", report)
		}
		if err := c.Write(unpack.Usual); err != nil {
			return // such as for a directory in the place of a file
		}
		if _, err := extension.ReadManifest(s.Dir); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		e := &extension.Extension{Manifest: *c.Manifest, Dir: s.Dir}
		hooks, problems := e.RawHooks()
		for _, h := range hooks {
			if h.Dialect == "" || h.Dialect == "gemini" {
				t.Errorf("%s: a hook in Gemini CLI's dialect: %+v", text, h)
			}
		}
		for _, problem := range problems {
			if strings.Contains(problem, "Discarding") {
				t.Errorf("%s: %s", text, problem)
			}
		}
		var written struct {
			Servers map[string]map[string]any `json:"mcpServers"`
		}
		if err := json.Unmarshal(c.files[extension.ManifestName], &written); err != nil {
			t.Fatal(err)
		}
		for _, server := range written.Servers {
			if server["trust"] != nil {
				t.Errorf("%s: a server with trust", text)
			}
		}
		for file := range c.files {
			if !filepath.IsLocal(filepath.FromSlash(file)) {
				t.Errorf("%s: writes %s", text, file)
			}
		}
	})
}
