package workspace

import (
	"path/filepath"
	"strings"
	"testing"
)

// A file that Windows opens by another name passes no rule about that name.
func TestCheckAlias(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, _ := New(Options{Root: dir})
	if err := w.CheckWrite(w.Resolve("Makefile")); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"Makefile.", "Makefile::$DATA", "con", `sub.\x`} {
		for _, err := range []error{w.CheckRead(filepath.Join(dir, name)), w.CheckWrite(w.Resolve(name))} {
			if err == nil || !strings.Contains(err.Error(), "Windows opens another file") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
