package tree

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pollux/internal/undo/state"
)

// keeper keeps nothing, and knows no content.
type keeper struct{}

func (keeper) Enter(Scope, string, []state.Named) Scope { return nil }

func (keeper) Keep(_ context.Context, _ Scope, _ string, now state.State) (Version, error) {
	return Version{State: now}, nil
}

func (keeper) IsEqual(Ref, Ref) bool { return false }

func (keeper) IsLink(Ref) bool { return false }

func (keeper) Drop(Ref) {}

func readTree(t testing.TB, root string) *Tree {
	t.Helper()
	tree := New(root, Options{Keeper: keeper{}})
	if err := tree.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	return tree
}

// contents keeps the contents of files in memory.
type contents struct {
	keeper
	mu   sync.Mutex
	refs map[string]Ref
}

func (c *contents) Keep(_ context.Context, _ Scope, path string, now state.State) (Version, error) {
	text := ""
	if now.Kind == state.Link {
		text, _ = os.Readlink(path)
	} else {
		b, _ := os.ReadFile(path)
		text = string(b)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	ref, ok := c.refs[text]
	if !ok {
		ref = Ref{Source: 1, Number: uint32(len(c.refs))}
		c.refs[text] = ref
	}
	return Version{State: now, Ref: ref}, nil
}

func (c *contents) IsEqual(a, b Ref) bool { return a == b }

// TestRefreshAll changes a tree at random: a look at all of it finds the same as a new reading, and returns each path that
// has changed such that an undo would bring it back.
func TestRefreshAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		root := t.TempDir()
		options := Options{Keeper: &contents{refs: map[string]Ref{}}}
		tree := New(root, options)
		if err := tree.Read(t.Context()); err != nil {
			rt.Fatal(err)
		}
		for range rapid.IntRange(1, 8).Draw(rt, "looks") {
			checkLook(rt, tree, options, func() ([]Change, error) { return tree.RefreshAll(t.Context()) })
		}
	})
}

