package policy

import (
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/guard/trust"
)

// Every example loads without a warning, and passes its tests.
func TestExamples(t *testing.T) {
	t.Parallel()
	const dir = "../../../examples/policies"
	files, err := filepath.Glob(filepath.Join(dir, "*.toml"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	about := read(t, filepath.Join(dir, "README.md"))
	for _, file := range files {
		name := filepath.Base(file)
		if len(load(t, Sources{User: []string{file}}).Rules) == 0 {
			t.Errorf("%s has no rules", name)
		}
		if !strings.Contains(about, "["+name+"]("+name+")") {
			t.Errorf("the README does not name %s", name)
		}
	}
	for _, file := range files {
		tests, err := ReadTests(filepath.Join(dir, "tests", filepath.Base(file)))
		if err != nil {
			t.Fatal(err)
		}
		rules := load(t, Sources{User: tests.Policies})
		e := engine(t, Options{Rules: rules.Rules, Checkers: rules.Checkers})
		for i := range tests.Tests {
			tt := &tests.Tests[i]
			v := e.CheckIn(tt.Situation, Call{Name: tt.Name, Args: tt.Args, Server: tt.Server, Annotations: tt.Annotations})
			if text := tt.Check(v, filepath.Base); text != "" {
				t.Errorf("%s:%d: %s: %s", filepath.Base(file), tt.Line, tt.Call(), text)
			}
		}
	}
}

func TestCheckers(t *testing.T) {
	t.Parallel()
	p := parseFile([]byte(`
[[safety_checker]]
toolName = "x_paths"
[safety_checker.checker]
type = "in-process"
name = "allowed-path"
[safety_checker.checker.config]
included_args = ["where", "deep.target"]
excluded_args = ["file_name"]

[[safety_checker]]
toolName = "x_program"
priority = 5
checker = { type = "external", name = "mine" }

[[safety_checker]]
toolName = "*"
priority = 5000
checker = { type = "in-process", name = "conseca" }
`), origin{tier: TierUser}, "f")
	if len(p.problems) > 0 || len(p.checkers) != 3 {
		t.Fatalf("%+v", p)
	}
	e := engine(t, Options{
		Checkers: p.checkers, Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted),
		Rules: []Rule{{Tools: []string{"*"}, Decision: Allow, Priority: 4.9}},
	})
	for args, want := range map[string]Decision{
		`{}`:                                       Allow,
		`{"file_path":"a/b"}`:                      Allow,
		`{"file_path":"/etc/passwd"}`:              Deny,
		`{"file_path":"../x"}`:                     Deny,
		`{"path":["a","/etc"]}`:                    Deny,
		`{"a":{"Directory":"/etc"}}`:               Deny,
		`{"source":".git/config"}`:                 Deny,
		`{"source":"a/.GIT./config"}`:              Deny,
		`{"destination":"node_modules:x/y"}`:       Deny,
		`{"file":".vscode/tasks.json"}`:            Ask,
		`{"file":".vscode/.env"}`:                  Deny,
		`{"text":"/etc/passwd"}`:                   Allow,
		`{"where":"/etc"}`:                         Deny,
		`{"deep":{"target":"/etc"}}`:               Deny,
		`{"file_name":"/etc"}`:                     Allow,
		`{"path":1}`:                               Allow,
		`{"file_path":"a","path":"/project/../x"}`: Deny,
	} {
		if got := e.Check(Call{Name: "x_paths", Args: []byte(args)}).Decision; got != want {
			t.Errorf("%s: %v, want %v", args, got, want)
		}
	}
	if e.Check(call("x_program")).Decision != Deny || e.Check(call("x_other")).Decision != Allow {
		t.Error("an unknown checker does not deny, or denies other calls")
	}
	for _, bad := range []string{
		"toolName = '*'", "toolName = '*'\nchecker = 1", "checker = {type = 'in-process', name = 'conseca'}",
		"toolName = '*'\nchecker = {type = 'in-process', name = 'mine'}", "toolName = '*'\nchecker = {type = 'x', name = 'mine'}",
	} {
		if p := parseFile([]byte("[[safety_checker]]\n"+bad), origin{tier: TierUser}, "f"); len(p.problems) != 1 || len(p.checkers) > 0 {
			t.Errorf("%q: %+v", bad, p)
		}
	}
	// Where edits need no consent, programs that run by themselves need it.
	edits := engine(t, Options{Mode: AutoEdit, Interactive: true, Trust: trust.NewLive(trust.Trusted)})
	for path, want := range map[string]Decision{"a.go": Allow, ".vscode/tasks.json": Ask, "/elsewhere/plan.md": Allow} {
		if got := edits.Check(call("write_file", "file_path", path)).Decision; got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

// Slow expressions cost a bounded time: after a few no other is tried, and a permitting one
// does not match.
func TestSlowExpressions(t *testing.T) {
	t.Parallel()
	var rules []Rule
	for range 2000 {
		p, err := NewPattern(`"command":"(a|a|aa)*[b]"`)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, Rule{Tools: []string{shellTool}, Args: p, Decision: Allow, Priority: 4.9})
	}
	plain, err := NewPattern("a")
	if err != nil {
		t.Fatal(err)
	}
	rules = append(rules, Rule{Tools: []string{shellTool}, Args: plain, Decision: Allow, Priority: 4.8})
	e := engine(t, Options{Rules: rules, Mode: Default, Trust: trust.NewLive(trust.Trusted)})
	if got := e.Check(command(strings.Repeat("a", 5000))).Decision; got != Deny {
		t.Errorf("%v", got)
	}
}

func BenchmarkTenThousandRules(b *testing.B) {
	text := strings.Repeat("[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"allow\"\npriority = 100\ncommandPrefix = [\"x\", \"y z\"]\n", 10_000)
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			if p := parseFile([]byte(text), origin{tier: TierUser}, "f"); len(p.rules) != 10_000 {
				b.Fatal(p.problems)
			}
		}
	})
	e := engine(b, Options{Rules: parseFile([]byte(text), origin{tier: TierUser}, "f").rules, Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted)})
	for name, c := range map[string]Call{"shell": command("cd internal && go test ./..."), "read": call("read_file", "file_path", "x")} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				e.Check(c)
			}
		})
	}
}
