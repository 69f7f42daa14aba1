package policy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pollux/internal/exit"
)

// write makes a file below dir and returns its path.
func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// load loads files that have nothing wrong with them.
func load(t testing.TB, s Sources) Files {
	t.Helper()
	files, err := Load(s)
	if err != nil || len(files.Warnings) > 0 {
		t.Fatalf("%v %q", err, files.Warnings)
	}
	return files
}

func ownedByRoot(string) string { return "" }

func TestLoadTiersAndOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rule := func(tool string, priority int) string {
		return fmt.Sprintf("[[rule]]\ntoolName = %q\ndecision = \"allow\"\npriority = %d\n", tool, priority)
	}
	write(t, dir, "system/a.toml", rule("system", 1))
	write(t, dir, "admin/a.toml", rule("admin", 123))
	write(t, dir, "user/b.toml", rule("b", 999))
	write(t, dir, "user/a.toml", rule("a", 999)+rule("a2", 0))
	write(t, dir, "user/.hidden.toml", rule("hidden", 1))
	write(t, dir, "user/notes.txt", "[[rule]]")
	write(t, dir, "user/below/c.toml", rule("below", 1))
	write(t, dir, "work/a.toml", rule("workspace", 950))
	one := write(t, dir, "one.toml", rule("one", 7))
	show := func(f Files) (list []string) {
		for _, r := range f.Rules {
			list = append(list, fmt.Sprint(r.Tools[0], " ", r.Priority, " ", r.Source))
		}
		return list
	}
	in := func(name string) string { return filepath.Join(dir, name) }

	got := show(load(t, Sources{
		Admin: []string{in("admin"), in("missing")}, User: []string{in("user"), one, one, in("admin/a.toml"), in("one.toml/x")},
		Workspace: in("work"), System: in("missing"), Foreign: ownedByRoot,
	}))
	want := []string{
		"admin 5.123 Admin: a.toml", "hidden 4.001 User: .hidden.toml", "a 4.999 User: a.toml", "a2 4 User: a.toml", "b 4.999 User: b.toml",
		"one 4.007 User: one.toml", "workspace 3.95 Workspace: a.toml",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	files, err := Load(Sources{System: in("system"), Foreign: ownedByRoot, Admin: []string{in("admin")}})
	if want := []string{"system 5.001 Admin: a.toml"}; err != nil || cmp.Diff(want, show(files)) != "" {
		t.Errorf("%v %q", err, show(files))
	}
	warning := "Security Warning: Ignoring --admin-policy because system policies are already defined in " + in("system")
	if diff := cmp.Diff([]string{warning}, files.Warnings); diff != "" {
		t.Error(diff)
	}

	write(t, dir, "empty/notes.txt", "no rules")
	files, err = Load(Sources{System: in("empty"), Foreign: ownedByRoot, Admin: []string{in("admin")}})
	if want := []string{"admin 5.123 Admin: a.toml"}; err != nil || cmp.Diff(want, show(files)) != "" || files.Warnings != nil {
		t.Errorf("a directory without policies: %v %q %q", err, show(files), files.Warnings)
	}

	files, err = Load(Sources{System: in("system"), Foreign: func(string) string { return "anyone may write there" }, Admin: []string{in("admin")}})
	if want := []string{"admin 5.123 Admin: a.toml"}; err != nil || cmp.Diff(want, show(files)) != "" {
		t.Errorf("%v %q", err, show(files))
	}
	warning = "Security Warning: Skipping system policies from " + in("system") + ": anyone may write there"
	if diff := cmp.Diff([]string{warning}, files.Warnings); diff != "" {
		t.Error(diff)
	}
}

