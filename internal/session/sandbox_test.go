package session

import (
	"os"
	"path/filepath"
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
		file    string // of the project's variables
		refused bool
	}{
		{nil, "", "", false},
		{true, "", "", true},
		{false, "", "", false},
		{"docker", "", "", true},
		{"false", "", "", false},
		{map[string]any{"enabled": true}, "", "", true},
		{map[string]any{"command": "docker"}, "", "", false},
		{true, "SANDBOX=inside", "", false},
		{true, "GEMINI_SANDBOX=false", "", false},
		{nil, "GEMINI_SANDBOX=docker", "", true},
		{nil, "SANDBOX=inside", "GEMINI_SANDBOX=docker", false},
		{nil, "", "GEMINI_SANDBOX=docker", true},
		{true, "", "GEMINI_SANDBOX=false", false},
		// A project does not decide whether Pollux is inside a sandbox.
		{true, "", "SANDBOX=inside", true},
		{nil, "GEMINI_SANDBOX=docker", "SANDBOX=inside", true},
	} {
		home, dir := t.TempDir(), t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ".env"), []byte(tt.file), 0o600); err != nil {
			t.Fatal(err)
		}
		env := config.NewEnv("HOME="+home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+home+"/none/s.json", tt.env)
		p := project.New(project.Options{
			Dir: dir, Env: env, Folder: trust.Trusted, Flags: map[string]any{"tools.sandbox": tt.setting},
		})
		if err := p.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.ReadEnv()
		want := exit.OK
		if tt.refused {
			want = exit.Sandbox
		}
		if err := p.RefuseSandbox(); exit.CodeOf(err) != want {
			t.Errorf("%v, %s, .env %s: got %v", tt.setting, tt.env, tt.file, err)
		}
	}
}
