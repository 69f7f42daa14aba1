package content_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pollux/internal/undo/content"
)

// TestPack reads what several goroutines have packed, after the pack is closed.
func TestPack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "pack")
	p := content.NewPack(path)
	type copied struct {
		data  []byte
		place uint32
		kept  content.Kept
	}
	list := make([]copied, 200)
	var running sync.WaitGroup
	for i := range list {
		running.Go(func() {
			c := &list[i]
			c.data = bytes.Repeat(fmt.Appendf(nil, "%d,", i), i*10+1)
			file := filepath.Join(dir, fmt.Sprint("file", i))
			err := os.WriteFile(file, c.data, 0o600)
			if err == nil {
				c.place, c.kept, err = p.Take(t.Context(), file)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for i, c := range list {
		r, err := content.ReadPacked(path, c.place, int64(len(c.data)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, c.data) || c.kept.Sum != sha256.Sum256(c.data) || c.kept.Bytes != int64(len(c.data)) || c.kept.Way != content.Packed {
			t.Errorf("%d: %d bytes for %d, %+v, error %v", i, len(got), len(c.data), c.kept, err)
		}
	}
}

// TestPackRefuses keeps no file that is too large, is a link or is not there, and reads nothing that is not whole.
func TestPackRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := content.NewPack(filepath.Join(dir, "pack"))
	large, small, link := filepath.Join(dir, "large"), filepath.Join(dir, "small"), filepath.Join(dir, "link")
	for path, size := range map[string]int{large: content.MaxPacked + 1, small: 3} {
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(small, link); err != nil {
		t.Skip("NOT TESTED: links cannot be made: ", err)
	}
	for _, path := range []string{large, link, filepath.Join(dir, "none")} {
		if _, _, err := p.Take(t.Context(), path); err == nil {
			t.Errorf("%s was packed", path)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "pack")); err == nil {
		t.Error("there is a pack without a copy")
	}
	place, _, err := p.Take(t.Context(), small)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []struct {
		place uint32
		size  int64
	}{{place, 4}, {place + 1, 3}, {1<<31 - 1, 1}, {place, content.MaxPacked + 1}} {
		if _, err := content.ReadPacked(filepath.Join(dir, "pack"), bad.place, bad.size); err == nil {
			t.Errorf("%+v was read", bad)
		}
	}
}
