package hook

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func definitions(t *testing.T, text string) map[string]json.RawMessage {
	t.Helper()
	var d map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestRead(t *testing.T) {
	t.Parallel()
	hooks, problems, _ := Read(User, definitions(t, `{
		"enabled": true, "disabled": ["x"], "notifications": false,
		"BeforeTool": [
			{"matcher": "a|b", "sequential": true, "hooks": [
				{"type": "command", "command": "one", "name": "n", "description": "d", "timeout": 5000, "env": {"K": "V", "N": 1, "": "x"}},
				{"type": "plugin", "command": "two", "timeout": 0},
				{"type": "other", "command": "x"}, {"type": "command"}, {"type": "runtime", "name": "r"}, 5]},
			{"matcher": 7, "hooks": [{"type": "command", "command": "three", "timeout": -4}]},
			{"matcher": "c"}, "x", null],
		"AfterTool": {"hooks": []},
		"SessionEnd": [{"hooks": [{"type": "command", "command": "four", "timeout": 1e99}]}],
		"SubagentStop": [], "Nope": []}`))
	var got []string
	for _, h := range hooks {
		got = append(got, fmt.Sprintf("%s %q %v %s %s %v %v", h.Event, h.Matcher, h.IsSequential, h.ID(), h.Timeout, h.Env, h.Source))
	}
	want := []string{
		`BeforeTool "a|b" true n 5s map[K:V N:1] user`,
		`BeforeTool "a|b" true two 0s map[] user`,
		`BeforeTool "" false three 0s map[] user`,
		`SessionEnd "" false four 24h0m0s map[] user`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("hooks:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(problems) != 5+8 { // two events, three old keys, four hooks, three definitions, one event
		t.Fatalf("%d problems: %q", len(problems), problems)
	}
	for i, want := range map[int]string{
		0:  `Invalid hook event name: "Nope" from project config. Skipping.`,
		1:  `Invalid hook event name: "SubagentStop" from project config. Skipping. It is an event of Claude Code that Pollux does not have.`,
		2:  `hooks.disabled in the user settings has no effect. Its name is hooksConfig.disabled now.`,
		5:  `Discarding invalid hook configuration for BeforeTool from user settings: the type must be "command", not "other". Nothing checks the calls of a|b in its place.`,
		6:  `Discarding invalid hook configuration for BeforeTool from user settings: it has no command. Nothing checks the calls of a|b in its place.`,
		9:  `Discarding invalid hook definition 3 for BeforeTool from user settings: it has no list of hooks.`,
		12: `Discarding the hooks for AfterTool from user settings: they are not a list.`,
	} {
		if problems[i] != want {
			t.Errorf("problem %d: %s", i, problems[i])
		}
	}
	if _, problems, _ := Read(Extensions, definitions(t, `{"Nope": []}`)); problems[0] != `Invalid hook event name: "Nope" from extensions config. Skipping.` {
		t.Errorf("problems: %+v", problems)
	}
}

// TestReadLost checks which mistakes are in hooks that may refuse something.
func TestReadLost(t *testing.T) {
	t.Parallel()
	const valid = `[{"hooks": [{"type": "command", "command": "x"}]}]`
	for text, want := range map[string]string{
		`{"BeforeTool": ` + valid + `, "Stop": ` + valid + `}`:                                         "",
		`{"BeforeTol": ` + valid + `}`:                                                                 `Invalid hook event name: "BeforeTol"`,
		`{"beforeTool": {"hooks": []}}`:                                                                `Invalid hook event name: "beforeTool"`,
		`{"BeforeTol": [], "$schema": "x", "comment": "y", "SubagentStop": ` + valid + `}`:             "",
		`{"BeforeTool": {"hooks": []}}`:                                                                "they are not a list",
		`{"PreToolUse": "x"}`:                                                                          "they are not a list",
		`{"BeforeAgent": [{"matcher": "x"}]}`:                                                          "it has no list of hooks",
		`{"BeforeTool": [{"type": "command", "command": "x"}]}`:                                        "it has no list of hooks",
		`{"AfterTool": [{"hooks": [{"type": "http", "command": "x"}]}]}`:                               "the type must be",
		`{"BeforeModel": [{"hooks": [{"type": "command"}]}]}`:                                          "it has no command",
		`{"SessionStart": {}, "SessionEnd": [{}], "Notification": [{"hooks": [5]}], "PreCompress": 1}`: "",
		`{"BeforeTool": [{"matcher": "write_file(", "hooks": [{"type": "command", "command": "x"}]}]}`: `The matcher "write_file(" of the hook x for BeforeTool from user settings is no regular expression: `,
		`{"PreToolUse": [{"matcher": "Bash[", "hooks": [{"type": "command", "command": "x"}]}]}`:       `The matcher "Bash[" of the hook x for PreToolUse`,
		`{"BeforeTool": [{"matcher": "*", "hooks": [{"type": "command", "command": "x"}]}, {"matcher": "a|^b.*$", "hooks": [{"type": "command", "command": "y"}]}]}`: "",
		`{"SessionStart": [{"matcher": "(", "hooks": [{"type": "command", "command": "x"}]}]}`:                                                                       "",
	} {
		_, problems, lost := Read(User, definitions(t, text))
		got := strings.Join(lost, "\n")
		if (got != "") != (want != "") || !strings.Contains(got, want) || len(lost) > 1 || !strings.Contains(strings.Join(problems, "\n"), got) {
			t.Errorf("%s: lost %q, want %q", text, got, want)
		}
	}
}

func TestMilliseconds(t *testing.T) {
	t.Parallel()
	for ms, want := range map[float64]time.Duration{0: 0, -1: 0, 1.5: 1500 * time.Microsecond, 1e300: 24 * time.Hour} {
		if got := milliseconds(ms); got != want {
			t.Errorf("%g: %v", ms, got)
		}
	}
}

// A project's hook is new once, by its name and command.
func TestMarkSeen(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "gemini", "trusted_hooks.json")
	project := []Hook{{Command: "a", Source: Workspace}, {Name: "n", Command: "b", Source: Workspace}, {Command: "mine", Source: User}}
	mark := func(dir string, hooks []Hook) string {
		added, err := MarkSeen(file, dir, hooks)
		if err != nil {
			t.Error(err)
		}
		return strings.Join(added, ",")
	}
	if got := mark("/p", project[2:]); got != "" {
		t.Errorf("of the user: %s", got)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file without a reason")
	}
	for i, want := range []string{"a,n", ""} {
		if got := mark("/p", project); got != want {
			t.Errorf("%d: %s", i, got)
		}
	}
	project[1].Command = "changed"
	if got := mark("/p", project); got != "n" {
		t.Errorf("changed: %s", got)
	}
	if got := mark("/q", project[:1]); got != "a" {
		t.Errorf("elsewhere: %s", got)
	}
	const want = "{\n  \"/p\": [\n    \":a\",\n    \"n:b\",\n    \"n:changed\"\n  ],\n  \"/q\": [\n    \":a\"\n  ]\n}"
	if got, _ := os.ReadFile(file); string(got) != want {
		t.Errorf("file:\n%s", got)
	}
	if err := os.WriteFile(file, []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := mark("/p", project[:1]); got != "a" {
		t.Errorf("after a broken file: %s", got)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if added, err := MarkSeen(file, "/p", project); err == nil || len(added) != 2 {
		t.Errorf("a directory: %v, %v", added, err)
	}
}
