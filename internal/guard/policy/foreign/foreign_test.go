package foreign

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/guard/policy"
	"pollux/internal/transfer"
)

// TestTranslate checks the rule and the report of each kind of permission.
func TestTranslate(t *testing.T) {
	t.Parallel()
	checkTranslations(t, Claude, []translated{
		{"deny Bash", "run_shell_command", "copied"},
		{"deny Bash(*)", "run_shell_command", "copied"},
		{"deny Bash(git push:*)", "run_shell_command prefix git push", "copied"},
		{"deny Bash(git push *)", "run_shell_command prefix git push", "copied"},
		{"deny Bash(npm test)", `run_shell_command command npm test"`, "copied"},
		{"deny Bash(npm run test*)", `run_shell_command command npm run test.*"`, "copied"},
		{"deny Bash(git * main *)", `run_shell_command command git .* main(?: .*|)"`, "copied"},
		{`deny Bash(say "x.y":*)`, `run_shell_command command say \\"x\.y\\"[ "]`, "copied"},
		{"deny Bash(a && b)", "", "left out (Pollux decides about each command of a command line by itself)"},
		{"deny Bash(", "", "left out (it has no closing parenthesis)"},
		{"deny Read(!x)", "", "left out (it is an exception from other patterns)"},
		{"deny Monitor", "", "left out (Pollux has no such tool)"},
		{"ask Write", "replace write_file", "copied"},
		{"ask Agent(helper)", `invoke_agent args \x00"agent_name":"helper"\x00`, "copied"},
		{"ask Skill(a:b)", "activate_skill", "changed (the rule is about all calls of the tool)"},
		{"ask WebFetch(domain:a b)", "web_fetch", "changed (the rule is about all calls of the tool)"},
		{"deny mcp__s", "s: *", "copied"},
		{"deny mcp__s__*", "s: *", "copied"},
		{"deny mcp__s__t", "s: t", "copied"},
		{"deny mcp__s__get_*", "s: *", "changed (the rule is about all tools of the server)"},
		{"deny mcp__*", "*: *", "changed (the rule is about all servers)"},
		{"deny Read(**)", "read_file grep_search", "copied"},
		{"deny Edit(src/)", `replace write_file args \x00"(?:file_path|dir_path)":"(?:[^"]*[/\\@]|)src(?:/[^"]*|)"\x00`, "changed (it matches below any directory, and shell commands can still reach these files)"},
		{"deny Edit(/a/**/b?[cd]*.x)", `replace write_file args \x00"(?:file_path|dir_path)":"(?:[^"]*[/\\@]|)a/(?:[^"]*/|)b[^/"][^/"][^/"]*\.x(?:/[^"]*|)"\x00`, "changed (it matches below any directory, and shell commands can still reach these files)"},
		{"deny Edit(~/x)", `replace write_file args \x00"(?:file_path|dir_path)":"/home/me/x(?:/[^"]*|)"\x00`, "changed (shell commands can still reach these files)"},
		{"allow Bash", "", "left out (it allows every command. See the approval modes)"},
		{"allow Bash(go test:*)", "run_shell_command prefix go test", "copied"},
		{"allow Bash(git * main)", "", "left out (it has a * in a place where it may stand for anything)"},
		{"allow Bash(a; b)", "", "left out (Pollux decides about each command of a command line by itself)"},
		{"allow Read(src/**)", "", "left out (a rule would allow more than these calls)"},
		{"allow Edit", "", "left out (it allows every change. The approval mode auto_edit does it with less risk)"},
		{"allow WebFetch(domain:a.example)", "", "left out (a rule would allow calls that also name other hosts)"},
		{"allow mcp__s__t", "s: t", "copied"},
		{"allow mcp__s__*", "s: *", "copied"},
		{"allow mcp__s__get_*", "", "left out (a rule would allow more than these calls)"},
		{"allow mcp__*", "", "left out (a rule would allow more than these calls)"},
	})
}

