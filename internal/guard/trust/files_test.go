package trust_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/config"
	"pollux/internal/guard/trust"
)

// Files are the scripts that settings of any layer run, and not the data that they read.
func TestFiles(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(home, ".gemini", "settings.json"): `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "sh guard.sh notes.txt"}]}]}}`,
		filepath.Join(dir, ".gemini", "settings.json"):  `{"mcpServers": {"s": {"command": "python3", "args": ["tools/serve.py"]}}, "tools": {"discoveryCommand": "./none.sh"}}`,
		filepath.Join(dir, "guard.sh"):                  "#!/bin/sh\n",
		filepath.Join(dir, "notes.txt"):                 "words",
		filepath.Join(dir, "tools", "serve.py"):         "pass",
		filepath.Join(dir, "other.sh"):                  "#!/bin/sh\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := config.NewEnv("GEMINI_CLI_HOME=" + home)
	s, _, err := config.Load(config.Sources{Paths: config.NewPaths(env, dir), Env: env})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, "guard.sh"), filepath.Join(dir, "tools", "serve.py")}
	if diff := cmp.Diff(want, trust.Files(s, dir)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
