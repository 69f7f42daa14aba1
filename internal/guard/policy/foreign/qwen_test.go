package foreign

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/guard/policy"
)

// TestQwen checks the rules and the reports of permissions of Qwen Code.
func TestQwen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		decision          policy.Decision
		text, rules, note string
	}{
		{policy.Deny, "Shell(rm *)", "run_shell_command rm", ""},
		{policy.Deny, "run_shell_command", "run_shell_command", ""},
		{policy.Allow, "Bash(go test:*)", "run_shell_command go test", ""},
		{policy.Allow, "ShellTool", "", "it allows every command. See the approval modes"},
		{policy.Deny, "Read", "read_file grep_search; glob; list_directory", ""},
		{policy.Ask, "ReadFile", "read_file grep_search; glob; list_directory", ""},
		{policy.Deny, "Read(//etc/**)", `read_file grep_search \x00"(?:file_path|dir_path|include_pattern)":"/etc(?:/[^"]*|)"\x00; glob \x00"(?:file_path|dir_path|pattern)":"/etc(?:/[^"]*|)"\x00; list_directory \x00"(?:file_path|dir_path)":"/etc(?:/[^"]*|)"\x00`, "shell commands can still reach these files"},
		{policy.Allow, "Read(src/**)", "", "a rule would allow more than these calls"},
		{policy.Deny, "Read(!x)", "", "it is an exception from other patterns"},
		{policy.Deny, "edit", "replace write_file", ""},
		{policy.Deny, "WriteFile", "replace write_file", ""},
		{policy.Deny, "WebFetch(a.io)", `web_fetch //(?:[^/"\\\s]*[@.]|)[aA]\.[iI][oO]\.?(?:[^A-Za-z0-9.-]|$)`, "hosts below it count too, and shell commands can still reach it"},
		{policy.Deny, "WebFetch(domain:a.io)", `web_fetch //(?:[^/"\\\s]*[@.]|)[aA]\.[iI][oO]\.?(?:[^A-Za-z0-9.-]|$)`, "hosts below it count too, and shell commands can still reach it"},
		{policy.Deny, "WebFetch(*)", "web_fetch", ""},
		{policy.Deny, "ListFiles", "list_directory", ""},
		{policy.Deny, "task", "invoke_agent", ""},
		{policy.Deny, "mcp__s__t", "s: t", ""},
		{policy.Deny, "save_memory", "", "Pollux has no such tool"},
		{policy.Deny, "Bash(x", "", "it has no closing parenthesis"},
		{policy.Deny, "Read(x", "", "it has no closing parenthesis"},
	} {
		p := Permissions{Agent: Qwen, Home: "/home/me"}
		switch tt.decision {
		case policy.Deny:
			p.Deny = []string{tt.text}
		case policy.Ask:
			p.Ask = []string{tt.text}
		default:
			p.Allow = []string{tt.text}
		}
		rules, items := Translate(p)
		var got []string
		for _, r := range rules {
			line := strings.Join(r.Tools, " ")
			if r.Server != "" {
				line = r.Server + ": " + line
			}
			got = append(got, strings.TrimSpace(line+" "+r.Prefix+r.Command+r.Args))
			if r.Decision != tt.decision {
				t.Errorf("%s: %s", tt.text, r.Decision)
			}
		}
		if text, note := strings.Join(got, "; "), strings.Join(items[0].Notes, "; "); text != tt.rules || note != tt.note {
			t.Errorf("%s %s:\n%s (%s)\nwant\n%s (%s)", tt.decision, tt.text, text, note, tt.rules, tt.note)
		}
		if lost := items[0].IsLost(); lost != (tt.decision != policy.Allow && tt.rules == "") {
			t.Errorf("%s: lost is %v", tt.text, lost)
		}
	}
	p := Permissions{Agent: Qwen, Allow: []string{"Bash(ls)"}, IsOfProject: true}
	if rules, items := Translate(p); len(rules) > 0 || fmt.Sprint(items[0].Notes) != "[a project must not allow anything]" {
		t.Errorf("%v, %v", rules, items[0])
	}
}

// FuzzQwen checks that rules for any permission can be read, and that none allows all calls of a tool that changes something.
func FuzzQwen(f *testing.F) {
	for _, s := range []string{"Shell(rm *)", "Read(//etc/[a]**)", "WebFetch(*.a.io)", "mcp__a__b", "Edit(\"", "Bash(a:*b)", "task(x)", "(", "Read()", "WebFetch(domain:)"} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		rules, items := Translate(Permissions{Agent: Qwen, Home: "/home/me", Deny: []string{text}, Ask: []string{text}, Allow: []string{text}})
		if len(items) != 3 {
			t.Errorf("%d reports", len(items))
		}
		for _, r := range rules {
			isWhole := r.Prefix+r.Command+r.Args == "" && r.Server == ""
			if r.Decision == policy.Allow && isWhole && !onlyReads(r.Tools) && r.Tools[0] != "write_todos" {
				t.Errorf("%q allows %v", text, r)
			}
		}
		file := filepath.Join(dir, fmt.Sprintf("%p.toml", t))
		if err := os.WriteFile(file, TOML(Qwen, rules, 998), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := policy.CheckFiles([]policy.File{policy.UserFile(file)}, nil); r.Failed() {
			t.Errorf("%q: %s", text, r.Problems[0].String(func(name string) string { return name }))
		}
	})
}