// TestTranslateAntigravity checks the rule and the report of each kind of permission of Antigravity CLI.
func TestTranslateAntigravity(t *testing.T) {
	t.Parallel()
	const files = "shell commands can still reach these files"
	checkTranslations(t, Antigravity, []translated{
		{"deny command", "run_shell_command", "copied"},
		{"deny command(*)", "run_shell_command", "copied"},
		{"deny command(git push)", "run_shell_command command git push", "copied"},
		{"deny command(^git (push|pull))", `run_shell_command command \^git \(push\|pull\)run_shell_command command git (push|pull)`, "changed (it counts as a pattern, and as the beginning of commands)"},
		{"ask command(rm)", "run_shell_command command rm", "copied"},
		{"deny command(a; b)", "", "left out (Pollux decides about each command of a command line by itself)"},
		{"deny read_file(/etc)", `read_file grep_search args \x00"(?:file_path|dir_path|include_pattern)":"/etc(?:/[^"]*|)"\x00`, "changed (" + files + ")"},
		{"deny read_file(.env)", `read_file grep_search args \x00"(?:file_path|dir_path|include_pattern)":"(?:[^"]*[/\\@]|)\.env(?:/[^"]*|)"\x00`, "changed (it matches below any directory, and " + files + ")"},
		{"deny write_file(~/x)", `replace write_file args \x00"(?:file_path|dir_path)":"/home/me/x(?:/[^"]*|)"\x00`, "changed (" + files + ")"},
		{"deny read_url(https://a.example/x?y)", `web_fetch args //(?:[^/"\\\s]*[@.]|)[aA]\.[eE][xX][aA][mM][pP][lL][eE]\.?(?:[^A-Za-z0-9.-]|$)`, "changed (hosts below it count too, and shell commands can still reach it)"},
		{"deny mcp(db/drop)", "db: drop", "copied"},
		{"deny mcp(db)", "db: *", "copied"},
		{"deny mcp(db/*)", "db: *", "copied"},
		{"ask mcp(*)", "*: *", "changed (the rule is about all servers)"},
		{"deny unsandboxed(x)", "", "left out (Pollux has no such action)"},
		{"deny execute_url(x)", "", "left out (Pollux has no such action)"},
		{"deny command(", "", "left out (it has no closing parenthesis)"},
		{"allow command(go test)", "run_shell_command prefix go test", "copied"},
		{"allow command(go .*)", "", "left out (it may be a pattern, which a rule would read otherwise)"},
		{"allow command(a && b)", "", "left out (Pollux decides about each command of a command line by itself)"},
		{"allow command(*)", "", "left out (it allows every command. See the approval modes)"},
		{"allow write_file(src)", "", "left out (a rule would allow more than these calls)"},
		{"allow read_url(a.example)", "", "left out (a rule would allow more than these calls)"},
		{"allow mcp(db/select)", "db: select", "copied"},
		{"allow mcp(*)", "", "left out (a rule would allow more than these calls)"},
	})
}

// translated is a permission with its rules and its report.
type translated struct{ permission, rule, report string }

func checkTranslations(t *testing.T, from Agent, table []translated) {
	t.Helper()
	for _, tt := range table {
		list, item, _ := strings.Cut(tt.permission, " ")
		p := Permissions{Agent: from, Home: "/home/me"}
		*map[string]*[]string{"deny": &p.Deny, "ask": &p.Ask, "allow": &p.Allow}[list] = []string{item, item}
		rules, reports := Translate(p)
		var got string
		for _, r := range rules {
			got += strings.Join(r.Tools, " ")
			for name, value := range map[string]string{" prefix ": r.Prefix, " command ": r.Command, " args ": r.Args} {
				if value != "" {
					got += name + value
				}
			}
			if r.Server != "" {
				got = r.Server + ": " + got
			}
		}
		if got != tt.rule {
			t.Errorf("%s: rule %q, want %q", tt.permission, got, tt.rule)
		}
		if len(reports) != 1 {
			t.Fatalf("%s: %d reports", tt.permission, len(reports))
		}
		text := string(reports[0].Result)
		if notes := reports[0].Notes; len(notes) > 0 {
			text += " (" + strings.Join(notes, "; ") + ")"
		}
		if text != tt.report || reports[0].IsLost() != (tt.rule == "" && list != "allow") {
			t.Errorf("%s: %q, want %q", tt.permission, text, tt.report)
		}
	}
}

