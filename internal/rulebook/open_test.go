package rulebook_test

import (
	"slices"
	"strings"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/rulebook"
)

// TestOpen checks the rulebook of a project without a session.
func TestOpen(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/settings.json", `{"tools": {"exclude": ["glob"]}, "mcpServers": {"files": {"command": "x"}}}`)
	u.Write("~/.gemini/policies/a.toml", "[[rule]]\ntoolName = \"write_file\"\nargsPattern = \"locked\"\ndecision = \"deny\"\npriority = 100\n")
	only := u.Write("only.toml", "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\"make\"]\ndecision = \"allow\"\npriority = 100\n")
	half := u.Write("half.toml", "[[rule]]\ntoolName = \"glob\"\n")
	p := u.Open(func(o *project.Options) { o.Folder = trust.Trusted })
	b, err := rulebook.Open(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	decided := func(b *rulebook.Rulebook, words ...string) policy.Decision {
		call, err := b.ParseWords(words)
		if err != nil {
			t.Error(err)
		}
		return b.Explain(call, policy.Default)[0].Verdict.Decision
	}
	if decided(b, "glob") != policy.Deny || decided(b, "write_file", `{"file_path": "locked.txt"}`) != policy.Deny || decided(b, "run_shell_command", "make", "all") != policy.Ask {
		t.Error("the rules of files and settings do not count")
	}
	if !slices.ContainsFunc(b.Rules(), func(r policy.Rule) bool { return r.Source == "User: a.toml" }) {
		t.Error("the rules lack those of files")
	}
	u.TakeWarnings()
	b, err = rulebook.Open(t.Context(), p, []string{only, half})
	if err != nil || !strings.Contains(u.TakeWarnings(), "half.toml") {
		t.Fatalf("no warning about a broken rule, %v", err)
	}
	for call, want := range map[string]policy.Decision{"glob|{}": policy.Allow, `write_file|{"file_path": "locked.txt"}`: policy.Ask, "run_shell_command|make|all": policy.Allow} {
		if got := decided(b, strings.Split(call, "|")...); got != want {
			t.Errorf("with the rules of one file alone, %s: %s", call, got)
		}
	}
	broken := u.Write("broken.toml", "[[rule]]\ntoolName = \"\"\ndecision = \"deny\"\npriority = 1\n")
	if _, err := rulebook.Open(t.Context(), p, []string{broken}); exit.CodeOf(err) != exit.Config {
		t.Errorf("a rule about no tool: %v", err)
	}
}

// TestExplain checks that a decision is explained in sessions and in scripts, and that a trusted folder makes a
// difference.
func TestExplain(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	p := u.Open(func(o *project.Options) { o.Folder = trust.Trusted })
	b, err := rulebook.Open(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	call, err := b.ParseCall("write_file", `{"file_path": "a.txt", "content": "x"}`)
	if err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[policy.Mode][2]policy.Decision{
		policy.Default: {policy.Ask, policy.Deny}, policy.AutoEdit: {policy.Allow, policy.Allow}, policy.Plan: {policy.Deny, policy.Deny}, policy.Yolo: {policy.Allow, policy.Allow},
	} {
		list := b.Explain(call, mode)
		if len(list) != 2 || !list[0].Situation.Interactive || list[1].Situation.Interactive || list[0].Verdict.Decision != want[0] || list[1].Verdict.Decision != want[1] {
			t.Errorf("%v: %+v", mode, list)
		}
		if !list[0].Situation.Trusted || list[0].Situation.Mode != mode {
			t.Errorf("%v: in %+v", mode, list[0].Situation)
		}
	}
	p.Trust.Set(trust.Untrusted)
	if list := b.Explain(call, policy.Default); list[0].Situation.Trusted || list[1].Situation.Trusted {
		t.Errorf("in %+v", list[0].Situation)
	}
}

// TestParseCall checks calls as a user writes them.
func TestParseCall(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/settings.json", `{"mcpServers": {"files": {"command": "x"}}}`)
	b, err := rulebook.Open(t.Context(), u.Open(func(o *project.Options) { o.Folder = trust.Trusted }), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		words        string // separated by "|"
		name, args   string
		server, path string
	}{
		{"read_file|{\"file_path\": \"a.txt\"}", "read_file", `{"file_path": "a.txt"}`, "", "a.txt"},
		{"ReadFileTool|{\"file_path\": \"sub/../a.txt\"}", "read_file", `{"file_path": "sub/../a.txt"}`, "", "a.txt"},
		{"read_file", "read_file", `{}`, "", ""},
		{"run_shell_command|git|log|-1 x", "run_shell_command", `{"command":"git log '-1 x'"}`, "", ""},
		{"run_shell_command|git log -1", "run_shell_command", `{"command":"git log -1"}`, "", ""},
		{"ShellTool|ls", "run_shell_command", `{"command":"ls"}`, "", ""},
		{"run_shell_command|{\"command\": \"ls\"}", "run_shell_command", `{"command": "ls"}`, "", ""},
		{"run_shell_command|{ ls; }", "run_shell_command", `{"command":"{ ls; }"}`, "", ""},
		{"mcp_files_write|{\"file_path\": \"a.txt\"}", "mcp_files_write", `{"file_path": "a.txt"}`, "files", "a.txt"},
		{"own_tool", "own_tool", `{}`, "", ""},
	} {
		call, err := b.ParseWords(strings.Split(tt.words, "|"))
		if err != nil || call.Name != tt.name || string(call.Args) != tt.args || call.Server != tt.server {
			t.Errorf("%s: %+v, args %s, %v", tt.words, call, call.Args, err)
		}
		if tt.path != "" && !slices.Contains(call.Paths, u.Path(tt.path)) {
			t.Errorf("%s: the paths are %q", tt.words, call.Paths)
		}
	}
	for words, want := range map[string]string{
		"read_file|a.txt":        "The arguments of read_file must be a JSON object",
		"read_file|[1]":          "The arguments of read_file must be a JSON object",
		"read_file|{\"a\": }":    "The arguments of read_file must be a JSON object",
		"raed_file|{}":           "There is no tool raed_file: ",
		"raed_file\x1b[31m|{}":   "",
		"own_tool|a|b":           "The arguments of own_tool must be a JSON object",
		"write_file|{} trailing": "The arguments of write_file must be a JSON object",
	} {
		_, err := b.ParseWords(strings.Split(words, "|"))
		if want == "" {
			continue
		}
		if exit.CodeOf(err) != exit.Input || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", words, err)
		}
	}
}

// TestTest checks the tests of policies: their calls, and why they fail.
func TestTest(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/policies/a.toml", `
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["make"]
decision = "allow"
priority = 100

[[rule]]
mcpName = "files"
toolName = "*"
decision = "deny"
priority = 200

[[rule]]
toolName = "glob"
subagent = "helper"
decision = "deny"
priority = 200
`)
	u.Write("tests.toml", `
[[test]]
command = "make all"
expect = "allow"

[[test]]
command = "make all"
expect = "deny"

[[test]]
tool = "read"
mcpName = "files"
expect = "deny"

[[test]]
tool = "glob"
subagent = "helper"
expect = "deny"

[[test]]
tool = "glob"
expect = "allow"
`)
	b, err := rulebook.Open(t.Context(), u.Open(func(o *project.Options) { o.Folder = trust.Trusted }), nil)
	if err != nil {
		t.Fatal(err)
	}
	file, err := policy.ReadTests(u.Path("tests.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range file.Tests {
		if why := b.Test(&file.Tests[i]); (why == "") != (i != 1) {
			t.Errorf("test %d: %q", i+1, why)
		}
	}
}
