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

// A path that a person has permitted can be read with all below it, except secrets, and not be written. Its neighbours, and the
// target of a link that leads out of it, cannot be read.
func TestPermit(t *testing.T) {
	t.Parallel()
	outside := RealPath(t.TempDir())
	at := func(name string) string { return filepath.Join(outside, name) }
	for _, name := range []string{"one.txt", "two.txt", "dir/below/x", "dir/.env", "dir/.git/config"} {
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(at("two.txt"), at("dir/link")); err != nil {
		t.Fatal(err)
	}
	w, _ := New(Options{Root: t.TempDir()})
	for _, name := range []string{"one.txt", "dir"} {
		real, ok := w.Outside(at(name))
		if !ok || real != at(name) {
			t.Fatalf("Outside(%s) = %s, %v", name, real, ok)
		}
		w.Permit(real)
		if _, ok := w.Outside(real); ok {
			t.Errorf("%s is still outside", name)
		}
	}
	for name, want := range map[string]bool{"one.txt": true, "two.txt": false, "dir/below/x": true, "dir/.env": false, "dir/.git/config": false, "dir/link": false} {
		if err := w.CheckRead(at(name)); (err == nil) != want {
			t.Errorf("CheckRead(%s) = %v", name, err)
		}
		f, err := w.confined().Open(at(name))
		if (err == nil) != want {
			t.Errorf("Open(%s): %v", name, err)
		}
		if err == nil {
			_ = f.Close()
		}
		if w.CheckWrite(at(name)) == nil || w.confined().Write(at(name), nil) == nil {
			t.Errorf("%s may be written", name)
		}
	}
}
