package session_test

import (
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/config"
)

// home is a user's home directory, a directory to work in and the environment.
type home struct {
	t         *testing.T
	path, dir string
	env       *config.Env
}

func newHome(t *testing.T) *home {
	t.Helper()
	h := &home{t: t}
	for _, dir := range []*string{&h.path, &h.dir} {
		real, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		*dir = real
	}
	h.env = config.NewEnv("HOME="+h.path, "PATH="+os.Getenv("PATH"), "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+h.path+"/none.json")
	return h
}

func (h *home) file(path, text string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}
