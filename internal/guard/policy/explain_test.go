package policy

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/guard/trust"

	"github.com/google/go-cmp/cmp"
)

// A server's name may contain "_". If only the name of the tool is known, the server may be any of
// the possible ones: rules that restrict it match, and rules that allow do not.
func TestServerNamesWithUnderscore(t *testing.T) {
	t.Parallel()
	known := Call{Name: "mcp_my_server_do_it", Server: "my_server"}
	guessed := Call{Name: "mcp_my_server_do_it"}
	for _, tt := range []struct {
		tools          []string
		server         string
		known, guessed [2]bool // rules that deny, and rules that allow
	}{
		{[]string{"mcp_my_server_*"}, "", [2]bool{true, true}, [2]bool{true, false}},
		{[]string{"mcp_my_*"}, "", [2]bool{false, false}, [2]bool{true, true}},
		{[]string{"mcp_other_*"}, "", [2]bool{}, [2]bool{}},
		{[]string{"mcp_*_do_it"}, "", [2]bool{true, true}, [2]bool{true, false}},
		{[]string{"mcp_*_it"}, "", [2]bool{false, false}, [2]bool{true, false}},
		{[]string{"mcp_my_server_do_it"}, "", [2]bool{true, true}, [2]bool{true, true}},
		{[]string{"do_it"}, "my_server", [2]bool{true, true}, [2]bool{true, false}},
		{[]string{"*"}, "my_server", [2]bool{true, true}, [2]bool{true, false}},
		{[]string{"do_it"}, "*", [2]bool{true, true}, [2]bool{false, false}},
		{[]string{"mcp_*"}, "", [2]bool{true, true}, [2]bool{true, true}},
	} {
		for i, decision := range []Decision{Deny, Allow} {
			r := Rule{Tools: tt.tools, Server: tt.server, Decision: decision}
			if got := r.matches(newQuery(known), Default, true); got != tt.known[i] {
				t.Errorf("%s %v of %q: %v for a known server", decision, tt.tools, tt.server, got)
			}
			if got := r.matches(newQuery(guessed), Default, true); got != tt.guessed[i] {
				t.Errorf("%s %v of %q: %v for a guessed server", decision, tt.tools, tt.server, got)
			}
		}
	}
	for name, want := range map[string]string{"mcp_a_b_c": "a_b", "mcp_a_c": "a", "mcp_x_c": "", "read_file": "", "mcp_my_s_t": "my s"} {
		if got := ServerOf(name, []string{"a", "a_b", "my s"}); got != want {
			t.Errorf("%s is of %q, want %q", name, got, want)
		}
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := write(t, dir, "user.toml", `
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["git", "npm test"]
decision = "allow"
priority = 100

[[rule]]
toolName = "run_shell_command"
commandPrefix = "git push"
decision = "deny"
priority = 200
denyMessage = "Ask the user to push."
`)
	f, err := Load(Sources{User: []string{file}}) // with a warning about git
	if err != nil {
		t.Fatal(err)
	}
	e := engine(t, Options{Rules: append(f.Rules, FromSettings(Settings{Exclude: []string{"glob"}})...), Mode: Default, Trust: trust.NewLive(trust.Trusted)})
	for _, tt := range []struct {
		call      Call
		situation Situation
		want      []string // parts of the text, in order
		not       string
	}{
		{
			command("npm test && git push"),
			Situation{Default, true, true},
			[]string{
				"run_shell_command npm test && git push\nApproval mode: default. The folder is trusted.\n\nIn sessions: denied\n",
				"  Rule: user.toml:2: allow run_shell_command: git *, npm test * (priority 4.1)\n",
				"  Then: deny, because a command in it is denied.\n  Decided by: user.toml:8: deny run_shell_command: git push * (priority 4.2)\n",
				"  Commands:\n    npm test: allow, user.toml:2\n    git push: deny, user.toml:8\n",
				"  Also matching: built in (tools that change something): ask_user",
				"  Message: Ask the user to push. The policy rule in user.toml, line 8, denies it. A user can change that rule.\n",
				"  To change this: change user.toml:8.",
			},
			"With this rule",
		},
		{
			command("ls"),
			Situation{Default, true, true},
			[]string{
				"In sessions: allowed\n",
				"  Rule: built in (tools that change something): ask_user",
				"  Then: allow, because the command is known to only read inside the workspace.\n",
			},
			"With approval mode yolo",
		},
		{
			command("ls | wc -l && npm test 2>&1 | tail -3"),
			Situation{Default, true, true},
			[]string{
				"In sessions: allowed\n",
				"  Then: allow, because each command in it is allowed, or known to only read inside the workspace.\n",
				"  Commands:\n    ls: allow, it only reads\n    wc -l: allow, it only reads\n    npm test: allow, user.toml:2\n    tail -3: allow, it only reads\n",
			},
			"With approval mode yolo",
		},
		{
			command("npm test 2>&1 | tail -3; make"),
			Situation{Default, true, true},
			[]string{"In sessions: Pollux asks\n", "    tail -3: allow, it only reads\n    make: ask_user", "    commandPrefix = [ \"make\" ]\n"},
			"",
		},
		{
			command("make > out"),
			Situation{Default, false, true},
			[]string{
				"In scripts: denied\n", // a rule allows some calls: the model sees the tool
				"  With approval mode yolo: allow.\n  With this rule: allow.\n    [[rule]]\n",
				"    commandPrefix = [ \"make\" ]\n    allowRedirection = true",
			},
			"approval mode auto_edit",
		},
		{
			command("git log && make all && bash -c 'npm i'"),
			Situation{Default, true, true},
			[]string{
				"In sessions: Pollux asks\n",
				"    git log: allow, user.toml:2\n    make all: ask_user, built in (tools that change something)\n    bash -c 'npm i': ask_user",
				"      npm i: ask_user",
				"    commandPrefix = [ \"make all\", \"bash -c\", \"npm i\" ]",
			},
			"",
		},
		{
			command("git log -c x > out"),
			Situation{AutoEdit, true, true},
			[]string{"In sessions: Pollux asks\n", "  Then: ask_user, because a command in it runs others, deletes or writes with a flag that the rule does not name.\n", "    git log -c x: ask_user, user.toml:2 allows it, but not this use\n"},
			"",
		},
		{
			command("npm test > out"),
			Situation{Default, false, true},
			[]string{
				"In scripts: fails, because no user can be asked\n", "  Then: ask_user, because the command redirects, and the rule does not allow redirection.\n",
				"  Message: Headless runs cannot ask for approval. It is needed because the command redirects, and the rule does not allow redirection.\n",
				"  With approval mode auto_edit: allow.\n", "    priority = 101\n", "    commandPrefix = [ \"npm test\" ]\n    allowRedirection = true",
			},
			"To change this",
		},
		{
			command("find . -name '*.o' -delete"),
			Situation{Default, true, true},
			[]string{"  With this rule: allow.\n", "    commandPrefix = [ \"find . -name '*.o' -delete\" ]\n"},
			"",
		},
		{
			call("write_file", "file_path", ".husky/x"),
			Situation{AutoEdit, true, true},
			[]string{
				"write_file {\"file_path\":\".husky/x\"}\nApproval mode: auto_edit.", "In sessions: Pollux asks\n",
				"  Rule: built in (files that run or decide later): ask_user replace, write_file for files that run or decide later in autoEdit (priority 1.016)\n",
				"  With this rule: allow.\n", `argsPattern = "\\x00\"file_path\":\"\\.husky/x\"\\x00"`,
			},
			"",
		},
		{
			call("write_file", "file_path", "go.mod"),
			Situation{AutoEdit, false, true},
			[]string{
				"In scripts: denied\n", "  Then: ask_user, because the file is a build file (pollux.buildFiles).\n",
				"  Message: Modifying build configuration files", "  With this rule: allow.",
			},
			"",
		},
		{
			call("glob"),
			Situation{Yolo, false, true},
			[]string{"In scripts: denied, and the model does not see the tool\n", "  Rule: the setting tools.exclude: deny glob (priority 4.4)\n", "  To change this: change the setting tools.exclude."},
			"With this rule",
		},
		{
			call("mcp_s_t"),
			Situation{Default, true, false},
			[]string{"The folder is not trusted.", "  Rule: none; sessions ask", "With this rule: allow.", `toolName = "t"`, `mcpName = "s"`},
			"",
		},
		{call("mcp_s_t"), Situation{Yolo, false, true}, []string{"In scripts: allowed\n", "built in (yolo mode): allow *"}, ""},
		{
			command("git push"),
			Situation{Default, true, false},
			[]string{"In sessions: denied"},
			"trust in this folder",
		},
		{command("ls"), Situation{Default, true, false}, []string{"In sessions: Pollux asks", "With trust in this folder: allow."}, ""},
		{command("echo 'unterminated"), Situation{Default, true, true}, []string{"In sessions: Pollux asks"}, "Commands:"},
	} {
		x := e.Explain(tt.call, tt.situation)[0]
		if v := e.CheckIn(tt.situation, tt.call); !cmp.Equal(v.Decision, x.Verdict.Decision) {
			t.Errorf("%s: explains %v, and decides %v", tt.call.Args, x.Verdict.Decision, v.Decision)
		}
		text := FormatExplanations([]Explanation{x}, filepath.Base) + "\n"
		text = strings.ReplaceAll(text, dir+"/", "")
		rest := text
		for _, want := range tt.want {
			_, after, ok := strings.Cut(rest, want)
			if !ok {
				t.Errorf("%s lacks %q:\n%s", tt.call.Args, want, text)
				break
			}
			rest = after
		}
		if tt.not != "" && strings.Contains(text, tt.not) {
			t.Errorf("%s contains %q:\n%s", tt.call.Args, tt.not, text)
		}
	}
	// An explanation that is the same in sessions and in scripts appears once.
	both := e.Explain(command("git status"), Situation{Default, true, true}, Situation{Default, false, true})
	if text := FormatExplanations(both, filepath.Base); !strings.Contains(text, "\nIn sessions and scripts: allowed\n") || strings.Count(text, "Rule:") != 1 {
		t.Error(text)
	}
}

func TestCheckFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "bad.toml", "[[rule]]\ntoolName = \"glob\"\ndecision = \"maybe\"\npriority = 5000\n[[rule]]\ntoolName = 3\n")
	write(t, dir, "broken.toml", "\n[[rule\n")
	write(t, dir, "warn.toml", `[[rule]]
toolName = "read_fil"
decision = "deny"
priority = 1
denyMesage = "x"

[[rule]]
toolName = "run_shell_command"
commandPrefix = ["xargs", "git status"]
decision = "allow"
priority = 3

[[rule]]
toolName = "run_shell_command"
commandPrefix = ["xargs", "git status"]
decision = "deny"
priority = 2

[[rule]]
toolName = "run_shell_command"
commandRegex = "(a+)+b"
decision = "deny"
priority = 2

[[rule]]
toolName = ""
decision = "deny"
priority = 2
`)
	r := CheckFiles([]File{UserFile(dir), UserFile(filepath.Join(dir, "none.toml"))}, nil)
	var got []string
	for _, p := range r.Problems {
		got = append(got, p.String(filepath.Base))
	}
	want := []string{
		`bad.toml:3: error: Schema validation failed: rule #1: decision must be one of allow, deny, ask_user, not "maybe" (fix these fields; Pollux ignores the file until then)`,
		`bad.toml:4: error: Schema validation failed: rule #1: priority must be a whole number from 0 to 999, not 5000 (fix these fields; Pollux ignores the file until then)`,
		`bad.toml:5: error: Schema validation failed: rule #2: decision is missing; it must be one of allow, deny, ask_user (fix these fields; Pollux ignores the file until then)`,
		`bad.toml:5: error: Schema validation failed: rule #2: priority is missing; it must be a whole number from 0 to 999 (fix these fields; Pollux ignores the file until then)`,
		`bad.toml:6: error: Schema validation failed: rule #2: toolName must be a string or a list of strings, not the number 3 (fix these fields; Pollux ignores the file until then)`,
		`broken.toml:2: error: TOML parsing failed: column 7: expected ']]' to close array table name (fix this line; Pollux ignores the file until then)`,
		`warn.toml:1: warning: Unrecognized tool name: "read_fil" (did you mean "read_file"?)`,
		`warn.toml:5: warning: Unknown key "denyMesage": it has no effect (did you mean "denyMessage"?)`,
		`warn.toml:7: warning: Rules allow programs that run others: xargs (allow single subcommands, such as "git status")`,
		`warn.toml:13: warning: Rule never decides: warn.toml:7 is about the same calls, with another decision (remove one of them, or change its conditions)`,
		`warn.toml:19: error: Unsafe regex pattern (potential ReDoS): the pattern repeats a group that repeats something, which can take forever (the rule is ignored without its condition)`,
		`warn.toml:25: error: Invalid policy rule: toolName is empty (use '*' for all tools)`,
		`none.toml: error: no such file or directory`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !r.Failed() || r.Rules != 3 || len(r.Files) != 4 {
		t.Errorf("%+v", r)
	}
}

