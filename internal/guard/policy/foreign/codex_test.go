package foreign

import (
	"fmt"
	"strings"
	"testing"

	"pollux/internal/guard/policy"
	"pollux/internal/transfer"
)

// TestCodex checks the rules and the reports of rules of Codex.
func TestCodex(t *testing.T) {
	t.Parallel()
	p := Permissions{Agent: Codex}
	p.ReadCodex("default.rules", `# mine
prefix_rule(pattern=["git", "push"], decision="forbidden")
prefix_rule(
    pattern = ["gh", ["pr", 'issue'], "view"],  # one of two
    decision = "prompt",
    justification = "asks \"first\"",
    match = [["gh", "pr", "view"]],
    not_match = ["gh"],
)
prefix_rule(pattern = ["npm", "test"])
for x in ["a"]:
    prefix_rule(pattern = [x], decision = "forbidden")

prefix_rule(pattern = ["rm"], decision = "never")
prefix_rule(pattern = ["sh", "-c", "a b; c"], decision = "forbidden")
prefix_rule(pattern = ["x"], decision = "prompt", other = "y"); prefix_rule(pattern = ["y"])
network_rule(host = "x",
  decision = "deny",
)
prefix_rule(pattern = ["last"], decision = "prompt")`)
	rules, items := Translate(p)
	var got []string
	for _, r := range rules {
		got = append(got, fmt.Sprintf("%s %s", r.Decision, r.Prefix))
	}
	if text := strings.Join(got, ", "); text != "deny git push, ask_user gh pr view, ask_user gh issue view, ask_user last" {
		t.Errorf("rules: %s", text)
	}
	got = nil
	for _, i := range items {
		if i.Result == transfer.LeftOut {
			got = append(got, fmt.Sprintf("%s (%s) %v", i.Name, strings.Join(i.Notes, "; "), i.IsLost()))
		}
	}
	const unread = " (Pollux reads only prefix_rule, with texts and lists of them) true\n"
	if text := strings.Join(got, "\n") + "\n"; text != "deny sh -c a b; c (it has characters that shells quote) true\ndefault.rules, line 11"+unread+"default.rules, line 14"+unread+"default.rules, line 16"+unread+"default.rules, line 17"+unread+"allow npm test (its file has statements that Pollux does not read) false\n" {
		t.Errorf("left out:\n%s", text)
	}
}

// TestCodexAllow checks that a file allows commands if it has nothing but rules that can be read, and that a project never does.
func TestCodexAllow(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"prefix_rule(pattern=['npm', 'test'])\n# end":         1,
		"\"\"\"\nprefix_rule(pattern=['rm'])\n\"\"\"":         0,
		"if False:\n  pass\nprefix_rule(pattern=['rm'])":      0,
		"x = False and \\\nprefix_rule(pattern=['rm'])":       0,
		"prefix_rule(pattern=['rm'], decision=x)":             0,
		"prefix_rule(pattern=['rm'], decision=['forbidden'])": 0,
	} {
		p := Permissions{Agent: Codex}
		p.ReadCodex("r", text)
		if rules, items := Translate(p); len(rules) != want || want == 0 && len(items) == 0 {
			t.Errorf("%q: %+v, %d reports", text, rules, len(items))
		}
		p.IsOfProject = true
		if rules, _ := Translate(p); len(rules) > 0 {
			t.Errorf("%q of a project: %+v", text, rules)
		}
	}
}

// FuzzCodex checks that any text is read without a crash, that each rule names a command, and that policies take the rules.
func FuzzCodex(f *testing.F) {
	for _, s := range []string{"prefix_rule(pattern=[\"a\", [\"b\", 'c']], decision=\"prompt\")", "prefix_rule(", "prefix_rule(pattern=[[[[", "x = '''\n'''", "prefix_rule(pattern=[\"\\\"", "#\n#", "prefix_rule(pattern=[])"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := Permissions{Agent: Codex}
		p.ReadCodex("r", text)
		if len(p.Allow)+len(p.Deny)+len(p.Ask) > 0 && !strings.Contains(text, "prefix_rule") {
			t.Errorf("%q has rules", text)
		}
		rules, _ := Translate(p)
		for _, r := range rules {
			if strings.TrimSpace(r.Prefix) == "" || r.Decision == policy.Allow && !strings.Contains(text, strings.Fields(r.Prefix)[0]) {
				t.Errorf("%q has the rule %+v", text, r)
			}
		}
	})
}
