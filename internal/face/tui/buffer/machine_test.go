package buffer

import (
	"slices"
	"strings"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// pieces are texts that join each other, or break lines and words.
var pieces = []string{
	"a", "b", " ", "  ", "\t", "\n", "word", "two words ", "世", "世界", "e\u0301", "\u0301", "🇩", "🇪", "🇩🇪", "👨", "\u200d", "👧", "👨‍👩‍👧",
	"\u200b", "\u0600", "กำ", "ำ", "한", "ᄀ", "ᅡ", "\u00ad", ".", "can't", "@a", `\@`, "/x", "[", "]", "[Image x]", strings.Repeat("x", 30), "⸻",
}

// machine is a buffer under random operations.
type machine struct {
	b     *Buffer
	width int
}

func (m *machine) text(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, "text"), "")
}

func (m *machine) position(t *rapid.T) int { return rapid.IntRange(-1, m.b.Len()+1).Draw(t, "at") }

func (m *machine) span(t *rapid.T) Range { return Range{m.position(t), m.position(t)} }

// big returns pasted text that gets a placeholder.
func (m *machine) big(t *rapid.T) string {
	return strings.Repeat(rapid.SampledFrom([]string{"x\n", "世@\n", "\n"}).Draw(t, "line"), 6) + m.text(t)
}

// edits returns the operations that may change the text.
func (m *machine) edits(t *rapid.T) []func() {
	b := m.b
	return []func(){
		b.DeleteLeft, b.DeleteRight, b.DeleteWordLeft, b.DeleteWordRight, b.KillToStart, b.KillToEnd, b.Clear,
		func() { b.Insert(m.text(t)) },
		func() { b.Insert(m.text(t)) },
		func() { b.Insert(rapid.SampledFrom(pieces).Draw(t, "key")) },
		func() { b.Paste(m.text(t)) },
		func() { b.Paste(m.big(t)) },
		func() { b.Paste(m.big(t)) },
		func() { b.Replace(m.span(t), m.text(t)) },
		func() { b.SetText(m.text(t), m.position(t)) },
		func() { b.Yank() },
		func() { b.YankPop() },
		func() { b.Expand() },
		func() { b.Expand() },
		func() { b.Put(m.span(t), b.Copy(m.span(t))) },
		func() { b.Collapse(b.Escaped() + m.text(t)) },
		func() { b.Collapse(b.Value()) },
		func() { s := b.Snapshot(); b.Insert(m.text(t)); b.Restore(s) },
		func() { b.Group(func() { b.Insert(m.text(t)); b.DeleteWordLeft(); b.Yank() }) },
	}
}

// moves returns the operations that do not change the text.
func (m *machine) moves(t *rapid.T) []func() {
	b := m.b
	return []func(){
		b.Left, b.Right, b.WordLeft, b.WordRight, b.Home, b.End, b.ToStart, b.ToEnd,
		func() { b.Up() },
		func() { b.Down() },
		func() { b.MoveTo(m.position(t)) },
		func() { m.width = rapid.IntRange(1, 20).Draw(t, "width"); b.Rows(m.width, 5) },
		func() {
			b.MoveTo(b.Locate(rapid.IntRange(-1, 6).Draw(t, "row"), rapid.IntRange(-1, 20).Draw(t, "column")))
		},
		func() { b.Rows(m.width, rapid.IntRange(1, 9).Draw(t, "rows")) },
	}
}

func (m *machine) run(t *rapid.T, operations []func()) {
	operations[rapid.IntRange(0, len(operations)-1).Draw(t, "operation")]()
}

// boundaries returns the cluster boundaries of the text, found from its start on.
func (b *Buffer) boundaries() []int {
	found := []int{0}
	w := b.walk(0, len(b.text))
	for w.at < len(b.text) {
		c := w.next()
		if w.at += len(c); !w.isToken || w.at == w.limit {
			found = append(found, w.at)
		}
	}
	return found
}