func TestReadTests(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, tt := range map[string]struct{ content, wrong string }{
		"good.toml":   {"policy = \"a.toml\"\n[[test]]\ncommand = \"git push\"\nexpect = \"deny\"\n", ""},
		"good.json":   {`{"policy": ["a.toml", "/b"], "test": [{"tool": "glob", "args": {"pattern": "x"}, "mode": "auto_edit", "interactive": false, "trusted": false, "expect": "allow"}]}`, ""},
		"empty.toml":  {"policy = \"a.toml\"\n", "there are no tests"},
		"syntax.toml": {"[[test]\n", "line 1, column"},
		"expect.toml": {"\n[[test]]\ncommand = \"x\"\nexpect = \"ask\"\n", `test #1, line 2: expect must be allow, deny or ask_user, not "ask"`},
		"no.toml":     {"[[test]]\nexpect = \"deny\"\n", "test #1, line 1: set tool or command"},
		"both.toml":   {"[[test]]\ncommand = \"x\"\nargs = {}\nexpect = \"deny\"\n", "set command or args, not both"},
		"mode.toml":   {"[[test]]\ncommand = \"x\"\nexpect = \"deny\"\nmode = \"fast\"\n", "Invalid approval mode: fast"},
		"key.toml":    {"[[test]]\ncommand = \"x\"\nexpects = \"deny\"\n", `unknown field "expects"`},
		"type.json":   {`{"test": 3}`, "cannot unmarshal number"},
	} {
		f, err := ReadTests(write(t, dir, name, tt.content))
		if tt.wrong == "" && err != nil || tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)) {
			t.Errorf("%s: %v, want %q", name, err, tt.wrong)
		}
		switch name {
		case "good.toml":
			want := TestFile{[]string{filepath.Join(dir, "a.toml")}, []Test{{Situation: Situation{Default, true, true}, Name: shellTool, Args: []byte(`{"command":"git push"}`), Expect: Deny, Line: 2}}}
			if diff := cmp.Diff(want, f); diff != "" {
				t.Error(diff)
			}
		case "good.json":
			want := TestFile{[]string{filepath.Join(dir, "a.toml"), "/b"}, []Test{{Situation: Situation{AutoEdit, false, false}, Name: "glob", Args: []byte(`{"pattern": "x"}`), Expect: Allow}}}
			if diff := cmp.Diff(want, f); diff != "" {
				t.Error(diff)
			}
		}
	}
}

func TestRuleJSON(t *testing.T) {
	t.Parallel()
	for modes, want := range map[Modes][]string{0: nil, In(Plan, Default, AutoEdit, Yolo): nil, In(Plan, AutoEdit): {"plan", "autoEdit"}, From(AutoEdit): {"autoEdit", "yolo"}} {
		if got := (&Rule{Priority: 4, Modes: modes}).JSON().Modes; !slices.Equal(got, want) {
			t.Errorf("%b: %q, want %q", modes, got, want)
		}
	}
}