// checkLook changes a tree at random, and checks a look at it.
func checkLook(rt *rapid.T, tree *Tree, o Options, look func() ([]Change, error)) {
	before := maps.Collect(tree.All)
	for range rapid.IntRange(0, 4).Draw(rt, "changes") {
		changeAnything(rt, tree.Root())
	}
	changes, err := look()
	if err != nil {
		rt.Fatal(err)
	}
	after, fresh := maps.Collect(tree.All), New(tree.Root(), o)
	if err := fresh.Read(rt.Context()); err != nil {
		rt.Fatal(err)
	}
	if diff := cmp.Diff(maps.Collect(fresh.All), after); diff != "" {
		rt.Fatalf("tree (-want +got):\n%s", diff)
	}
	if tree.Len() != len(after) {
		rt.Fatalf("%d entries, want %d", tree.Len(), len(after))
	}
	var got, want []string
	for _, c := range changes {
		if c.Before != before[c.Path] || c.After != after[c.Path] {
			rt.Fatalf("change %+v", c)
		}
		got = append(got, c.Path)
	}
	for path := range union(before, after) {
		a, b := before[path], after[path]
		if a.Ref != b.Ref || !a.State.IsSame(b.State) && !a.State.HasContent(b.State) {
			want = append(want, path)
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		rt.Fatalf("changes %q, want %q", got, want)
	}
}

// changeAnything changes a path of a small tree, if it can.
func changeAnything(rt *rapid.T, root string) {
	names := []string{"a", "b", "d", "d/a", "d/b", "d/d", "d/d/a", "e", "e/a"}
	path := filepath.Join(root, rapid.SampledFrom(names).Draw(rt, "name"))
	other := filepath.Join(root, rapid.SampledFrom(names).Draw(rt, "other"))
	switch rapid.IntRange(0, 6).Draw(rt, "what") {
	case 0, 1:
		_ = os.WriteFile(path, []byte(rapid.SampledFrom([]string{"one", "two", "six"}).Draw(rt, "text")), 0o600)
	case 2, 3:
		_ = os.MkdirAll(path, 0o700)
	case 4:
		_ = os.RemoveAll(path)
	case 5:
		_ = os.Rename(path, other)
	case 6:
		_ = os.Symlink("a", path)
	}
}

func union(before, after map[string]Version) map[string]bool {
	all := map[string]bool{}
	for path := range before {
		all[path] = true
	}
	for path := range after {
		all[path] = true
	}
	return all
}

// TestList lists the entries of a directory again if it has changed, or may have, and only then.
func TestList(t *testing.T) {
	t.Parallel()
	for _, mayHave := range []bool{true, false} {
		root := t.TempDir()
		dir := filepath.Join(root, "d", "e")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		soon := time.Now().Add(time.Minute) // however long it takes until the tree is read
		for _, path := range []string{dir, filepath.Dir(dir), root} {
			if err := os.Chtimes(path, soon, soon); err != nil {
				t.Fatal(err)
			}
		}
		tree := readTree(t, root)
		if err := os.WriteFile(filepath.Join(dir, "a"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		last := &tree.dirs["d"].nodes[0]
		for path, n := range map[string]*node{root: &tree.top, filepath.Dir(dir): &tree.dirs[""].nodes[0], dir: last} {
			now, err := state.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			if !n.racy {
				t.Errorf("%s was not made just now", path)
			}
			n.State, n.racy = now, false // as if the clock had stood still
		}
		last.racy = mayHave
		changes, err := tree.RefreshAll(t.Context())
		if err != nil || (len(changes) == 1) != mayHave {
			t.Errorf("changes %+v, error %v", changes, err)
		}
	}
}

// TestLoaded lists all directories of a tree that another process has read.
func TestLoaded(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "d", "e"), 0o700); err != nil {
		t.Fatal(err)
	}
	all := map[string]Version{}
	read := func() {
		for path, v := range readTree(t, root).All {
			if v.State.Kind == state.Directory {
				all[path] = v
			}
		}
	}
	read()
	for _, path := range []string{"a", "d/a", "d/e/a"} {
		if err := os.WriteFile(filepath.Join(root, path), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read() // the states of the directories are those after it
	changes, err := Load(root, Options{Keeper: keeper{}}, all).RefreshAll(t.Context())
	var got []string
	for _, c := range changes {
		got = append(got, c.Path)
	}
	if err != nil || strings.Join(got, " ") != "a d/a d/e/a" {
		t.Errorf("changes %q, error %v", got, err)
	}
}

// TestInPlace finds a file that has changed in a directory whose entries are the same ones.
func TestInPlace(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(s *state.State){
		"nothing": func(*state.State) {}, "time": func(s *state.State) { s.Modified-- }, "other time": func(s *state.State) { s.Changed-- },
		"mode": func(s *state.State) { s.Mode = 0o644 }, "file": func(s *state.State) { s.Inode++ }, "kind": func(s *state.State) { s.Kind = state.Link },
	} {
		tree := readTree(t, root)
		n := &tree.dirs[""].nodes[0]
		tree.top.racy, n.racy = false, false
		change(&n.State)
		if changes, err := tree.RefreshAll(t.Context()); err != nil || (len(changes) == 1) != (what != "nothing" && what != "other time") {
			t.Errorf("%s: changes %+v, error %v", what, changes, err)
		}
		if now, err := state.Read(filepath.Join(root, "a")); err != nil || tree.Find("a").State != now {
			t.Errorf("%s: state %+v, want %+v, error %v", what, tree.Find("a").State, now, err)
		}
	}
}

// links keeps files by other names of theirs, which changes the states of the files.
type links struct {
	keeper
	dir   string
	count atomic.Int32
}

func (l *links) Keep(_ context.Context, _ Scope, path string, _ state.State) (Version, error) {
	number := uint32(l.count.Add(1))
	place := filepath.Join(l.dir, fmt.Sprint(number))
	if err := os.Link(path, place); err != nil {
		return Version{}, err
	}
	now, err := state.Read(place)
	return Version{State: now, Ref: Ref{Source: 1, Number: number}}, err
}

func (l *links) IsEqual(Ref, Ref) bool { return true }

func (l *links) IsLink(r Ref) bool { return r.Source == 1 }

func (l *links) Drop(r Ref) { _ = os.Remove(filepath.Join(l.dir, fmt.Sprint(r.Number))) }

// TestLinked checks that a file which is kept by another name is not kept again at each look, unless it has changed.
func TestLinked(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	l := &links{dir: t.TempDir()}
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(root, "a"), filepath.Join(l.dir, "try")); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	tree := New(root, Options{Keeper: l})
	if err := tree.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	look := func(what string, changes, kept int) {
		t.Helper()
		list, err := tree.RefreshAll(t.Context())
		if err != nil || len(list) != changes || int(l.count.Load()) != kept {
			t.Errorf("%s: %v, and %d files were kept: %v", what, list, l.count.Load(), err)
		}
		tree.Settle()
	}
	look("nothing", 0, 2)
	look("nothing again", 0, 2)
	if err := os.Link(filepath.Join(root, "a"), filepath.Join(l.dir, "another")); err != nil {
		t.Fatal(err)
	}
	look("a third name", 0, 2)
	if err := os.Chmod(filepath.Join(root, "a"), 0o600); err != nil {
		t.Fatal(err)
	}
	look("the mode", 1, 3)
	if err := os.WriteFile(filepath.Join(root, "b"), []byte("longer"), 0o644); err != nil {
		t.Fatal(err)
	}
	look("the content", 1, 4)
}
