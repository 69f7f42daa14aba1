package subagent

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// TestScratchpad checks that the investigator keeps a scratchpad only where the user wants one.
func TestScratchpad(t *testing.T) {
	t.Parallel()
	for _, want := range []bool{true, false} {
		for _, d := range Builtins(want) {
			if got := strings.Contains(d.Prompt, "<scratchpad>"); got != (want && d.Name == "codebase_investigator") {
				t.Errorf("%s keeps a scratchpad: %v", d.Name, got)
			}
		}
	}
}

// TestReadOverrides checks that a value of a wrong type does not lose the other values.
func TestReadOverrides(t *testing.T) {
	t.Parallel()
	var entries map[string]json.RawMessage
	const text = `{"a": {"enabled": "maybe", "runConfig": {"maxTurns": 3}}, "b": {"runConfig": {"maxTurns": "many", "maxTimeMinutes": 2}, "enabled": false}, "c": 7, "d": {"enabled": false},
		"e": {"runConfig": {"maxTurns": 0, "maxTimeMinutes": -1}}}`
	if err := json.Unmarshal([]byte(text), &entries); err != nil {
		t.Fatal(err)
	}
	overrides, warnings := ReadOverrides(entries)
	const want = `Warning: Ignoring agents.overrides.a.enabled: it is a string, and must be true or false.
Warning: Ignoring agents.overrides.b.runConfig.maxTurns: it is a string, and must be a whole number.
Warning: Ignoring agents.overrides.c: it is a number, and must be an object.
Warning: Ignoring agents.overrides.e.runConfig.maxTurns: it must be greater than 0.
Warning: Ignoring agents.overrides.e.runConfig.maxTimeMinutes: it must be greater than 0.`
	if got := strings.Join(warnings, "\n"); got != want {
		t.Error(got)
	}
	var list []*Definition
	for _, name := range []string{"a", "b", "c", "d"} {
		list = append(list, &Definition{Name: name, Kind: LocalKind, MaxTurns: DefaultTurns, Timeout: DefaultTimeout})
	}
	set, _ := NewSet(list, overrides)
	for name, isDisabled := range map[string]bool{"a": false, "b": true, "c": false, "d": true} {
		if set.IsDisabled(name) != isDisabled {
			t.Errorf("%s is disabled: %v", name, !isDisabled)
		}
	}
	if set.find("a").MaxTurns != 3 || set.find("b").MaxTurns != DefaultTurns || set.find("b").Timeout != 2*time.Minute {
		t.Errorf("%+v %+v", set.find("a"), set.find("b"))
	}
}
