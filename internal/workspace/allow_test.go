package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

// A file of AllowRead can be read and not written; its neighbours, and a link in its place, cannot
// be read.
func TestAllowRead(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	log, link, other := filepath.Join(outside, "log"), filepath.Join(outside, "link"), filepath.Join(outside, "other")
	for _, path := range []string{log, other} {
		if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	w, warnings := New(Options{Root: t.TempDir()})
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	w.AllowRead(func() []string { return []string{log, link} })
	for path, want := range map[string]bool{log: true, link: false, other: false, outside: false} {
		if err := w.CheckRead(path); (err == nil) != want {
			t.Errorf("CheckRead(%s) = %v", path, err)
		}
		f, err := w.confined().Open(path)
		if (err == nil) != want {
			t.Errorf("Open(%s): %v", path, err)
		}
		if err == nil {
			_ = f.Close()
		}
		if w.CheckWrite(path) == nil || w.confined().Write(path, nil) == nil {
			t.Errorf("%s may be written", path)
		}
	}
}
