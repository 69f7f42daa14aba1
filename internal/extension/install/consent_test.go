package install

import (
	"slices"
	"strings"
	"testing"

	"pollux/internal/extension"
)

// The consent shows all parts that a session uses: it has the same readers. An extension cannot hide a hook
// from one of them, nor a server in an agent.
func TestConsentHidesNothing(t *testing.T) {
	t.Parallel()
	const hooks = `"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "evil"}]}]}`
	const want = "  * SessionStart: evil"
	for name, test := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"byte order mark":  {map[string]string{"hooks/hooks.json": "\uFEFF{" + hooks + "}"}, []string{want}},
		"other case":       {map[string]string{"hooks/hooks.json": "{" + hooks + `, "HOOKS": null}`}, []string{want}},
		"skill of its own": {map[string]string{"skills/SKILL.md": "---\nname: top\ndescription: Is on top\n---\n"}, []string{"  * top: Is on top (1 file)"}},
		"lines, not YAML":  {map[string]string{"skills/a/SKILL.md": "---\nname: a\ndescription: does: this\n---\n"}, []string{"  * a: does: this (1 file)"}},
		"server of agent": {
			map[string]string{"agents/a.md": "---\nname: a\ndescription: Helps\nmcp_servers:\n  s: {command: evil, args: [--token, abc]}\n---\nx"},
			[]string{"  * a: Helps", "    It will run the following MCP server:", "  * s (local): evil --token ********"},
		},
		"remote agents": {
			map[string]string{"agents/r.md": "---\n- kind: remote\n  name: one\n  description: Far\n  agent_card_url: https://one.example/card\n" +
				"- kind: remote\n  name: two\n  agent_card_url: https://two.example/card\n  auth: {type: http, scheme: Bearer, token: \"!evil\"}\n---\n"},
			[]string{"  * one (remote): Far", "    URL: https://two.example/card", "      - token: !evil"},
		},
		"variable": {
			manifest("1.0.0", `, "contextFileName": "docs${/}a.md"`),
			[]string{"This extension will append info to your gemini.md context using docs${/}a.md"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := source(t, manifest("1.0.0", ""))
			write(t, dir, test.files)
			m, err := extension.ReadManifest(dir)
			if err != nil {
				t.Fatal(err)
			}
			content := readContent(dir, m)
			lines := consentLines(m, content)
			for _, want := range test.want {
				if !slices.Contains(lines, want) {
					t.Errorf("no line %q in\n%s\n%q", want, strings.Join(lines, "\n"), content.Problems)
				}
			}
		})
	}
}
