package undo

import (
	"bytes"
	"context"
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
	if err := m.close(); err != nil {
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
	note := []byte(`{"Header":{"kind":"call"},"IsAnywhere":true}`)
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
	sized := fmt.Appendf(nil, `{"Header":{"kind":"call"},"IsAnywhere":true,"Known":%d}`, len(whole))
	own := fmt.Appendf(nil, `{"Header":{"kind":"call"},"Own":%d}`, len(whole))
	cut := whole[:len(whole)-1]
	for name, files := range map[string]map[string][]byte{
		"cut":                  {"run-1": sized, "manifest": cut},
		"whole":                {"run-1": sized, "manifest": whole},
		"lost":                 {"run-1": sized},
		"its own cut":          {"run-1": own, "paths-1": cut},
		"its own lost":         {"run-1": own},
		"an empty note":        {"run-1": {}},
		"a note of garbage":    {"run-1": []byte("{"), "manifest": write(t, entries())},
		"no manifest":          {"run-1": note},
		"an empty manifest":    {"run-1": note, "manifest": {}},
		"garbage":              {"run-1": note, "manifest": bytes.Repeat([]byte{0xff}, 100)},
		"a path that leads up": {"run-1": note, "manifest": write(t, []known{{root: root + "/x", version: tree.Version{State: state.State{Kind: state.Directory}}}, {root: root + "/x", path: "../mine"}})},
		"a relative root":      {"run-1": note, "manifest": write(t, []known{{root: "x", version: tree.Version{State: state.State{Kind: state.Regular}}}})},
		"no root":              {"run-1": note, "manifest": write(t, []known{{path: "x", version: tree.Version{State: state.State{Kind: state.Regular}}}})},
		"another's content":    {"run-1": note, "manifest": write(t, []known{{root: root + "/gone", version: tree.Version{State: state.State{Kind: state.Regular, Size: 3}, Ref: tree.Ref{Source: inBase, Number: 77}}, kept: content.Kept{Way: content.Linked}}})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := store.Open(t.TempDir(), store.DefaultLimit)
			dir := filepath.Join(s.Dir(), "bases", "1-dead")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for file, data := range files {
				if err := os.WriteFile(filepath.Join(dir, file), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
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
