package session

import (
	"testing"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
)

func TestRefuseSandbox(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		setting any
		env     string
		refused bool
	}{
		{nil, "", false},
		{true, "", true},
		{false, "", false},
		{"docker", "", true},
		{"false", "", false},
		{map[string]any{"enabled": true}, "", true},
		{map[string]any{"command": "docker"}, "", false},
		{true, "SANDBOX=inside", false},
		{true, "GEMINI_SANDBOX=false", false},
	} {
		home := t.TempDir()
		env := config.NewEnv("HOME="+home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+home+"/none/s.json", tt.env)
		p := project.New(project.Options{
			Dir: home, Env: env, Folder: trust.Trusted, Flags: map[string]any{"tools.sandbox": tt.setting},
		})
		if err := p.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := exit.OK
		if tt.refused {
			want = exit.Sandbox
		}
		if err := p.RefuseSandbox(); exit.CodeOf(err) != want {
			t.Errorf("%v, %s: got %v", tt.setting, tt.env, err)
		}
	}
}
