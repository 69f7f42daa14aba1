package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLost checks which mistakes in a file may have restricted something, so that a run without a user must not go on.
func TestLost(t *testing.T) {
	t.Parallel()
	rule := func(decision, lines string) string {
		return "[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"" + decision + "\"\npriority = 1\n" + lines + "\n"
	}
	for _, tt := range []struct {
		text  string
		rules int
		want  string // "" for nothing lost
	}{
		{valid, 1, ""},
		{"", 0, ""},
		{"x = ", 0, "line 1"},
		{rule("block", ""), 0, `line 3: rule #1: decision must be one of allow, deny, ask_user, not "block"`},
		{rule("deny", `modes = ["plann"]`), 0, "line 5: rule #1: modes"},
		{rule("allow", `modes = ["plann"]`), 0, ""}, // nothing but a permission
		{rule("allow", `modes = ["plann"]`) + rule("deny", ""), 0, "line 5: rule #1: modes"},
		{rule("deny", `commandRegex = "("`), 0, "rule #1 (line 1)"},
		{rule("ask_user", `commandRegex = "("`), 0, "rule #1 (line 1)"},
		{rule("allow", `commandRegex = "("`), 0, ""},
		{rule("deny", `commandPrefix = ""`), 0, "rule #1 (line 1): commandPrefix is empty"},
		{rule("ask_user", `commandPrefix = [" "]`), 0, "commandPrefix is empty"},
		{rule("deny", `commandPrefix = ["rm", ""]`), 1, "commandPrefix is empty"},
		{rule("deny", `commandPrefix = "rm "`), 1, `commandPrefix "rm " matches nothing`},
		{rule("allow", `commandPrefix = ["git", ""]`) + rule("allow", `commandPrefix = " ls"`) + rule("allow", `commandPrefix = ""`), 2, ""},
		{"[[rule]]\ntoolName = \"glob\"\ncommandPrefix = \"rm\"\ndecision = \"deny\"\npriority = 1", 1, "matches only commands of run_shell_command"},
		{"[[rule]]\ntoolName = \"*\"\ncommandPrefix = \"rm\"\ndecision = \"deny\"\npriority = 1", 1, ""},
		{rule("deny", `comandPrefix = "rm"`), 1, `rule #1 (line 1): unknown key "comandPrefix" (line 5)`},
		{rule("ask_user", `command = "rm"`), 1, `unknown key "command"`},
		{rule("allow", `comandPrefix = "rm"`), 0, ""},
		{rule("allow", `command = "rm"`), 0, ""},
		{rule("allow", `command_prefix = "rm"`), 0, ""},
		{rule("allow", `prefixes = ["rm"]`) + rule("allow", `arguments = "x"`) + rule("allow", `mode = "plan"`) + rule("allow", `mcpServer = "s"`), 0, ""},
		{rule("allow", `regexp = "rm"`) + rule("allow", `agent = "x"`) + rule("allow", "[rule.annotations]\nx = true"), 0, ""},
		{rule("allow", `comment = "about a command"`) + rule("deny", `author = "x"`) + rule("deny", `denyMesage = "x"`), 3, ""},
		{"[[rules]]\ntoolName = \"x\"\ndecision = \"deny\"\npriority = 1\n", 0, `line 1: unknown key "rules"`},
		{"[[rules]]\ntoolName = \"x\"\ndecision = \"allow\"\npriority = 1\n", 0, ""},
		{"[commands.git]\nallow_network = true\n", 0, ""},
		{"[[safety_checker]]\ntoolName = \"x\"\nchecker = { type = \"in-process\", name = \"other\" }", 0, "safety checker #1: name"},
		{"[[safety_checker]]\ntoolName = \"x\"\nargsPattern = \"(\"\nchecker = { type = \"in-process\", name = \"conseca\" }", 0, "safety checker #1"},
	} {
		dir := t.TempDir()
		file := write(t, dir, "a.toml", tt.text)
		files, err := Load(Sources{User: []string{dir}})
		if err != nil {
			t.Fatal(err)
		}
		lost := strings.Join(files.Lost, "\n")
		if (lost != "") != (tt.want != "") || !strings.Contains(lost, tt.want) || lost != "" && !strings.HasPrefix(lost, file+": ") || strings.Contains(lost, "\n") || len(files.Rules) != tt.rules {
			t.Errorf("%s\n%d rules, lost %q, want %q\n%s", tt.text, len(files.Rules), lost, tt.want, files.Warnings)
		}
		if files, err := Load(Sources{Extensions: []Extension{{Name: "e", Dir: dir}}}); err != nil || files.Lost != nil {
			t.Errorf("%s in an extension: %v, %q", tt.text, err, files.Lost)
		}
	}
}

// TestLostFiles checks that files which cannot be read are no missing ones.
func TestLostFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if os.Symlink("nowhere", filepath.Join(dir, "link.toml")) != nil {
		t.Skip("this system has no symbolic links")
	}
	for _, s := range []Sources{
		{User: []string{dir}},
		{User: []string{filepath.Join(dir, "link.toml")}},
		{Admin: []string{filepath.Join(dir, "link.toml")}},
		{System: filepath.Join(dir, "link.toml"), Foreign: ownedByRoot},
		{Workspace: filepath.Join(dir, "link.toml")},
		{Project: []string{filepath.Join(dir, "link.toml")}},
	} {
		files, err := Load(s)
		want := filepath.Join(dir, "link.toml") + `: it is a link to "nowhere", which does not exist`
		if err != nil || len(files.Lost) != 1 || files.Lost[0] != want || len(files.Warnings) != 1 {
			t.Errorf("%+v: %v, lost %q, warnings %q", s, err, files.Lost, files.Warnings)
		}
	}
	if files, err := Load(Sources{User: []string{filepath.Join(dir, "missing")}}); err != nil || files.Lost != nil {
		t.Errorf("a missing file: %v, %q", err, files.Lost)
	}
}
