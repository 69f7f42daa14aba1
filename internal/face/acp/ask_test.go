package acp_test

import (
	"strings"
	"testing"
)

// runsDate is a model that calls the shell once, and then says how that ended.
const runsDate = `
turn
  call run_shell_command {"command": "echo heron > word.txt", "description": "write a word"}
turn
  expect %s
  text Done.
`

func scriptOf(expect string) string { return strings.Replace(runsDate, "%s", expect, 1) }

// TestAnswers checks the possible answers to a permission request: only one that names an allowing option allows.
func TestAnswers(t *testing.T) {
	t.Parallel()
	const rejected = "error run_shell_command_1 rejected"
	for name, tt := range map[string]struct {
		answer any
		expect string // of the model; "" if the turn ends without it
		ran    bool
	}{
		"once":              {selects("proceed_once"), "result run_shell_command_1 ", true},
		"always":            {selects("proceed_always"), "result run_shell_command_1 ", true},
		"rejected":          {selects("cancel"), rejected, false},
		"withdrawn":         {map[string]any{"outcome": map[string]any{"outcome": "cancelled"}}, "", false},
		"unknown option":    {selects("proceed"), "error run_shell_command_1 an option that there is not", false},
		"approved":          {map[string]any{"approved": true}, "error run_shell_command_1 no outcome", false},
		"no object":         {true, "error run_shell_command_1 has not asked", false},
		"unknown outcome":   {map[string]any{"outcome": map[string]any{"outcome": "accepted", "optionId": "proceed_once"}}, "error run_shell_command_1 no outcome", false},
		"an error":          {&failure{Code: -32601, Message: "Method not found"}, "error run_shell_command_1 Method not found", false},
		"outcome is a text": {map[string]any{"outcome": "selected"}, "error run_shell_command_1 has not asked", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := scriptOf(tt.expect)
			if tt.expect == "" {
				script = script[:strings.Index(script, "turn\n  expect")]
			}
			e := newEditor(t, setup{script: script})
			e.onAsk = func(string, map[string]any) any { return tt.answer }
			stop := e.ask(e.open(), "Go")
			if want := map[bool]string{true: "end_turn", false: "cancelled"}[tt.expect != ""]; stop != want {
				t.Errorf("the turn ends with %s, want %s", stop, want)
			}
			if ran := e.file("word.txt") == "heron\n"; ran != tt.ran {
				t.Errorf("the command ran: %v", ran)
			}
			calls := e.kinds("tool_call_update")
			if last := calls[len(calls)-1]["status"]; last != map[bool]string{true: "completed", false: "failed"}[tt.ran] {
				t.Errorf("the call ends as %v", last)
			}
		})
	}
}

// TestRules checks that rules decide before the editor is asked, whatever the mode: a denied call never runs, an allowed one
// never asks, and an answer for the session holds.
func TestRules(t *testing.T) {
	t.Parallel()
	rule := func(decision string) string {
		return `{"tools": {"sandbox": false}, "policyPaths": ["~/rules.toml"]}` + "\x00[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"" + decision + "\"\npriority = 500\nallowRedirection = true\n"
	}
	for name, tt := range map[string]struct {
		rule, mode string
		expect     string
		asks, ran  bool
	}{
		"deny":            {rule("deny"), "default", "error run_shell_command_1 ", false, false},
		"deny in yolo":    {rule("deny"), "yolo", "error run_shell_command_1 ", false, false},
		"allow":           {rule("allow"), "default", "result run_shell_command_1 ", false, true},
		"ask":             {rule("ask_user"), "default", "result run_shell_command_1 ", true, true},
		"ask in autoEdit": {rule("ask_user"), "autoEdit", "result run_shell_command_1 ", true, true},
		"no rule":         {"{}\x00", "default", "result run_shell_command_1 ", true, true},
		"yolo":            {"{}\x00", "yolo", "result run_shell_command_1 ", false, true},
		"plan":            {"{}\x00", "plan", "error run_shell_command_1 ", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings, rules, _ := strings.Cut(tt.rule, "\x00")
			if settings == "{}" {
				settings = ""
			}
			e := newEditor(t, setup{script: scriptOf(tt.expect), settings: settings})
			e.write(e.home+"/rules.toml", rules)
			asked := false
			e.onAsk = func(string, map[string]any) any { asked = true; return selects("proceed_once") }
			id := e.open()
			if tt.mode != "default" {
				e.ok("session/set_mode", map[string]any{"sessionId": id, "modeId": tt.mode})
			}
			if stop := e.ask(id, "Go"); stop != "end_turn" {
				t.Errorf("the turn ends with %s", stop)
			}
			if ran := e.file("word.txt") == "heron\n"; ran != tt.ran || asked != tt.asks {
				t.Errorf("ran %v, asked %v; %s", ran, asked, e.takeSeen())
			}
		})
	}
}

// TestRemembered checks that an answer for the session holds in that session, and in no other one.
func TestRemembered(t *testing.T) {
	t.Parallel()
	one := "turn\n  call run_shell_command {\"command\": \"echo heron >> word.txt\"}\nturn\n  text Done.\n"
	e := newEditor(t, setup{script: one + one + one})
	asked := 0
	e.onAsk = func(string, map[string]any) any { asked++; return selects("proceed_always") }
	first, second := e.open(), e.open()
	for _, id := range []string{first, first, second} {
		if stop := e.ask(id, "Go"); stop != "end_turn" {
			t.Errorf("the turn ends with %s", stop)
		}
	}
	if asked != 2 || e.file("word.txt") != "heron\nheron\nheron\n" {
		t.Errorf("asked %d times, the file has %q", asked, e.file("word.txt"))
	}
}
