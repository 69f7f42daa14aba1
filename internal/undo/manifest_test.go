package undo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/undo/content"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
	"pollux/internal/undo/tree"
)

// entries are all kinds of entries of a manifest.
func entries() []known {
	v := func(s state.State, source uint8, number uint32) tree.Version {
		return tree.Version{State: s, Ref: tree.Ref{Source: source, Number: number}}
	}
	return []known{
		{root: "/one", version: v(state.State{Kind: state.Directory, Mode: 0o755}, 0, 0)},
		{root: "/one", path: "a", version: v(state.State{Kind: state.Regular, Mode: 0o4755, Size: 1 << 40, Modified: -5, Changed: 1 << 60, Device: 1 << 63, Inode: 7, Owner: 1 << 31, Group: 3}, inBase, 1<<31), kept: content.Kept{Way: content.Copied, Sum: content.Sum{1, 31: 2}}},
		{root: "/one", path: "b\xff\n", version: v(state.State{Kind: state.Link, Size: 3}, inTargets, 0), target: "../\xfe"},
		{root: "/two", path: "c", version: v(state.State{}, 0, 0)},
		{root: "/two", path: "d", version: v(state.State{Kind: state.Regular, Size: 1}, inBase, 3), kept: content.Kept{Way: content.Linked}},
	}
}

func write(t testing.TB, list []known) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "manifest")
	m, err := createManifest(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range list {
		if err := m.add(k); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(m.flush(), m.file.Close()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func read(data []byte) (list []known) {
	readManifest(bytes.NewReader(data), func(k known) { list = append(list, k) })
	return list
}

func isEqual(a, b []known) bool {
	return slices.EqualFunc(a, b, func(x, y known) bool { return x == y })
}

// TestManifestDamage cuts a manifest at each byte, and flips each byte of it. The entries before it are read, and no
// other ones.
func TestManifestDamage(t *testing.T) {
	t.Parallel()
	want := entries()
	whole := write(t, want)
	if got := read(whole); !isEqual(got, want) {
		t.Fatalf("entries (-want +got):\n%s", cmp.Diff(want, got, cmp.AllowUnexported(known{})))
	}
	for n := range whole {
		cut := read(whole[:n])
		if len(cut) >= len(want) || !isEqual(cut, want[:len(cut)]) {
			t.Errorf("cut at %d: %d entries", n, len(cut))
		}
		for _, bit := range []byte{1, 0x80} {
			flipped := slices.Clone(whole)
			flipped[n] ^= bit
			if got := read(flipped); len(got) >= len(want) || len(got) < len(cut) || !isEqual(got, want[:len(got)]) {
				t.Errorf("bit %#x of byte %d: %d entries", bit, n, len(got))
			}
		}
	}
}

// TestRecoverDamaged recovers from bases in which anything stands: there is no panic, no wrong operation, and the base
// is gone after it.
func TestRecoverDamaged(t *testing.T) {
	t.Parallel()
	note := func(size int) []byte {
		return fmt.Appendf(nil, `{"Header":{"kind":"call"},"IsAnywhere":true,"Known":%d}`+"\n", size)
	}
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	version := func(path string) tree.Version {
		now, err := state.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		return tree.Version{State: now}
	}
	whole := write(t, []known{{root: root, version: version(root)}, {root: root, path: "mine", version: version(root + "/mine")}})
	sized := note(len(whole))
	own := fmt.Appendf(nil, `{"Header":{"kind":"call"},"Own":%d}`+"\n", len(whole))
	cut := whole[:len(whole)-1]
	for name, files := range map[string]struct{ note, manifest []byte }{
		"cut":                  {sized, cut},
		"whole":                {sized, whole},
		"lost":                 {sized, nil},
		"its own cut":          {slices.Concat(own, cut), nil},
		"its own lost":         {own, nil},
		"an empty note":        {[]byte("\n"), nil},
		"a note of garbage":    {[]byte("{"), write(t, entries())},
		"no manifest":          {note(0), nil},
		"an empty manifest":    {note(0), []byte{}},
		"garbage":              {nil, bytes.Repeat([]byte{0xff}, 100)},
		"a path that leads up": {nil, write(t, []known{{root: root + "/x", version: tree.Version{State: state.State{Kind: state.Directory}}}, {root: root + "/x", path: "../mine"}})},
		"a relative root":      {nil, write(t, []known{{root: "x", version: tree.Version{State: state.State{Kind: state.Regular}}}})},
		"no root":              {nil, write(t, []known{{path: "x", version: tree.Version{State: state.State{Kind: state.Regular}}}})},
		"another's content":    {nil, write(t, []known{{root: root + "/gone", version: tree.Version{State: state.State{Kind: state.Regular, Size: 3}, Ref: tree.Ref{Source: inBase, Number: 77}}, kept: content.Kept{Way: content.Linked}}})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := store.Open(t.TempDir(), store.DefaultLimit)
			if files.note == nil {
				files.note = note(len(files.manifest))
			}
			dir := leave(t, s, files.note, files.manifest)
			err := Recover(context.Background(), s, nil)
			list, damaged, listErr := s.List()
			t.Log(err, list)
			if len(damaged) > 0 || listErr != nil {
				t.Errorf("damaged %v, error %v", damaged, listErr)
			}
			for _, h := range list {
				o, err := s.Read(h.Number)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range o.Changes {
					if !filepath.IsAbs(c.Path) || c.Path == filepath.Join(root, "mine") {
						t.Errorf("change %+v", c)
					}
				}
			}
			if _, err := os.Lstat(dir); !os.IsNotExist(err) {
				t.Errorf("the base is still there: %v", err)
			}
			if err := Recover(context.Background(), s, nil); err != nil {
				t.Errorf("again: %v", err)
			}
		})
	}
}

// leave leaves the base of a process that was killed, with a note of a run and a manifest, nil for none.
func leave(t *testing.T, s *store.Store, note, manifest []byte) (dir string) {
	t.Helper()
	living, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer living.Close()
	if _, err := living.BeginRun(note); err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(filepath.Dir(living.File("")), "1-dead")
	err = os.CopyFS(dir, os.DirFS(living.File("")))
	if err == nil && manifest != nil {
		err = os.WriteFile(filepath.Join(dir, manifestFile), manifest, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// FuzzManifest checks that each entry that is read is written as the same entry.
func FuzzManifest(f *testing.F) {
	f.Add(write(f, entries()))
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0})
	for _, k := range entries() {
		f.Add(write(f, []known{k})[8:])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		read(data)
		k, ok := decodeKnown(data) // past the sum
		if !ok {
			return
		}
		m := &manifest{}
		again := m.encode(k)
		if same, ok := decodeKnown(again); !ok || same != k {
			t.Errorf("%+v became %+v", k, same)
		}
	})
}
