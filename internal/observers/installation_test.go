package observers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/config"
)

func TestInstallation(t *testing.T) {
	t.Parallel()
	place := func() (*config.Paths, string) {
		p := config.NewPaths(config.NewEnv("HOME="+t.TempDir()), "/")
		return p, filepath.Join(p.RuntimeDir(), "installation_id")
	}
	p, file := place()
	id := installation(p)
	written, err := os.ReadFile(file)
	if len(id) != 36 || err != nil || string(written) != id || installation(p) != id {
		t.Errorf("the id is %q, the file has %q, %v", id, written, err)
	}
	if err := os.WriteFile(file, []byte("of-gemini-cli\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := installation(p); got != "of-gemini-cli" {
		t.Errorf("the id that is there is not used, but %q", got)
	}
	if err := os.WriteFile(file, []byte(strings.Repeat("x", 300)), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := installation(p); got != strings.Repeat("x", 100) {
		t.Errorf("a long id is %q", got)
	}

	p, file = place()
	if err := os.MkdirAll(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := installation(p); got != "123456789" {
		t.Errorf("where none can be read, the id is %q", got)
	}
}
