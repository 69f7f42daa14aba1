package store

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// notes returns the notes of a base.
func notes(b *Base) (list []string) {
	for _, n := range b.Pending() {
		list = append(list, string(n))
	}
	return list
}

// TestRuns begins and ends runs: those that have not ended are there, in their order, also after the file was emptied.
func TestRuns(t *testing.T) {
	t.Parallel()
	b := openBase(t, Open(t.TempDir(), DefaultLimit))
	other := openBase(t, b.Store())
	begin := func(note string) uint32 {
		t.Helper()
		number, err := b.BeginRun([]byte(note))
		if err != nil {
			t.Fatal(err)
		}
		return number
	}
	long := strings.Repeat("x", 20_000)
	for range 100 {
		first, second, third := begin("first"), begin(long), begin("third")
		b.EndRun(second)
		if got := notes(b); !slices.Equal(got, []string{"first", "third"}) {
			t.Fatalf("runs %q", got)
		}
		b.EndRun(first)
		if got := other.PendingOfOthers(nil); len(got) != 1 || string(got[0]) != "third" {
			t.Fatalf("runs %q", got)
		}
		b.EndRun(third)
		if got := notes(b); got != nil || b.PendingOfOthers(nil) != nil {
			t.Fatalf("runs %q", got)
		}
	}
	if info, err := os.Lstat(b.File(runsFile)); err != nil || info.Size() > largeRuns+int64(len(long))+100 {
		t.Errorf("%v bytes, error %v", info.Size(), err)
	}
	if _, err := b.BeginRun(nil); err == nil {
		t.Error("a run has no note")
	}
}

// TestRunsDamage cuts the file at each byte, and flips each byte: the runs before it are there, and no other ones.
func TestRunsDamage(t *testing.T) {
	t.Parallel()
	b := openBase(t, Open(t.TempDir(), DefaultLimit))
	for _, note := range []string{"one", "two", "three"} {
		number, err := b.BeginRun([]byte(note))
		if err != nil {
			t.Fatal(err)
		}
		if note == "two" {
			b.EndRun(number)
		}
	}
	whole, err := os.ReadFile(b.File(runsFile))
	if err != nil {
		t.Fatal(err)
	}
	states := [][]string{nil, {"one"}, {"one", "two"}, {"one"}, {"one", "three"}}
	ends := []int{0, runHead + 3, 2 * (runHead + 3), 3*runHead + 6, 4*runHead + 11}
	if len(whole) != ends[4] {
		t.Fatalf("%d bytes", len(whole))
	}
	check := func(what string, data []byte, at int) {
		t.Helper()
		var got []string
		for _, n := range pending(data) {
			got = append(got, string(n))
		}
		entries := 0
		for entries+1 < len(ends) && ends[entries+1] <= at {
			entries++
		}
		if !slices.Equal(got, states[entries]) {
			t.Errorf("%s: runs %q, want %q", what, got, states[entries])
		}
	}
	check("whole", whole, len(whole))
	for n := range whole {
		check(fmt.Sprintf("cut at %d", n), whole[:n], n)
		for _, bit := range []byte{1, 0x20, 0x80} {
			flipped := bytes.Clone(whole)
			flipped[n] ^= bit
			check(fmt.Sprintf("bit %#x of byte %d", bit, n), flipped, n)
		}
	}
}
