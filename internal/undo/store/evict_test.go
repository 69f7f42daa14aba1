package store

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pollux/internal/undo/content"
)

func numbersOf(t *testing.T, s *Store) []int {
	t.Helper()
	numbers, err := s.Numbers()
	if err != nil {
		t.Fatal(err)
	}
	return numbers
}

// TestEvictBytes lets the oldest operations leave when the contents take too much space.
func TestEvictBytes(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir(), 100)
	b := openBase(t, s)
	for i := range 5 {
		add(t, b, fmt.Sprint(i), strings.Repeat("x", 40))
	}
	if got := numbersOf(t, s); !slices.Equal(got, []int{4, 5}) {
		t.Errorf("operations %v", got)
	}
	add(t, b, "large", strings.Repeat("x", 1000))
	if got := numbersOf(t, s); !slices.Equal(got, []int{6}) {
		t.Errorf("operations %v with one over the limit", got)
	}
	other := openBase(t, s) // another process goes on with the numbers
	if o := add(t, other, "next", "x"); o.Number != 7 {
		t.Errorf("number %d", o.Number)
	}
	if got := numbersOf(t, s); !slices.Equal(got, []int{7}) {
		t.Errorf("operations %v", got)
	}
	if n, bytes := s.Usage(); n != 1 || bytes != 1 {
		t.Errorf("%d operations, %d bytes", n, bytes)
	}
}

// TestEvictNumber lets the oldest operation leave when there are too many.
func TestEvictNumber(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir(), DefaultLimit)
	b := openBase(t, s)
	record, err := (&Operation{Header: Header{Kind: Call}}).format()
	if err != nil {
		t.Fatal(err)
	}
	for n := range most {
		if err := os.Mkdir(s.path(n+1), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.record(n+1), record, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		add(t, b, "", "x")
	}
	got := numbersOf(t, s)
	if len(got) != most || got[0] != 4 || got[most-1] != most+3 {
		t.Errorf("%d operations, from %d to %d", len(got), got[0], got[len(got)-1])
	}
}

// TestShared lets an operation leave whose content another one has, too.
func TestShared(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir(), 100)
	b := openBase(t, s)
	first := add(t, b, "first", strings.Repeat("x", 60))
	w, err := b.Begin()
	if err != nil {
		t.Fatal(err)
	}
	before := first.Changes[0].Before
	name, err := w.Share(s.Content(1, before.Content), before.State.Size)
	if err != nil {
		t.Fatal(err)
	}
	before.Content = name
	if err := w.Commit(&Operation{Changes: []Change{{Path: "/file", Before: before}}}); err != nil {
		t.Fatal(err)
	}
	if got := numbersOf(t, s); !slices.Equal(got, []int{2}) {
		t.Fatalf("operations %v", got)
	}
	data, err := os.ReadFile(s.Content(2, name))
	if err != nil || string(data) != strings.Repeat("x", 60) {
		t.Errorf("content %q, error %v", data, err)
	}
}

// TestCannotLeave has an oldest operation that cannot be removed, on a full disk: that ends.
func TestCannotLeave(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir(), DefaultLimit)
	b := openBase(t, s)
	add(t, b, "first", "x")
	if err := os.RemoveAll(b.dir); err != nil { // so that it has no place to go
		t.Fatal(err)
	}
	if err := os.WriteFile(b.dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if b.room() {
		t.Error("there is room, though nothing has left")
	}
}

// TestAbort leaves nothing of an operation that is not completed.
func TestAbort(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir(), DefaultLimit)
	b := openBase(t, s)
	w, err := b.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Take(t.Context(), t.TempDir()); err == nil {
		t.Error("the content of a directory was taken")
	}
	w.Abort()
	if entries, err := os.ReadDir(b.dir); err != nil || len(entries) != 1 || len(numbersOf(t, s)) != 0 {
		t.Errorf("entries %v, error %v", entries, err)
	}
	taken, err := b.Take(t.Context(), s.Dir(), content.Ways{Copy: true, Link: true})
	if err == nil {
		t.Errorf("taken %+v", taken)
	}
}
