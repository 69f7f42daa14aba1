package undo

import (
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/undo/content"
	"pollux/internal/undo/gitbase"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
	"pollux/internal/undo/tree"
)

// TestSameContent finds that a copy is the blob that a repository has got meanwhile, so that the file has not changed.
func TestSameContent(t *testing.T) {
	t.Parallel()
	base, err := store.Open(t.TempDir(), store.DefaultLimit).Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(base.Close)
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	taken, err := base.Take(t.Context(), path, content.Ways{Copy: true})
	if err != nil {
		t.Fatal(err)
	}
	k := &keeper{base: base}
	ref := func(id string) tree.Ref {
		parsed, err := gitbase.Parse(id)
		if err != nil {
			t.Fatal(err)
		}
		return tree.Ref{Source: inGit, Number: k.blobs.add("/r/.git/objects", parsed)}
	}
	copied := tree.Ref{Source: inBase, Number: taken.Number}
	hello := ref("ce013625030ba8dba906f756967f9e9ca394464a") // as git hash-object prints it
	again := ref("ce013625030ba8dba906f756967f9e9ca394464a")
	other := ref("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")
	for _, c := range []struct {
		a, b tree.Ref
		want bool
	}{{copied, hello, true}, {hello, copied, true}, {hello, again, true}, {copied, other, false}, {other, copied, false}, {hello, other, false}} {
		if got := k.IsEqual(c.a, c.b); got != c.want {
			t.Errorf("%v and %v are equal: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// TestRefuse takes nothing from a repository of which an object was not kept.
func TestRefuse(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	objects := filepath.Join(dir, ".git", "objects")
	if err := os.MkdirAll(filepath.Join(objects, "pack"), 0o700); err != nil {
		t.Fatal(err)
	}
	base, err := store.Open(filepath.Join(dir, "undo"), store.DefaultLimit).Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(base.Close)
	r := New(Options{})
	r.keep = &keeper{base: base, roots: func() []string { return []string{dir} }}
	file := func(source uint8) tree.Version {
		return tree.Version{State: state.State{Kind: state.Regular, Size: 5}, Ref: tree.Ref{Source: source}}
	}
	r.checkObject(filepath.Join(objects, "ab", "cdef"), file(inBase))
	r.checkObject(filepath.Join(objects, "info", "packs"), file(tooLarge))
	if !r.keep.mayLink(objects) {
		t.Fatal("refused without a reason")
	}
	r.checkObject(filepath.Join(objects, "pack", "x.pack"), file(tooLarge))
	if r.keep.mayLink(objects) || !r.thinned[objects] {
		t.Error("not refused")
	}
}