func TestFileFields(t *testing.T) {
	t.Parallel()
	p := parseFile([]byte(`
# everything there is
[[rule]]
name = "a remark"
toolName = ["run_shell_command"]
decision = "deny"
priority = 1_0
commandPrefix = ["git push", 'npm "x"']
modes = ["autoEdit", "yolo"]
interactive = false
subagent = "a/b"
allow_redirection = true
denyMessage = """Not
here."""

[rule.toolAnnotations]
readOnlyHint = true
level = 3

[[rule]]
toolName = "t"
mcpName = "s"
decision = "ask_user"
priority = 0x10
argsPattern = '"path":"\./x'
interactive = true
toolAnnotations = { readOnlyHint = false }
deny_message = "no"
allowRedirection = false
`), origin{tier: TierUser}, "a.toml")
	if len(p.problems) > 0 || p.err != nil || len(p.rules) != 2 {
		t.Fatalf("%+v", p)
	}
	first, second := p.rules[0], p.rules[1]
	if diff := cmp.Diff(Rule{
		Tools: []string{"run_shell_command"}, Decision: Deny, Priority: 4.01, Prefixes: []string{"git push", `npm "x"`},
		Modes: In(AutoEdit, Yolo), When: Headless, Subagent: "a/b", AllowRedirection: true, DenyMessage: "Not\nhere.",
		Annotations: map[string]any{"readOnlyHint": true, "level": 3.0}, Source: "User: a.toml",
	}, first, cmpopts.IgnoreUnexported(Rule{})); diff != "" {
		t.Error(diff)
	}
	if second.Args.String() != `"path":"\./x` || second.Server != "s" || second.When != Interactive || second.Priority != 4.016 ||
		second.DenyMessage != "no" || second.Annotations["readOnlyHint"] != false || second.Decision != Ask {
		t.Errorf("%+v", second)
	}

	p = parseFile([]byte(`rule = [{toolName = "*", decision = "allow", priority = 1}]`), origin{tier: TierAdmin}, "a.toml")
	if len(p.problems) > 0 || len(p.rules) != 1 || p.rules[0].Priority != 5.001 {
		t.Errorf("%+v", p)
	}
	// Another program's file, in the same directory.
	p = parseFile([]byte("[modes.plan]\nnetwork = false\nreadonly = true\napprovedTools = []\n[commands.git]\nallow_network = true\n"), origin{tier: TierUser}, "sandbox.toml")
	if len(p.problems) > 0 || len(p.rules) != 0 {
		t.Errorf("%+v", p)
	}
}

const valid = "[[rule]]\ntoolName = \"x_tool\"\ndecision = \"deny\"\npriority = 1\n"

