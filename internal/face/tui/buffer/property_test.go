package buffer

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRelayout checks the rows of a line after changes of parts of it.
func TestRelayout(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var b Buffer
		width := rapid.IntRange(1, 7).Draw(t, "width")
		text := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bc", " ", "世", "\t", "\u200b", "\u0301"}), 0, 25).Draw(t, "text"), "")
		})
		b.SetText(text.Draw(t, "all"), 0)
		for range 8 {
			b.Rows(width, 100)
			for range rapid.IntRange(1, 3).Draw(t, "changes") {
				start := rapid.IntRange(0, b.Len()).Draw(t, "start")
				b.Replace(Range{start, start + rapid.IntRange(0, 5).Draw(t, "n")}, text.Draw(t, "new"))
			}
			fresh := &Buffer{text: b.text, cursor: b.cursor}
			if got, want := b.Rows(width, 1000).Rows, fresh.Rows(width, 1000).Rows; !slices.Equal(got, want) {
				t.Fatalf("rows %+v, without a cache %+v", got, want)
			}
		}
	})
}

// TestOperations runs any operations in any order.
func TestOperations(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t)
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			m.run(t, append(append(m.edits(t), m.moves(t)...), func() { m.b.Undo() }, func() { m.b.Redo() }))
			m.check(t)
		}
	})
}

// TestUndoRedo checks that undoing all steps gives the empty text, and repeating them the last one, with its
// placeholders.
func TestUndoRedo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			m.run(t, append(m.edits(t), m.moves(t)...))
		}
		shown, value := m.b.Shown(), m.b.Value()
		n := 0
		for m.b.Undo() {
			n++
			m.check(t)
		}
		if m.b.Len() != 0 || m.b.Cursor() != 0 || m.b.Value() != "" {
			t.Fatalf("%q is left", m.b.text)
		}
		for range n {
			if !m.b.Redo() {
				t.Fatal("nothing to redo")
			}
			m.check(t)
		}
		if m.b.Shown() != shown || m.b.Value() != value || m.b.Redo() {
			t.Fatalf("got %q, want %q", m.b.text, shown)
		}
	})
}

// TestDeleteAll checks that deleting cluster by cluster, in either direction, leaves nothing.
func TestDeleteAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t)
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			m.run(t, m.edits(t))
		}
		n := len(m.b.boundaries()) - 1
		isLeft := rapid.Bool().Draw(t, "left")
		m.b.ToStart()
		if isLeft {
			m.b.ToEnd()
		}
		for range n {
			if isLeft {
				m.b.DeleteLeft()
			} else {
				m.b.DeleteRight()
			}
		}
		if m.b.Len() != 0 || m.b.Value() != "" || len(m.b.units) != 0 {
			t.Fatalf("%q is left", m.b.text)
		}
	})
}

// TestVerticalWalk checks that moves up and down reach both ends, each by one row or past a placeholder.
func TestVerticalWalk(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t)
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			m.run(t, m.edits(t))
		}
		m.width = rapid.IntRange(1, 12).Draw(t, "width")
		v := m.b.Rows(m.width, m.b.Len()+2)
		for n := 0; m.b.Up(); n++ {
			if n > len(v.Rows)+2 {
				t.Fatalf("Up does not end at %d of %q", m.b.cursor, m.b.text)
			}
			m.check(t)
		}
		if m.b.cursor != 0 {
			t.Fatal("Up ends before the start")
		}
		for n := 0; m.b.Down(); n++ {
			if n > len(v.Rows)+2 {
				t.Fatalf("Down does not end at %d of %q", m.b.cursor, m.b.text)
			}
			m.check(t)
		}
		if m.b.cursor != m.b.Len() {
			t.Fatal("Down ends before the end")
		}
	})
}

// TestWordWalk checks that all word moves make progress, stay at boundaries, and do not depend on where a scan begins.
func TestWordWalk(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t)
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			m.run(t, m.edits(t))
		}
		b := m.b
		bounds := b.boundaries()
		for _, at := range bounds {
			for name, to := range map[string]int{
				"left": b.wordLeft(at), "b": b.PrevWord(at, false), "B": b.PrevWord(at, true),
			} {
				if to >= at && at > 0 || !slices.Contains(bounds, to) {
					t.Fatalf("%s from %d to %d of %q", name, at, to, b.text)
				}
			}
			for name, to := range map[string]int{
				"right": b.wordRight(at), "w": b.NextWord(at, false), "W": b.NextWord(at, true),
			} {
				if to <= at && at < b.Len() || !slices.Contains(bounds, to) {
					t.Fatalf("%s from %d to %d of %q", name, at, to, b.text)
				}
			}
			if to := b.WordEnd(at, rapid.Bool().Draw(t, "big")); !slices.Contains(bounds, to) || to < b.Prev(at) {
				t.Fatalf("e from %d to %d of %q", at, to, b.text)
			}
			if want := b.ceil(b.slowWordRight(at)); b.wordRight(at) != want {
				t.Fatalf("right from %d to %d, not %d, of %q", at, b.wordRight(at), want, b.text)
			}
		}
	})
}

// slowWordRight is wordRight with a scan that begins at the start of the line.
func (b *Buffer) slowWordRight(at int) int {
	end := b.LineEnd(at)
	if at == end {
		return min(at+1, len(b.text))
	}
	for w := b.words(b.LineStart(at), end); w.next(); {
		if w.isWord && w.end > at {
			return w.end
		}
	}
	return end
}
