//go:build unix

package extension

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipes checks that files of an extension that are pipes do not block a start.
func TestPipes(t *testing.T) {
	t.Parallel()
	dir := write(t, t.TempDir(), map[string]string{
		"a/gemini-extension.json": `{"name": "a", "version": "1", "settings": [{"envVar": "A"}]}`,
		"b/README":                "",
	})
	for _, name := range []string{enablementName, "a/GEMINI.md", "a/.env", "a/" + InstallName, "b/" + ManifestName} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, warnings := load(t, dir, Options{})
	if len(list) != 1 || list[0].IsActive || len(warnings) != 3 {
		t.Errorf("%v, %q", list, warnings)
	}
	if err := os.Remove(filepath.Join(dir, enablementName)); err != nil {
		t.Fatal(err)
	}
	if list, warnings = load(t, dir, Options{}); !list[0].IsActive || len(warnings) != 3 {
		t.Errorf("%v, %q", list, warnings)
	}
}
