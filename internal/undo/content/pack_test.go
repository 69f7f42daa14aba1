package content_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pollux/internal/undo/content"
)

// TestPack reads the copies of several goroutines, after the pack is closed.
func TestPack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "pack")
	p := content.NewPack(path)
	type copied struct {
		data  []byte
		place uint32
	}
	list := make([]copied, 200)
	var running sync.WaitGroup
	for i := range list {
		running.Go(func() {
			c := &list[i]
			c.data = bytes.Repeat(fmt.Appendf(nil, "%d,", i), i*10+1)
			var err error
			if c.place, err = p.Add(c.data); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for i, c := range list {
		if got, err := read(path, c.place, int64(len(c.data))); err != nil || got != string(c.data) {
			t.Errorf("%d: %d bytes for %d, error %v", i, len(got), len(c.data), err)
		}
	}
}

// read returns the copy at a place of the pack at a path.
func read(path string, place uint32, size int64) (string, error) {
	at, err := content.Packed(path, place, size)
	if err != nil {
		return "", err
	}
	r, err := at.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	return string(data), err
}

// TestPackSpace checks that a file that grows a little each time takes the space of few copies, and that no copy that is
// still wanted is overwritten.
func TestPackSpace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pack")
	p := content.NewPack(path)
	t.Cleanup(func() { _ = p.Close() })
	add := func(text string) uint32 {
		t.Helper()
		place, err := p.Add([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return place
	}
	kept := map[string]uint32{}
	for size := 1; size <= content.MaxSmall; size += 777 {
		text := strings.Repeat("k", size)
		kept[text] = add(text)
	}
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	first := info.Size()
	last := ""
	for size := 20_000; size < 21_000; size++ {
		text := strings.Repeat(string(rune('a'+size%26)), size)
		place := add(text)
		if last != "" {
			p.Drop(kept[last], int64(len(last)))
			delete(kept, last)
		}
		kept[text], last = place, text
	}
	for text, place := range kept {
		if got, err := read(path, place, int64(len(text))); err != nil || got != text {
			t.Errorf("%d bytes for %d, error %v", len(got), len(text), err)
		}
	}
	if info, err = os.Lstat(path); err != nil || info.Size()-first > 6*21_000 {
		t.Errorf("%d bytes, and then %v, error %v", first, info.Size(), err)
	}
}

// TestReadRefuses reads no file that is too large, is a link or is not there; a place has no copy that is too large for it,
// or is not whole.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	large, small, link := filepath.Join(dir, "large"), filepath.Join(dir, "small"), filepath.Join(dir, "link")
	for path, size := range map[string]int{large: content.MaxSmall + 1, small: 3} {
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(small, link); err != nil {
		t.Skip("NOT TESTED: links cannot be made: ", err)
	}
	for _, path := range []string{large, link, filepath.Join(dir, "none"), dir} {
		if data, k, err := content.Read(t.Context(), path); err == nil {
			t.Errorf("%s was read: %q, %+v", path, data, k)
		}
	}
	data, k, err := content.Read(t.Context(), small)
	if err != nil || string(data) != "\x00\x00\x00" || k.Way != content.Copied || k.Bytes != 3 || k.State.Size != 3 || k.Sum != sha256.Sum256(data) {
		t.Errorf("%q, %+v, error %v", data, k, err)
	}
	path := filepath.Join(dir, "pack")
	p := content.NewPack(path)
	place, err := p.Add(data)
	if err := errors.Join(err, p.Close()); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []struct {
		place uint32
		size  int64
	}{{place, content.MaxSmall + 1}, {place, 0}, {place, -1}, {place, 4}, {place + 1, 3}, {1<<31 - 1, 1}} {
		at, err := content.Packed(path, bad.place, bad.size)
		if err == nil && at.Has(bad.size) {
			t.Errorf("%+v is there", bad)
		}
	}
	if at, err := content.Packed(path, place, 3); err != nil || !at.Has(3) || at.Has(2) || at.IsFile() {
		t.Errorf("place %+v, error %v", at, err)
	}
}
