package undo_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/undo/content"
	"pollux/internal/undo/undotest"
)

// TestManyFiles takes back the loss of more files than are copied: the others are linked.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "mkdir d; for i in $(seq 5200); do echo $i >d/$i; done")
	before := undotest.Take(t, p.dir)
	o := p.run(t, "rm -r d")
	ways := map[content.Way]int{}
	for _, c := range o.Changes {
		ways[c.Before.Way]++
	}
	if ways[content.Copied] > 5000+8 || ways[content.Cloned]+ways[content.Linked] < 192 { // readers at the same time
		t.Errorf("kept by %v", ways)
	}
	p.undo(t, o.Number)
	if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
}
