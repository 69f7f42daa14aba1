package watch

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func open(t *testing.T) *Watcher {
	t.Helper()
	w, err := Open()
	if err != nil {
		t.Skipf("SKIPPED: nothing can be watched here: %v", err)
	}
	t.Cleanup(w.Close)
	return w
}

// TestOverflow reports once that changes are missing.
func TestOverflow(t *testing.T) {
	t.Parallel()
	w := open(t)
	event := make([]byte, unix.SizeofInotifyEvent)
	binary.NativeEndian.PutUint32(event, ^uint32(0)) // it belongs to no directory
	binary.NativeEndian.PutUint32(event[4:], unix.IN_Q_OVERFLOW)
	w.mu.Lock()
	w.take(event)
	w.mu.Unlock()
	if _, isLost := w.Drain(); !isLost {
		t.Error("not reported")
	}
	if _, isLost := w.Drain(); isLost {
		t.Error("reported twice")
	}
}

// TestNames names the entries that have changed, in any bytes, until the watch is removed.
func TestNames(t *testing.T) {
	t.Parallel()
	w, dir := open(t), t.TempDir()
	below := filepath.Join(dir, "below")
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{dir, below} {
		if err := w.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	touch := func(path string) {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	touch(filepath.Join(dir, "a\xff\n"))
	touch(filepath.Join(below, "b"))
	got, isLost := w.Drain()
	want := Changes{dir: {"a\xff\n": true}, below: {"b": true}}
	if diff := cmp.Diff(want, got); diff != "" || isLost {
		t.Errorf("changes (-want +got), lost %v:\n%s", isLost, diff)
	}
	w.Remove(below)
	w.Drain()
	touch(filepath.Join(below, "c"))
	if got, _ := w.Drain(); len(got) != 0 {
		t.Errorf("changes %v after the watch was removed", got)
	}
	if err := w.Add(filepath.Join(dir, "a\xff\n")); err == nil {
		t.Error("a file is watched")
	}
	if err := os.Symlink(below, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := w.Add(filepath.Join(dir, "link")); err == nil {
		t.Error("a link is followed")
	}
}