func TestFileProblems(t *testing.T) {
	t.Parallel()
	rule := func(lines string) string {
		return valid + "[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"allow\"\npriority = 100\n" + lines + "\n"
	}
	for _, tt := range []struct {
		name, text string
		rules      int // that are left
		want       []string
	}{
		{"syntax", valid + "[[rule]\n", 0, []string{"error in f:\n  TOML parsing failed\n  line 5, column 7: "}},
		{"value", valid + "x = \n", 0, []string{"TOML parsing failed\n  line 5, column "}},
		{"duplicate key", valid + "priority = 2\n", 0, []string{`line 5, column 1: duplicate key "priority"`}},
		{"duplicate table", "[a]\n[a]\n", 0, []string{`line 2, column 2: duplicate table "a"`}},
		{"table and array", valid + "[rule]\n", 0, []string{`line 5, column 2: duplicate table "rule"`}},
		{"array of value", "rule = 1\n[[rule]]\n", 0, []string{`line 2, column 3: "rule" is not an array of tables`}},
		{"table in value", "rule = 1\n[rule.x]\n", 0, []string{`"rule" is a value, not a table`}},
		{"braces twice", `x = {a = 1, a = 2}`, 0, []string{`duplicate key "a"`}},
		{"no UTF-8", valid + "# \xff\n", 0, []string{"line 5, column 3: a byte that is not UTF-8"}},
		{"NUL", "a = \"\x00\"", 0, []string{"line 1"}},
		{"open", `a = "`, 0, []string{"line 1"}},
		{"deep", "x = " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000), 0, []string{"nest too deeply"}},
		{"deeper", "x = " + strings.Repeat("[", 1<<20), 0, []string{"TOML parsing failed"}},
		{"dots", strings.Repeat("a.", 100_000) + "a = 1", 0, []string{"nest too deeply"}},
		{"dots in braces", "x = {" + strings.Repeat("a.", 100) + "a = 1}", 0, []string{"nest too deeply"}},
		{"many keys", manyKeys("a%d = 1\n"), 0, []string{"line 1001, column 1: a table with more than 1000 keys"}},
		{"many tables", manyKeys("[a%d]\n"), 0, []string{"line 1001, column 2: a table with more than 1000 keys"}},
		{"many arrays", manyKeys("[[a%d]]\n"), 0, []string{"line 1001, column 3: a table with more than 1000 keys"}},
		{"number", "x = 99999999999999999999", 0, []string{"is too large"}},

		{"no priority", "[[rule]]\ntoolName = \"x\"\ndecision = \"allow\"\n", 0, []string{
			"Schema validation failed\nInvalid policy rule (rule #1, line 1):\n  - Field \"rule.0.priority\": is missing",
		}},
		{"nothing", valid + "[[rule]]\n", 0, []string{"Invalid policy rule (rule #2, line 5):\n  - Field \"rule.1.toolName\": is missing"}},
		{"priority", rule("priorit = 1\n\n\n") + "[[rule]]\ntoolName=\"x\"\ndecision=\"allow\"\npriority=1000", 0, []string{
			`Unknown key "priorit"`, `rule #3, line 16):` + "\n" + `  - Field "rule.2.priority": must be a whole number from 0 to 999, not 1000`,
		}},
		{"priority of text", strings.Replace(valid, "1", `"1"`, 1), 0, []string{`must be a whole number from 0 to 999, not the string "1"`}},
		{"priority with a fraction", strings.Replace(valid, "1", "1.5", 1), 0, []string{"not the number 1.5"}},
		{"decision", strings.Replace(valid, "deny", "block", 1), 0, []string{`must be one of allow, deny, ask_user, not "block"`}},
		{"modes", rule(`modes = ["auto_edit"]`), 0, []string{`must be default, autoEdit, sandboxed, plan or yolo, not "auto_edit"`}},
		{"modes of numbers", rule(`modes = [1]`), 0, []string{"must contain only strings, not the number 1"}},
		{"interactive", rule(`interactive = "no"`), 0, []string{"must be true or false"}},
		{"annotations", rule(`toolAnnotations = true`), 0, []string{"must be a table, not true"}},
		{"prefix", rule(`commandPrefix = 1`), 0, []string{"must be a string or a list of strings"}},
		{"one table", "[rule]\ntoolName = \"x\"\n", 0, []string{"a rule begins with [[rule]]"}},
		{"tool of a list", strings.Replace(valid, `"x_tool"`, `[["x"]]`, 1), 0, []string{"must contain only strings, not a list"}},

		{"regex", rule(`argsPattern = "("`), 1, []string{"Invalid regex pattern\n  rule #2 (line 5): "}},
		{"unsafe", rule(`commandRegex = "(a+)+"`), 1, []string{"Unsafe regex pattern (potential ReDoS)\n  rule #2 (line 5): "}},
		{"long", rule(`argsPattern = "` + strings.Repeat("a", 2049) + `"`), 1, []string{"Unsafe regex pattern (potential ReDoS)"}},
		{"long prefix", rule(`commandPrefix = "` + strings.Repeat("a", 2049) + `"`), 1, []string{"Unsafe regex pattern (potential ReDoS)"}},
		{"no prefix", rule(`commandPrefix = []`), 1, []string{"commandPrefix is empty"}},
		{"an empty prefix", rule(`commandPrefix = ["rm", ""]`), 2, []string{"rule #2 (line 5): commandPrefix is empty\n  Suggestion: Pollux uses the other prefixes of the rule"}},
		{"both", rule("commandPrefix = \"a\"\ncommandRegex = \"b\""), 2, []string{"Invalid shell command syntax\n  rule #2 (line 5): "}},
		{"with pattern", rule("commandPrefix = \"a\"\nargsPattern = \"b\""), 2, []string{"Invalid shell command syntax"}},
		{"other tool", strings.Replace(rule(`commandPrefix = "a"`), "run_shell_command", "glob", 1), 2, []string{"Invalid shell command syntax"}},
		{"name", strings.Replace(valid, "x_tool", "read_fil", 1), 1, []string{"[USER] Policy file warning in f:\n  Unrecognized tool name\n  rule #1 (line 1): \"read_fil\"\n  Suggestion: did you mean \"read_file\"?"}},
		{"old MCP name", strings.Replace(valid, "x_tool", "s__t", 1), 1, []string{"Unrecognized tool name"}},
		{"key", rule(`priorit = 1`), 2, []string{"Unknown key \"priorit\"\n  rule #2 (line 5): \"priorit\" (line 9) has no effect\n  Suggestion: did you mean \"priority\"?"}},
		{"condition", rule(`argPattern = "x"`), 1, []string{"Unknown key \"argPattern\"\n  rule #2 (line 5): \"argPattern\" (line 9) has no effect: the rule is ignored without its condition\n  Suggestion: did you mean \"argsPattern\"?"}},
		{"table", strings.ReplaceAll(valid, "rule", "rules"), 0, []string{`did you mean "rule"?`}},
		{"many", strings.Repeat(rule(`argsPattern = "("`), 100), 100, []string{"and 80 more problems"}},
	} {
		p := parseFile([]byte(tt.text), origin{tier: TierUser}, "f")
		var all []string
		for _, problem := range p.problems {
			all = append(all, problem.text(origin{tier: TierUser}, "f"))
		}
		text := strings.Join(all, "\n")
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %s\nwant %s", tt.name, text, want)
			}
		}
		if len(p.rules) != tt.rules || tt.name != "many" && len(all) != len(tt.want) {
			t.Errorf("%s: %d rules, %d problems: %s", tt.name, len(p.rules), len(all), text)
		}
	}
}

