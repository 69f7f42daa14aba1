package slash

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/subagent"
)

// TestAgentsConfig checks that /agents config changes the user's settings, keeps their comments, and uses the
// settings at once.
func TestAgentsConfig(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{settings: "{\n  // mine\n  \"agents\": {}\n}\n"})
	for _, step := range []struct{ args, want string }{
		{"max_turns 7", "Set max_turns of generalist to 7 in "},
		{"timeout_mins 1.5", "Set timeout_mins of generalist to 1.5"},
		{"temperature 0", "Set temperature of generalist to 0 in"},
		{"model gemini-2.5-pro", `Set model of generalist to "gemini-2.5-pro"`},
		{"enabled false", "Set enabled of generalist to false"},
		{"temperature default", "Removed temperature of generalist from"},
		{"temperature default", "temperature of generalist is not set in"},
	} {
		d.wantText("/agents config generalist "+step.args, step.want)
	}
	for _, step := range []struct{ args, want string }{
		{"", "Usage: /agents config <agent-name> [<setting> <value>]"},
		{"missing max_turns 3", `There is no agent "missing"`},
		{"generalist color red", `has no setting "color". Settings: enabled, model, temperature, max_turns, timeout_mins.`},
		{"generalist max_turns", "Enter a value for max_turns: a whole number from 1 to 10000, or default."},
		{"generalist max_turns 0", "max_turns must be a whole number from 1 to 10000."},
		{"generalist max_turns 1.5", "max_turns must be"},
		{"generalist timeout_mins 1441", "timeout_mins must be"},
		{"generalist timeout_mins NaN", "timeout_mins must be"},
		{"generalist temperature 3", "temperature must be"},
		{"generalist enabled yes", "enabled must be true or false."},
	} {
		d.wantFailure("/agents config "+step.args, step.want)
	}
	i := slices.IndexFunc(d.Session.Agents.Set().All(), func(d *subagent.Definition) bool { return d.Name == "generalist" })
	agent := d.Session.Agents.Set().All()[i]
	if agent.MaxTurns != 7 || agent.Timeout.Seconds() != 90 || agent.Model != "gemini-2.5-pro" || agent.Settings["temperature"] != nil || !d.Session.Agents.Set().IsDisabled("generalist") {
		t.Errorf("%+v", agent)
	}
	text, err := os.ReadFile(filepath.Join(d.home, ".gemini", "settings.json"))
	if err != nil || !strings.Contains(string(text), "// mine") {
		t.Errorf("%s, %v", text, err)
	}

	d.answers = []string{"model", "inherit"}
	d.wantText("/agents config generalist", `Set model of generalist to "inherit"`)
	if shown := d.asked[0].Text; !strings.Contains(shown, "max_turns     7") || !strings.Contains(shown, "model         gemini-2.5-pro") {
		t.Error(shown)
	}
	for _, answers := range [][]string{nil, {"Nothing"}, {"max_turns"}} {
		d.answers = answers
		d.wantText("/agents config generalist", "The agent is unchanged.")
	}
}

// TestAgentsConfigOverruled checks that a change without an effect is an error.
func TestAgentsConfigOverruled(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{before: func(dir string) {
		if err := os.MkdirAll(filepath.Join(dir, ".gemini"), 0o700); err != nil {
			t.Fatal(err)
		}
		text := `{"agents": {"overrides": {"generalist": {"runConfig": {"maxTurns": 3}}}}}`
		if err := os.WriteFile(filepath.Join(dir, ".gemini", "settings.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}})
	d.wantFailure("/agents config generalist max_turns 7", "Agent 'generalist' stays as it is, because other settings")
}
