package store

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
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
	record, err := (&Operation{Header: Header{Kind: Call}}).format(nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range most {
		if err := os.Mkdir(s.path(n+1), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.File(n+1, recordFile), record, 0o600); err != nil {
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
	for _, size := range []int{60, content.MaxSmall + 1} {
		s := Open(t.TempDir(), int64(size)+40)
		b := openBase(t, s)
		text := strings.Repeat("x", size)
		first := add(t, b, "first", text)
		w := b.Begin()
		before := first.Changes[0].Before
		name, err := w.Share(first.Place(before.Content), before.State.Size)
		if err != nil {
			t.Fatal(err)
		}
		before.Content = name
		o := &Operation{Changes: []Change{{Path: "/file", Before: before}}}
		if err := w.Commit(o); err != nil {
			t.Fatal(err)
		}
		if got := numbersOf(t, s); !slices.Equal(got, []int{2}) {
			t.Fatalf("operations %v", got)
		}
		if got := readPlace(t, o.Place(name)); got != text {
			t.Errorf("%d bytes for %d", len(got), size)
		}
	}
}

func readPlace(t *testing.T, p content.Place) string {
	t.Helper()
	f, err := p.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestCannotLeave has an oldest operation that cannot be removed, on a full disk: that ends.
func TestCannotLeave(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir(), DefaultLimit)
	add(t, openBase(t, s), "first", "x")
	b := openBase(t, s)
	if err := os.RemoveAll(b.dir); err != nil { // so that it has no place to go
		t.Fatal(err)
	}
	if err := os.WriteFile(b.dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if b.room(1) {
		t.Error("there is room, though nothing has left")
	}
}

// TestFullDisk keeps contents on a full disk. Only operations from before the base leave, and only if that makes room.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir(), DefaultLimit)
	before := openBase(t, s)
	for range 3 {
		add(t, before, "before", strings.Repeat("x", 10_000))
	}
	b := openBase(t, s)
	add(t, b, "now", strings.Repeat("x", 100_000))
	take := func(size, failures int64) error {
		_, err := b.take(func() int64 { return size }, func() (Taken, error) {
			if failures--; failures >= 0 {
				return Taken{}, syscall.ENOSPC
			}
			return Taken{}, nil
		})
		return err
	}
	for _, tt := range []struct {
		size, failures int64
		isKept         bool
		want           []int
	}{
		{1 << 20, 1, false, []int{1, 2, 3, 4}}, // there is not so much
		{8_000, 1, true, []int{2, 3, 4}},
		{8_000, 2, false, []int{3, 4}}, // others take the room
		{20_000, 1, false, []int{3, 4}},
		{0, 1, true, []int{4}},
		{0, 1, false, []int{4}},
	} {
		err := take(tt.size, tt.failures)
		if got := numbersOf(t, s); (err == nil) != tt.isKept || !slices.Equal(got, tt.want) {
			t.Errorf("size %d, failures %d: error %v, operations %v, want %v", tt.size, tt.failures, err, got, tt.want)
		}
	}
}

// TestAbort leaves nothing of an operation that is not completed.
func TestAbort(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir(), DefaultLimit)
	b := openBase(t, s)
	w := b.Begin()
	for _, size := range []int64{1, 1 << 20} {
		if _, _, err := w.Take(t.Context(), t.TempDir(), size); err == nil {
			t.Error("the content of a directory was taken")
		}
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
