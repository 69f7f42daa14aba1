package foreign

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/guard/policy"
)

// openCode translates the permissions in a configuration.
func openCode(t testing.TB, text string, ofProject bool) ([]Rule, string) {
	t.Helper()
	list, err := ReadOpenCode([]byte(text), map[string]any{"docs": nil, "a b": nil})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	rules, items := Translate(Permissions{Agent: OpenCode, Home: "/home/me", Ordered: list, IsOfProject: ofProject})
	var lines []string
	for _, i := range items {
		line := string(i.Result) + " " + i.Name
		if len(i.Notes) > 0 {
			line += " (" + strings.Join(i.Notes, "; ") + ")"
		}
		lines = append(lines, line)
	}
	return rules, strings.Join(lines, "\n")
}

// TestOpenCode checks the rules and the reports of permissions of OpenCode.
func TestOpenCode(t *testing.T) {
	t.Parallel()
	const shell = "shell commands can still reach these files"
	for _, tt := range []struct{ permission, rules, reports string }{
		{`"allow"`, "", "left out allow * (it allows every call. See the approval modes)"},
		{`{"bash": "ask", "edit": "deny"}`, "ask_user 0 run_shell_command; deny 0 replace write_file", "copied ask bash\ncopied deny edit"},
		{`{"bash": {"*": "deny", "git *": "allow", "git push": "ask"}}`, `deny 1 run_shell_command; allow 2 run_shell_command git; ask_user 3 run_shell_command git push"`, "copied deny bash\ncopied allow bash(git *)\ncopied ask bash(git push)"},
		{`{"bash": {"git status": "allow", "rm *": "ask", "sudo*": "deny"}}`, `allow 0 run_shell_command git status"; ask_user 0 run_shell_command rm; deny 0 run_shell_command sudo.*"`, "copied allow bash(git status)\ncopied ask bash(rm *)\ncopied deny bash(sudo*)"},
		{`{"bash": {"l?": "deny", "a?": "allow"}}`, `deny 0 run_shell_command l.*"`, "changed deny bash(l?) (a ? counts as a *)\nleft out allow bash(a?) (it has a ? in a place where it may stand for anything)"},
		{`{"read": {"*.env": "deny", "$HOME/x/*": "deny"}}`, `deny 0 read_file grep_search \x00"(?:file_path|dir_path|include_pattern)":"(?:[^"]*[/\\@]|)[^"]*\.env(?:/[^"]*|)"\x00; deny 0 read_file grep_search \x00"(?:file_path|dir_path|include_pattern)":"/home/me/x(?:/[^"]*|)"\x00`, "changed deny read(*.env) (it matches below any directory, and " + shell + ")\nchanged deny read($HOME/x/*) (" + shell + ")"},
		{`{"edit": {"a[b]": "ask", "x": "allow"}}`, "ask_user 0 replace write_file", "changed ask edit(a[b]) (the rule is about all calls of the tool)\nleft out allow edit(x) (a rule would allow more than these calls)"},
		{`{"webfetch": {"https://a.example/*": "deny", "https://*.example/": "ask"}}`, `deny 1 web_fetch //(?:[^/"\\\s]*[@.]|)[aA]\.[eE][xX][aA][mM][pP][lL][eE]\.?(?:[^A-Za-z0-9.-]|$); ask_user 2 web_fetch`, "changed deny webfetch(https://a.example/*) (hosts below it count too, and shell commands can still reach it)\nchanged ask webfetch(https://*.example/) (the rule is about all calls of the tool)"},
		{`{"task": {"docs": "deny", "x-*": "ask"}}`, `deny 1 invoke_agent \x00"agent_name":"docs"\x00; ask_user 2 invoke_agent`, "copied deny task(docs)\nchanged ask task(x-*) (the rule is about all calls of the tool)"},
		{`{"edit": "deny", "bash": {"*": "ask", "ls": "allow"}}`, `deny 0 replace write_file; ask_user 2 run_shell_command; allow 3 run_shell_command ls"`, "copied deny edit\ncopied ask bash\ncopied allow bash(ls)"},
		{`{"docs_*": "deny", "a_b_*": "allow", "other_*": "deny", "external_directory": "ask"}`, "deny 0 docs: *; allow 0 a b: *", "copied deny docs_*\ncopied allow a_b_*\nleft out deny other_* (Pollux has no such tool)\nleft out ask external_directory (Pollux has no such tool)"},
	} {
		rules, reports := openCode(t, `{"a": {"permission": 5}, "permission": `+tt.permission+`}`, false)
		var got []string
		for _, r := range rules {
			line := fmt.Sprintf("%s %d ", r.Decision, r.rank)
			if r.Server != "" {
				line += r.Server + ": "
			}
			got = append(got, strings.TrimSpace(line+strings.Join(r.Tools, " ")+" "+r.Prefix+r.Command+r.Args))
		}
		if text := strings.Join(got, "; "); text != tt.rules || reports != tt.reports {
			t.Errorf("%s:\n%s\n%s\nwant\n%s\n%s", tt.permission, text, reports, tt.rules, tt.reports)
		}
	}
	for _, wrong := range []string{`{"permission": {"bash": "maybe"}}`, `{"permission": 5}`, `{"permission": {"bash": {"a": {}}}}`, `[]`, `{`} {
		if _, err := ReadOpenCode([]byte(wrong), nil); err == nil {
			t.Errorf("%s is read", wrong)
		}
	}
	if rules, reports := openCode(t, `{"permission": {"bash": {"*": "deny", "git *": "allow"}}}`, true); len(rules) != 1 || rules[0].rank != 0 || !strings.Contains(reports, "a project must not allow anything") {
		t.Errorf("of a project: %+v, %s", rules, reports)
	}
}

