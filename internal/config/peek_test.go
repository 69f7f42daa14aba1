package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPeek(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		theme      any
		err        string
	}{
		{"nothing", "", nil, ""},
		{"settings", `{"ui": {"theme": "Dark"}, /* */}`, "Dark", ""},
		{"broken", `{"ui": `, nil, "Error in "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, env := t.TempDir(), NewEnv("GEMINI_CLI_HOME="+t.TempDir())
			if tt.text != "" {
				if err := os.Mkdir(filepath.Join(dir, ".gemini"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, ".gemini", "settings.json"), []byte(tt.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s, err := PeekWorkspace(Sources{Paths: NewPaths(env, dir), Env: env})
			if (err != nil) != (tt.err != "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if s == nil {
				if tt.theme != nil {
					t.Error("nothing was found")
				}
				return
			}
			if theme, _ := s.Lookup("ui.theme"); theme != tt.theme {
				t.Errorf("theme = %v", theme)
			}
		})
	}
}
