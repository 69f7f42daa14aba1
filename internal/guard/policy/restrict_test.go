package policy

import (
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/guard/trust"
)

// Extensions and the settings of a project can forbid and ask, but not permit, nor turn a
// denial into a question.
func TestRestrictingFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := write(t, dir, "ext/policies/a.toml", `
[[rule]]
toolName = "glob"
decision = "deny"
priority = 999
modes = ["default"]

[[rule]]
toolName = "write_file"
decision = "allow"
priority = 999

[[rule]]
toolName = "web_fetch"
decision = "deny"
priority = 1
modes = ["default", "yolo"]

[[rule]]
toolName = ["read_file", "list_directory", "web_fetch"]
decision = "ask_user"
priority = 999

[[safety_checker]]
toolName = "replace"
checker = { type = "in-process", name = "allowed-path" }

[[safety_checker]]
toolName = "*"
modes = ["yolo"]
checker = { type = "in-process", name = "allowed-path" }
`)
	own := write(t, dir, "own.toml", `
[[rule]]
toolName = "list_directory"
decision = "deny"
priority = 1
[[rule]]
toolName = "web_fetch"
decision = "allow"
priority = 1
`)
	for name, s := range map[string]Sources{
		"extension": {User: []string{own}, Extensions: []Extension{{Name: "mine\x1b", Dir: filepath.Dir(file)}, {Name: "none", Dir: dir + "/none"}}},
		"project":   {User: []string{own}, Project: []string{filepath.Dir(file)}},
	} {
		f, err := Load(s)
		if err != nil {
			t.Fatal(err)
		}
		kept, warned := 1, 3 // of the rules for web_fetch in yolo mode
		source, owner := "Extension (mine?): a.toml", "an extension"
		if name == "project" {
			kept, warned, source, owner = 2, 1, "Project: a.toml", "a project"
		}
		if len(f.Warnings) != warned || !strings.Contains(f.Warnings[0], "line 8") || !strings.Contains(f.Warnings[0], owner+" cannot have rules that allow") {
			t.Errorf("%s: %q", name, f.Warnings)
		}
		if len(f.Checkers) != kept {
			t.Errorf("%s: %d checkers", name, len(f.Checkers))
		}
		for _, r := range f.Rules[2:] {
			if r.Source != source || r.Decision == Allow {
				t.Errorf("%s: %+v", name, r)
			}
		}
		e := engine(t, Options{Rules: f.Rules, Checkers: f.Checkers, Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted)})
		for tool, want := range map[string]Decision{"glob": Deny, "write_file": Ask, "read_file": Ask, "list_directory": Deny} {
			if got := e.Check(call(tool, "file_path", "a")).Decision; got != want {
				t.Errorf("%s: %s: %v, want %v", name, tool, got, want)
			}
		}
		// The rule of the user is above the extension's, and below the project's.
		want := Allow
		if name == "project" {
			want = Ask
		}
		if got := e.Check(call("web_fetch")).Decision; got != want {
			t.Errorf("%s: web_fetch: %v, want %v", name, got, want)
		}
		// A question of theirs does not open plan mode.
		plan := engine(t, Options{Rules: []Rule{{Tools: []string{"save_memory"}, Decision: Ask, Priority: 4.9, restricts: true}}, Mode: Plan, Interactive: true})
		if got := plan.Check(call("save_memory")).Decision; got != Deny {
			t.Errorf("save_memory in plan mode: %v", got)
		}
		if !plan.Hidden(call("save_memory")) {
			t.Error("save_memory is not hidden in plan mode")
		}
	}
}
