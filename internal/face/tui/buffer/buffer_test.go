package buffer

import (
	"strings"
	"testing"
)

// filled returns a buffer whose text is s without its "|", which marks the cursor.
func filled(s string) *Buffer {
	b := &Buffer{}
	before, after, _ := strings.Cut(s, "|")
	b.SetText(before+after, len(before))
	return b
}

// marked returns the shown text with "|" at the cursor.
func marked(b *Buffer) string {
	s := b.Shown()
	return s[:b.Cursor()] + "|" + s[b.Cursor():]
}

func expect(t *testing.T, b *Buffer, want string) {
	t.Helper()
	if got := marked(b); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestZeroValue(t *testing.T) {
	t.Parallel()
	var b Buffer
	for _, op := range []func(){
		b.Left, b.Right, b.WordLeft, b.WordRight, b.Home, b.End, b.ToStart, b.ToEnd, b.DeleteLeft, b.DeleteRight,
		b.DeleteWordLeft, b.DeleteWordRight, b.KillToStart, b.KillToEnd, b.Clear,
	} {
		op()
	}
	if b.Up() || b.Down() || b.Undo() || b.Redo() || b.Yank() || b.YankPop() || b.Expand() {
		t.Error("an operation on an empty buffer did something")
	}
	v := b.Rows(0, 0)
	if len(v.Rows) != 1 || v.Rows[0].Text != "" || v.CursorColumn != 0 || v.HasAbove || v.HasBelow {
		t.Errorf("%+v", v)
	}
	if b.Value() != "" || b.Len() != 0 || len(b.Tokens()) != 0 || b.LineCount() != 1 {
		t.Error("the empty buffer is not empty")
	}
}

func TestEdits(t *testing.T) {
	t.Parallel()
	const family = "👨‍👩‍👧"
	for _, tt := range []struct {
		name, before string
		edit         func(*Buffer)
		after        string
	}{
		{"insert", "a|b", func(b *Buffer) { b.Insert("xy") }, "axy|b"},
		{"insert joins", "e|\u0301", func(b *Buffer) { b.Insert("") }, "e\u0301|"},
		{"insert before a mark", "|\u0301b", func(b *Buffer) { b.Insert("e") }, "e\u0301|b"},
		{"line ends", "|", func(b *Buffer) { b.Insert("a\r\nb\rc\vd\u2028e\tf") }, "a\nb\nc\nd\ne\tf|"},
		{"escape sequences", "|", func(b *Buffer) { b.Insert("a\x1b[31mb\x00c\x1b]0;t\ad\u009b1me") }, "abcde|"},
		{"invalid UTF-8", "|", func(b *Buffer) { b.Insert("a\xffb") }, "a\ufffdb|"},
		{"left", "a" + family + "|", (*Buffer).DeleteLeft, "a|"},
		{"left flag", "🇩🇪🇫🇷|", (*Buffer).DeleteLeft, "🇩🇪|"},
		{"left in flags", "🇩🇪|🇫🇷", (*Buffer).DeleteLeft, "|🇫🇷"},
		{"left at start", "|a", (*Buffer).DeleteLeft, "|a"},
		{"left accent", "e\u0301|", (*Buffer).DeleteLeft, "|"},
		{"left line", "a\n|b", (*Buffer).DeleteLeft, "a|b"},
		{"right", "|" + family + "b", (*Buffer).DeleteRight, "|b"},
		{"right at end", "a|", (*Buffer).DeleteRight, "a|"},
		{"right joins flags", "🇩|x🇪", (*Buffer).DeleteRight, "🇩🇪|"},
		{"word left", "one two  |x", (*Buffer).DeleteWordLeft, "one |x"},
		{"word left line", "one\n|x", (*Buffer).DeleteWordLeft, "one|x"},
		{"word left placeholder end", "can't|", (*Buffer).DeleteWordLeft, "|"},
		{"word right", "a| two x", (*Buffer).DeleteWordRight, "a| x"},
		{"word right line", "a|\nx", (*Buffer).DeleteWordRight, "a|x"},
		{"to start", "x\nab|c", (*Buffer).KillToStart, "x\n|c"},
		{"to start at start", "x\n|c", (*Buffer).KillToStart, "x\n|c"},
		{"to end", "a|bc\nx", (*Buffer).KillToEnd, "a|\nx"},
		{"to end joins", "a|\nx", (*Buffer).KillToEnd, "a|x"},
		{"to end at end", "a|", (*Buffer).KillToEnd, "a|"},
		{"clear", "a\nb|c", (*Buffer).Clear, "|"},
		{"replace", "ab|cd", func(b *Buffer) { b.Replace(Range{1, 3}, "X") }, "aX|d"},
		{"replace reversed", "ab|cd", func(b *Buffer) { b.Replace(Range{3, 1}, "") }, "a|d"},
		{"replace outside", "ab|", func(b *Buffer) { b.Replace(Range{-4, 99}, "x") }, "x|"},
		{"replace half", "a" + family + "b|", func(b *Buffer) { b.Replace(Range{2, 5}, "x") }, "ax|b"},
		{"replace nothing within", "a" + family + "b|", func(b *Buffer) { b.Replace(Range{5, 5}, "x") }, "ax|" + family + "b"},
		{"set text", "abc|", func(b *Buffer) { b.SetText("x\ry", 1) }, "x|\ny"},
		{"set text outside", "abc|", func(b *Buffer) { b.SetText("xy", 9) }, "xy|"},
		{"set text before", "abc|", func(b *Buffer) { b.SetText("xy", -9) }, "|xy"},
		{"set text within", "abc|", func(b *Buffer) { b.SetText("xe\u0301", 3) }, "x|e\u0301"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := filled(tt.before)
			b.cursor = strings.Index(tt.before, "|") // even if it is no boundary
			b.cursor = b.ceil(b.cursor)
			tt.edit(b)
			expect(t, b, tt.after)
		})
	}
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	b := filled("draft|")
	b.Paste(lines(6))
	b.Left()
	s, before := b.Snapshot(), marked(b)
	b.Restore(Snapshot{})
	expect(t, b, "|")
	b.Insert("other")
	b.Restore(s)
	expect(t, b, before)
	if b.Value() != "draft"+lines(6) {
		t.Errorf("value %q", b.Value())
	}
	b.Undo()
	expect(t, b, "other|")
	b.Redo()
	b.DeleteRight()
	expect(t, b, "draft|")

	b.SetText("x[Pasted Text: 6 lines]", 0) // the same text as that of a snapshot, but no placeholder
	c := filled("x|")
	c.Paste(lines(6))
	b.Restore(c.Snapshot())
	if got := b.Value(); got != "x"+lines(6) {
		t.Errorf("value %q", got)
	}
	b.Undo()
	if got := b.Value(); got != "x[Pasted Text: 6 lines]" {
		t.Errorf("value %q", got)
	}
}

// lines returns a text of n lines.
func lines(n int) string { return strings.TrimSuffix(strings.Repeat("line\n", n), "\n") }
