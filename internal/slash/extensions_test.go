package slash

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExtensions(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{})
	src := filepath.Join(d.dir, "my tools")
	manifest := func(version, rest string) {
		d.file(filepath.Join(src, "gemini-extension.json"), `{"name":"tools","version":"`+version+`"`+rest+`,
			"settings":[{"name":"Key","description":"","envVar":"TOOLS_KEY","sensitive":true},{"name":"Place","description":"","envVar":"TOOLS_PLACE"}]}`)
	}
	manifest("1.0.0", "")
	run := func(line, want string, answers ...string) {
		t.Helper()
		d.answers, d.asked = answers, nil
		r, known, err := d.Run(t.Context(), line)
		if text := r.Markdown(0); err != nil || !known || !strings.Contains(text, want) {
			t.Errorf("%s: %q, known %v, %v, want %q", line, text, known, err, want)
		}
		if len(d.answers) > 0 {
			t.Errorf("%s: %d answers are not asked for", line, len(d.answers))
		}
	}
	run("/extensions", "No extensions installed. To find some, type /extensions explore.")
	run("/extensions explore", "https://geminicli.com/extensions/")
	run("/extensions install", "Usage: /extensions install <source>")
	run("/extensions install my tools --consent", "There is no option --consent.")
	run("/extensions install my tools", `Installation cancelled for "tools".`, "No")
	run("/extensions install my tools", `Extension "tools" installed successfully and enabled. Takes effect the next time you start Pollux.`, "Yes", "secret", "here")
	if asked := d.asked; len(asked) != 3 || !strings.Contains(asked[0].Text, `Installing extension "tools".`) || asked[1].Kind != "secret" || asked[2].Kind != "text" {
		t.Errorf("asked %+v", asked)
	}
	if data, err := os.ReadFile(filepath.Join(d.home, ".gemini", "extensions", "tools", ".env")); err != nil || string(data) != "TOOLS_PLACE=here\n" {
		t.Errorf(".env has %q, %v", data, err)
	}
	run("/extensions list", "active from the next start")
	run("/extensions update tools", `Extension "tools" is already up to date.`)
	manifest("2.0.0", `,"excludeTools":["glob"]`)
	run("/extensions update --all", "Installation cancelled", "No")
	run("/extensions update --all", "successfully updated: 1.0.0 → 2.0.0.\nTakes effect the next time", "Yes")
	if !strings.Contains(d.asked[0].Text, "+ This extension will exclude the following core tools: glob") {
		t.Errorf("asked %+v", d.asked)
	}
	run("/extensions update", "Usage: /extensions update")
	run("/extensions update nothing", `Extension "nothing" not found. /extensions lists the installed ones.`)
	d.file(filepath.Join(d.home, ".gemini", "extensions", "half", "README.md"), "")
	run("/extensions update half", `Extension "half" cannot be read.`)
	run("/extensions uninstall half", `Extension "half" successfully uninstalled.`)
	run("/extensions config tools Place --scope=workspace", "Done.", "there")
	run("/extensions disable tools --scope=workspace", `Extension "tools" disabled for scope "workspace".`)
	run("/extensions list", "disabled")
	run("/extensions enable tools --scope=workspace", `Extension "tools" enabled for scope "workspace".`)
	run("/extensions disable tools", `Extension "tools" disabled for scope "user".`)
	run("/extensions list", "disabled")
	run("/extensions enable tools", "Takes effect the next time")
	run("/extensions enable tools --scope=session", "Extensions do not change during a session.")
	run("/extensions enable nothing", `There is no extension "nothing".`)
	run("/extensions reload", "pollux --resume")
	run("/extensions uninstall nothing", "Extension not found.")
	run("/extensions delete tools", `Extension "tools" successfully uninstalled.`)
	run("/extensions uninstall --all", "No extensions currently installed.")
	run("/extensions link my tools", `Extension "tools" linked successfully and enabled.`, "Yes", "", "")
}
