package slash

import (
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/terminal"
)

// TestCustomCommands runs the commands of files in a session, where files change.
func TestCustomCommands(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{model: "turn\n  expect prompt first\n  text ok\nturn\n  expect prompt second\n  text ok\n"})
	d.wantText("/commands list", "There are no custom commands.", ".gemini/commands/name.toml makes the command /name")
	d.wantText("/commands reload", "Loaded 0 custom commands.")
	d.file(".gemini/commands/a/b.toml", `prompt = "first"`)
	first := d.wantText("/a:b").Prompt
	if first.Text() != "/a:b" {
		t.Errorf("prompt %q", first.Text())
	}
	d.send(*first)
	d.file(".gemini/commands/a/b.toml", `prompt = "the second"`)
	d.send(*d.wantText("/a:b   x").Prompt)
	if got := d.history(); !strings.Contains(got, "the second\n\n/a:b   x") {
		t.Errorf("the model got %s", got)
	}
	d.wantText("/help", "Added", "/a:b", "Custom command from b.toml")
	d.wantText("/help a:b", "/a:b [text]")
	if got, want := d.Unknown("/a:bb"), "/a:bb is not a command. Did you mean /a:b?"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for i := range 10 {
		d.file(filepath.Join(".gemini/commands/many", strings.Repeat("x", i+1)+".toml"), `prompt = "p"`)
	}
	d.wantText("/help", "and 8 more")
	d.wantText("/commands reload", "Loaded 11 custom commands.")
	d.Session.SetTrusted(t.Context(), false)
	d.wantText("/commands list", "This folder is not trusted: custom commands are off.")
	if _, known, _ := d.Runner.Run(t.Context(), "/a:b"); known {
		t.Error("an untrusted folder has commands")
	}
}

// TestUntrustedCommands checks that neither the user's nor the project's commands exist in a folder that is
// not trusted.
func TestUntrustedCommands(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{settings: `{"security": {"folderTrust": {"enabled": true}}}`, trusted: "DO_NOT_TRUST"})
	d.file(".gemini/commands/a.toml", `prompt = "a"`)
	d.file(filepath.Join(d.home, ".gemini", "commands", "b.toml"), `prompt = "b"`)
	for _, line := range []string{"/a", "/b"} {
		if _, known := d.Lookup(line); known {
			t.Errorf("%s is a command", line)
		}
	}
}

// A custom command with the name of an alias takes its place. The built-in command keeps its name.
func TestCommandNamedAsAlias(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{})
	summary := func(line string) string {
		call, _ := d.Lookup(line)
		if call.Command == nil {
			return ""
		}
		return call.Command.Summary
	}
	builtin := summary("/dir")
	if builtin == "" || builtin != summary("/directory") {
		t.Fatalf("/dir is %q", builtin)
	}
	d.file(".gemini/commands/dir.toml", "prompt = \"p\"\ndescription = \"mine\"")
	d.wantText("/commands reload", "Loaded 1 custom command")
	for line, want := range map[string]string{"/dir x": "mine", "/directory": builtin, "/workspace.dir": ""} {
		if got := summary(line); got != want {
			t.Errorf("%s is %q, want %q", line, got, want)
		}
	}
	d.wantText("/help dir", "mine")
}

// TestHelpFits checks that no line of /help is wider than the terminal, however long the arguments of a command are.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{})
	for _, line := range []string{"/help", "/help all", "/help extensions"} {
		r := d.run(line)
		for _, width := range []int{50, 80, 120} {
			for row := range strings.Lines(r.Markdown(width)) {
				if n := terminal.Width(strings.TrimSuffix(row, "\n")); n > width && strings.HasPrefix(row, " ") { // paragraphs are wrapped later
					t.Errorf("%s in %d columns: %q has %d", line, width, row, n)
				}
			}
		}
	}
}