// check checks the properties that a buffer has after any operation.
func (m *machine) check(t *rapid.T) {
	b := m.b
	bounds := b.boundaries()
	if !slices.Contains(bounds, b.cursor) {
		t.Fatalf("cursor %d within a cluster of %q", b.cursor, b.text)
	}
	for i, at := range bounds {
		if i > 0 && b.Prev(at) != bounds[i-1] || i+1 < len(bounds) && b.Next(at) != bounds[i+1] {
			t.Fatalf("steps from %d to %d and %d, boundaries %v of %q", at, b.Prev(at), b.Next(at), bounds, b.text)
		}
	}
	for at := range len(b.text) + 1 {
		i, isBoundary := slices.BinarySearch(bounds, at)
		if b.ceil(at) != bounds[i] || b.floor(at) != bounds[i] && (isBoundary || b.floor(at) != bounds[i-1]) {
			t.Fatalf("%d rounds to %d and %d, boundaries %v of %q", at, b.floor(at), b.ceil(at), bounds, b.text)
		}
	}
	end := 0
	labels := map[string]bool{}
	for _, u := range b.units {
		want := u.label
		if u.isOpen {
			want = u.paste.inline
		}
		if u.start < end || string(b.text[u.start:u.end]) != want || labels[u.label] {
			t.Fatalf("%+v in %q", u, b.text)
		}
		end, labels[u.label] = u.end, true
	}
	if !utf8.Valid(b.text) || b.open != nil {
		t.Fatalf("%q", b.text)
	}
	m.checkView(t)
}

// checkView checks all rows, and those of a small view.
func (m *machine) checkView(t *rapid.T) {
	b := m.b
	top := b.top
	all := b.Rows(m.width, len(b.text)+2)
	if all.HasAbove || all.HasBelow {
		t.Fatalf("hidden rows of %q", b.text)
	}
	checkRows(t, b, all, m.width)
	fresh := &Buffer{text: b.text, units: b.units, cursor: b.cursor}
	if want := fresh.Rows(m.width, len(b.text)+2); !slices.Equal(want.Rows, all.Rows) {
		t.Fatalf("rows %+v, without a cache %+v", all.Rows, want.Rows)
	}
	b.top = top
	const height = 3
	v := b.Rows(m.width, height)
	first := slices.Index(all.Rows, v.Rows[0])
	if len(v.Rows) != min(height, len(all.Rows)) || first < 0 || !slices.Equal(v.Rows, all.Rows[first:first+len(v.Rows)]) {
		t.Fatalf("view %+v of %+v", v, all)
	}
	if first+v.CursorRow != all.CursorRow || v.CursorColumn != all.CursorColumn ||
		v.HasAbove != (first > 0) || v.HasBelow != (first+height < len(all.Rows)) {
		t.Fatalf("view %+v of %+v", v, all)
	}
	isSeen := b.cursor == len(b.text) || columns(b.text[b.cursor:b.Next(b.cursor)]) > 0
	if got := b.Locate(v.CursorRow, v.CursorColumn); isSeen && got != b.cursor {
		t.Fatalf("the cursor's cell is at %d, not %d: %+v", got, b.cursor, v)
	}
	if again := b.Rows(m.width, height); !slices.Equal(again.Rows, v.Rows) {
		t.Fatalf("the view moved from %+v to %+v", v, again)
	}
}

// checkRows checks that rows join to the text, fit the width, and include the cursor.
func checkRows(t *rapid.T, b *Buffer, v View, width int) {
	var joined strings.Builder
	for i, r := range v.Rows {
		if i > 0 && r.Start > v.Rows[i-1].End {
			joined.WriteByte('\n')
		}
		joined.WriteString(r.Text)
		n, clusters := 0, 0
		for w := b.walk(r.Start, r.End); w.at < r.End; clusters++ {
			c := w.next()
			w.at += len(c)
			n += columns(c)
		}
		if n > width && clusters > 1 {
			t.Fatalf("row %q has %d columns, more than %d", r.Text, n, width)
		}
	}
	if joined.String() != string(b.text) {
		t.Fatalf("rows join to %q, not %q", joined.String(), b.text)
	}
	row := v.Rows[v.CursorRow]
	if b.cursor < row.Start || b.cursor > row.End || v.CursorColumn >= width {
		t.Fatalf("cursor %d at %d in %+v", b.cursor, v.CursorColumn, row)
	}
}

func newMachine(t *rapid.T) *machine {
	return &machine{b: &Buffer{EscapeAt: rapid.Bool().Draw(t, "escape")}, width: 10}
}
