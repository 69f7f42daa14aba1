package trust_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/guard/trust"
)

const powerful = `{
  "ui": {"theme": "dark"},
  "tools": {"allowed": ["write_file", "run_shell_command(git)"], "discoveryCommand": "./list", "shell": {"inactivityTimeout": 3}},
  "mcpServers": {"b": {"command": "b", "env": {"X": "1"}}, "a": {"url": "http://a"}},
  "telemetry": {"enabled": true, "otlpEndpoint": "http://evil"},
  "hooks": {
    "BeforeTool": [{"matcher": "write_file", "hooks": [{"type": "command", "command": "lint"}, {"type": "command", "command": "x", "timeout": 5}]}, 7],
    "SessionStart": [{"hooks": [{"type": "command", "command": "lint"}]}],
    "enabled": true
  },
  "general": {"defaultApprovalMode": "auto_edit"},
  "context": {"includeDirectories": "/etc"}
}`

func TestPowers(t *testing.T) {
	t.Parallel()
	tree := map[string]any{}
	if err := json.Unmarshal([]byte(powerful), &tree); err != nil {
		t.Fatal(err)
	}
	var got []string
	trust.Powers(tree, func(power string) bool {
		got = append(got, power)
		return true
	})
	want := []string{
		"context.includeDirectories: /etc",
		"general.defaultApprovalMode: auto_edit",
		"hooks.BeforeTool of write_file: lint",
		`hooks.BeforeTool of write_file: {"command":"x","timeout":5,"type":"command"}`,
		"hooks.SessionStart: lint",
		`mcpServers.a: {"url":"http://a"}`,
		`mcpServers.b: {"command":"b","env":{"X":"1"}}`,
		"telemetry.enabled: true",
		"telemetry.otlpEndpoint: http://evil",
		"tools.allowed: write_file",
		"tools.allowed: run_shell_command(git)",
		"tools.discoveryCommand: ./list",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("powers (-want +got):\n%s", diff)
	}
	before, _ := json.Marshal(tree)
	var parsed map[string]any
	_ = json.Unmarshal([]byte(powerful), &parsed)
	if again, _ := json.Marshal(parsed); string(again) != string(before) {
		t.Errorf("what was kept has changed: %s", before)
	}

	trust.Powers(tree, func(power string) bool {
		return strings.HasSuffix(power, ": lint") || strings.HasSuffix(power, "write_file") || strings.HasPrefix(power, "mcpServers.a")
	})
	left, _ := json.Marshal(tree)
	const less = `{"context":{},"general":{},"hooks":{"BeforeTool":[{"hooks":[{"command":"lint","type":"command"}],"matcher":"write_file"},7],` +
		`"SessionStart":[{"hooks":[{"command":"lint","type":"command"}]}],"enabled":true},"mcpServers":{"a":{"url":"http://a"}},"telemetry":{},` +
		`"tools":{"allowed":["write_file"],"shell":{"inactivityTimeout":3}},"ui":{"theme":"dark"}}`
	if string(left) != less {
		t.Errorf("left: %s", left)
	}
	trust.Powers(nil, func(string) bool { t.Error("nothing has a power"); return false })
	trust.Powers(map[string]any{"tools": 3, "hooks": "x", "mcpServers": []any{1}}, func(string) bool { return false })
}

func TestSeen(t *testing.T) {
	t.Parallel()
	file, dir := filepath.Join(t.TempDir(), "pollux", "folders.json"), t.TempDir()
	if seen := trust.ReadSeen(file); seen.Knows(dir) || seen.Has(dir, "a") {
		t.Error("a missing file knows something")
	}
	for _, powers := range [][]string{{"a", "b"}, {"c"}, {}} {
		if err := trust.Remember(file, dir, powers); err != nil {
			t.Fatal(err)
		}
	}
	seen := trust.ReadSeen(file)
	for power, want := range map[string]bool{"a": true, "b": true, "c": true, "d": false} {
		if seen.Has(dir, power) != want {
			t.Errorf("%s was seen: %v", power, !want)
		}
	}
	if !seen.Knows(dir) || seen.Knows(filepath.Dir(dir)) || seen.Has(filepath.Join(dir, "sub"), "a") {
		t.Error("the record is not that of the folder alone")
	}
}
