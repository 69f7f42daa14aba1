//go:build unix

package shell_test

import (
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/tools/shell"
	"pollux/tool"
)

// TestRehearse checks which commands are known to fail before they run.
func TestRehearse(t *testing.T) {
	t.Parallel()
	o := options(t)
	dir := o.Workspace.Root()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"rm a":                      "",
		"rm link":                   "",
		"rm gone":                   "rm: no such file: " + dir + "/gone. Nothing was changed.",
		"rm " + dir + "/gone":       "rm: no such file: " + dir + "/gone. Nothing was changed.",
		"rm made":                   "",
		"rm removed":                "rm: no such file: " + dir + "/removed. Nothing was changed.",
		"mkdir -p d && mv a d/c":    "",
		"mkdir -p d && mv gone d/c": "mv: no such file: " + dir + "/gone. Nothing was changed.",
		"mv a b":                    "mv: " + dir + "/b exists already. Nothing was changed.",
		"mv a removed":              "",
		"mv a made":                 "mv: " + dir + "/made exists already. Nothing was changed.",
		"rm a && mv b a":            "",
		"mv a c && mv b c":          "mv: " + dir + "/c exists already. Nothing was changed.",
		"rm a && rm a":              "rm: no such file: " + dir + "/a. Nothing was changed.",
		"rm $gone":                  "",
		"rm -f gone":                "",
		"ls gone":                   "",
		"if true; then rm gone; fi": "",
		"rm gone &":                 "",
		"rm 'not a command":         "",
	} {
		call := build(t, shell.New(o), args{"command": command})
		draft := tool.Draft{filepath.Join(dir, "made"): true, filepath.Join(dir, "removed"): nil}
		got := ""
		if r := call.(tool.Rehearsable).Rehearse(t.Context(), draft); r != nil {
			got = r.Error.Message
		}
		if got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "a")); err != nil {
		t.Error("a rehearsal changes files:", err)
	}
}