// TestProject checks that a project grants nothing, and still restricts.
func TestProject(t *testing.T) {
	t.Parallel()
	rules, reports := Translate(Permissions{IsOfProject: true, Deny: []string{"Bash(rm:*)"}, Allow: []string{"Bash(ls)", "WebSearch"}})
	if len(rules) != 1 || rules[0].Decision != policy.Deny || len(reports) != 3 || reports[1].Result != transfer.LeftOut || reports[2].Result != transfer.LeftOut {
		t.Errorf("%+v, %+v", rules, reports)
	}
}

// TestTOML checks that policies take every translation, whatever the permissions are.
func TestTOML(t *testing.T) {
	t.Parallel()
	for _, from := range []Agent{Claude, Antigravity} {
		checkTOML(t, from)
	}
}

func checkTOML(t *testing.T, from Agent) {
	t.Helper()
	p := Permissions{Agent: from, Home: "/home/o'me"}
	for _, item := range []string{
		"command(a 'b' \"c\" \\d)", "command(a\tb)", "command((((a*)*)*)*$)", "command([)", "command(a|b|)", "read_file(/a'b)", "write_file(a\nb)", "read_url(É.example)", "mcp(a'b/c\"d)", "read_file(" + strings.Repeat("a*", 200) + ")",

		"Bash(a 'b' \"c\" \\d:*)", "Bash(a\tb)", "Bash(a\x01b\x7f:*)", "Bash(é * ü *)", "Bash(**** **** ****)", "Read(***/**/***/**/*)", "Read(**/*/**/*/**/*/**/*.a)",
		"Read([a-z]/[x)", "Edit(a'b)", "Edit(a\nb)", "WebFetch(domain:*.a-b.example)", "WebFetch(domain:É.example)", "mcp__a'b__c\"d", "Skill(x\x00y)", "Read(" + strings.Repeat("a*", 200) + ")",
		"Read(~/.ssh/**)", "Glob(x/*)", "Grep(x)", "LS(x)",
	} {
		p.Deny, p.Ask, p.Allow = append(p.Deny, item), append(p.Ask, item), append(p.Allow, item)
	}
	rules, reports := Translate(p)
	file := filepath.Join(t.TempDir(), "rules.toml")
	if err := os.WriteFile(file, TOML(from, rules, 998), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := policy.Load(policy.Sources{User: []string{file}})
	if err != nil || len(files.Lost) > 0 {
		t.Errorf("%v, lost: %q, %q", err, files.Lost, files.Warnings)
	}
	if len(files.Rules) < len(rules) || len(reports) != 3*len(p.Deny) {
		t.Errorf("%d rules of %d, %d reports", len(files.Rules), len(rules), len(reports))
	}
	want := fmt.Sprintf("# %s\n[[rule]]\ntoolName = '*'\nmcpName = \"a'b\"\n", "ask mcp__a'b")
	text := string(TOML(Claude, []Rule{{Permission: "ask mcp__a'b", Decision: policy.Ask, Tools: []string{"*"}, Server: "a'b"}}, 7))
	if diff := cmp.Diff("# Permissions of Claude Code, translated by: pollux policy import\n\n"+want+
		"decision = 'ask_user'\npriority = 7\nmodes = [\"default\", \"autoEdit\", \"yolo\"]\n", text); diff != "" {
		t.Error(diff)
	}
}