func TestRuleAboutNoTool(t *testing.T) {
	t.Parallel()
	checker := "[[safety_checker]]\ntoolName = \"x_tool\"\nchecker = { type = \"in-process\", name = \"allowed-path\" }\n"
	for _, text := range []string{valid, checker} {
		for _, none := range []string{`""`, `" "`, `[]`, `["glob", ""]`} {
			dir := t.TempDir()
			write(t, dir, "a.toml", strings.Replace(text, `"x_tool"`, none, 1))
			_, err := Load(Sources{User: []string{dir}})
			var e *exit.Error
			if !errors.As(err, &e) || e.Code != exit.Config ||
				e.Message != "Invalid policy rule: toolName is required. Use '*' for all tools. Rule source: User: a.toml" {
				t.Errorf("toolName %s: %v", none, err)
			}
		}
	}
}

func TestLoadHostileFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "good.toml", valid)
	if err := os.Mkdir(filepath.Join(dir, "dir.toml"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"loop.toml": "loop.toml", "nothing.toml": "nowhere", "linked.toml": "good.toml"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip("this system has no symbolic links")
		}
	}
	write(t, dir, "a\nSecurity Warning: \x1b[2J.toml", "x = ")
	huge := write(t, dir, "huge.toml", "")
	if err := os.Truncate(huge, 100<<20); err != nil {
		t.Fatal(err)
	}
	secret := write(t, dir, "secret.toml", valid)
	if err := os.Chmod(secret, 0); err != nil {
		t.Fatal(err)
	}
	files, err := Load(Sources{User: []string{dir, filepath.Join(dir, "loop.toml", "x")}})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(files.Warnings, "\n")
	for _, want := range []string{
		"error in " + filepath.Join(dir, "dir.toml") + ":\n  Failed to read policy file\n  it is a directory",
		"error in " + filepath.Join(dir, "loop.toml") + ":\n  Failed to read policy file\n  ",
		"error in " + filepath.Join(dir, "a?Security Warning: ?[2J.toml") + ":\n",
		"error in " + huge + ":\n  Failed to read policy file\n  it is larger than 4 MB",
		"error in " + filepath.Join(dir, "nothing.toml") + ":\n  Failed to read policy file\n  it is a link to \"nowhere\", which does not exist",
		"error in " + filepath.Join(dir, "loop.toml", "x") + ":\n  Failed to read policy path\n  ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nlacks %s", text, want)
		}
	}
	want := 3 // good, linked, and secret where the tests run as root
	if os.Getuid() != 0 {
		want = 2
	}
	if len(files.Rules) != want {
		t.Errorf("%d rules: %s", len(files.Rules), text)
	}
}

func FuzzParseFile(f *testing.F) {
	for _, seed := range []string{
		valid, "rule = [{}]", "[[rule]]\n[rule.toolAnnotations]\na.b = 1", "[[safety_checker]]\ntoolName='*'\nchecker={type='in-process',name='conseca'}",
		"a = 1979-05-27T07:32:00Z\nb = inf\nc = 0b1", "[a.b]\n[a]\nb.c = 1", "[[a.b]]\n[a]\n", "a.b = 1\n[a]\n", "\ufeff[[rule]]\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := parseFile(data, origin{tier: TierUser}, "f")
		for _, r := range p.rules {
			if r.Priority < 4 || r.Priority >= 5 || len(r.Source) == 0 {
				t.Fatalf("%q: %+v", data, r)
			}
		}
		for _, problem := range p.problems {
			if problem.message == "" {
				t.Fatalf("%q: a problem without a message", data)
			}
		}
	})
}

func TestOnOneLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Warning: x": "Warning: x",
		"[USER] Policy file warning in f:\n  Rule ignored\n  rule #2 (line 6): no\n  Suggestion: copy it": "[USER] Policy file warning in f: Rule ignored: rule #2 (line 6): no (copy it)",
		"[USER] Policy file error in f:\n  Wrong\n  one\n  two\n":                                         "[USER] Policy file error in f: Wrong: one; two",
	} {
		if got := OnOneLine(text); got != want {
			t.Errorf("OnOneLine(%q) = %q, want %q", text, got, want)
		}
	}
}

// manyKeys returns more keys than a table may have, each in its own line.
func manyKeys(line string) string {
	var b strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&b, line, i)
	}
	return b.String()
}
