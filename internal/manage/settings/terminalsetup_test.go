package settings

import (
	"slices"
	"testing"

	"pollux/internal/editorkeys"
)

func TestSetupReport(t *testing.T) {
	t.Parallel()
	bindings := editorkeys.Bindings("linux")
	conflict := []editorkeys.Conflict{{Binding: bindings[2], Command: "a\x1b[31m command"}}
	for _, c := range []struct {
		name   string
		before editorkeys.State
		backup string
		want   []string
	}{
		{"complete", editorkeys.State{}, "", []string{"The terminals of VS Code have the key bindings for Pollux already."}},
		{"a new file", editorkeys.State{Missing: bindings[:1]}, "", []string{"Keys that work in the terminals of VS Code from now on: Shift+Enter (new line).", "Changed: ~/keys.json"}},
		{"a conflict", editorkeys.State{Missing: bindings[3:], Conflicts: conflict}, "~/keys.json.backup", []string{
			"Keys that work in the terminals of VS Code from now on: Shift+Alt+Z (redo).", "Changed: ~/keys.json", "The file before is kept in ~/keys.json.backup",
			"Alt+Z is left as it is: ~/keys.json binds it to a command.",
		}},
		{"nothing but a conflict", editorkeys.State{Conflicts: conflict}, "", []string{"Alt+Z is left as it is: ~/keys.json binds it to a command."}},
	} {
		if got := setupReport(editorkeys.Editor{Name: "VS Code"}, c.before, "~/keys.json", c.backup); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}