// TestOpenCodeAll checks the rules for all tools: they are also about those of servers, not about readers that a later permission allows, and
// a later permission for one tool wins.
func TestOpenCodeAll(t *testing.T) {
	t.Parallel()
	rules, reports := openCode(t, `{"permission": {"*": "deny", "read": "allow", "bash": "ask"}}`, false)
	if want := "changed deny * (the rule is not about discovered tools)\nleft out allow read (Pollux reads files of the workspace without a rule)\ncopied ask bash"; reports != want {
		t.Error(reports)
	}
	if len(rules) != 3 || rules[1].Server != "*" || rules[2].rank <= rules[0].rank || rules[0].rank == 0 {
		t.Fatalf("%+v", rules)
	}
	for name, want := range map[string]bool{"read_file": false, "ask_user": false, "grep_search": true, "write_file": true, "run_shell_command": true, "save_memory": true} {
		if slices.Contains(rules[0].Tools, name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	if rules, _ := openCode(t, `{"permission": "ask"}`, true); len(rules) != 2 || rules[0].rank != 0 || !slices.Contains(rules[0].Tools, "read_file") {
		t.Errorf("%+v", rules)
	}
}

// TestOpenCodeMany checks that nothing is allowed if there are too many permissions to keep their order.
func TestOpenCodeMany(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range maxRanks {
		fmt.Fprintf(&b, `"x%d": "ask", `, i)
	}
	rules, _ := openCode(t, `{"permission": {"bash": {`+b.String()+`"y": "allow"}}}`, false)
	if len(rules) != maxRanks || rules[0].rank != 0 {
		t.Errorf("%d rules, %+v", len(rules), rules[0])
	}
}

// FuzzOpenCode checks that policies take the translation of any permission, that a project allows nothing, and that no rule allows all calls
// of a tool that changes something.
func FuzzOpenCode(f *testing.F) {
	for _, s := range []string{`{"permission": {"bash": {"*": "ask", "git *": "allow"}, "edit": "deny"}}`, `{"permission": "ask"}`, `{"permission": {"webfetch": {"http://a b/*": "deny"}, "read": {"**/[x": "deny", "~/\u0000": "ask"}}}`, `{"permission": {"docs_*": "allow", "task": {"a\"b": "ask"}}}`} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ReadOpenCode([]byte(text), map[string]any{"docs": nil})
		if err != nil {
			return
		}
		for _, ofProject := range []bool{false, true} {
			rules, items := Translate(Permissions{Agent: OpenCode, Home: "/home/me", Ordered: list, IsOfProject: ofProject})
			if len(items) != len(list) {
				t.Errorf("%d reports about %d permissions", len(items), len(list))
			}
			for _, r := range rules {
				isWhole := r.Prefix+r.Command+r.Args == "" && r.Server == ""
				if r.Decision == policy.Allow && (ofProject || isWhole && !onlyReads(r.Tools) && r.Tools[0] != "write_todos") {
					t.Errorf("%s allows %v", text, r)
				}
			}
			file := filepath.Join(dir, fmt.Sprintf("%p.toml", t))
			if err := os.WriteFile(file, TOML(OpenCode, rules, 998), 0o600); err != nil {
				t.Fatal(err)
			}
			files, err := policy.Load(policy.Sources{User: []string{file}})
			if err != nil || len(files.Lost) > 0 || len(files.Rules) < len(rules) {
				t.Errorf("%s: %v, lost: %q, %q, %d rules of %d", text, err, files.Lost, files.Warnings, len(files.Rules), len(rules))
			}
			_ = os.Remove(file)
		}
	})
}
