package buffer

import (
	"strings"
	"testing"
)

func TestMoves(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		before string
		move   func(*Buffer)
		after  string
	}{
		{"a|b", (*Buffer).Left, "|ab"},
		{"|ab", (*Buffer).Left, "|ab"},
		{"a🇩🇪|b", (*Buffer).Left, "a|🇩🇪b"},
		{"a|e\u0301b", (*Buffer).Right, "ae\u0301|b"},
		{"a|\nb", (*Buffer).Right, "a\n|b"},
		{"ab|", (*Buffer).Right, "ab|"},
		{"x\nab|c\nd", (*Buffer).Home, "x\n|abc\nd"},
		{"x\nab|c\nd", (*Buffer).End, "x\nabc|\nd"},
		{"x\nab|c\nd", (*Buffer).ToStart, "|x\nabc\nd"},
		{"x\nab|c\nd", (*Buffer).ToEnd, "x\nabc\nd|"},
		{"one two| x", (*Buffer).WordLeft, "one |two x"},
		{"one two | x", (*Buffer).WordLeft, "one |two  x"},
		{"one |two x", (*Buffer).WordLeft, "|one two x"},
		{"one can't.|", (*Buffer).WordLeft, "one |can't."},
		{"one\n  |x", (*Buffer).WordLeft, "one\n|  x"},
		{"one\n|x", (*Buffer).WordLeft, "one|\nx"},
		{"größe-über|", (*Buffer).WordLeft, "größe-|über"},
		{"a ...|", (*Buffer).WordLeft, "|a ..."},
		{"b a ... ...|", (*Buffer).WordLeft, "b |a ... ..."},
		{"|one two", (*Buffer).WordRight, "one| two"},
		{"one| two.", (*Buffer).WordRight, "one two|."},
		{"on|e two", (*Buffer).WordRight, "one| two"},
		{"one|..\nx", (*Buffer).WordRight, "one..|\nx"},
		{"one|\nx", (*Buffer).WordRight, "one\n|x"},
		{"one|", (*Buffer).WordRight, "one|"},
		{"日|本 x", (*Buffer).WordRight, "日本| x"},
		{"a|กำ", (*Buffer).WordRight, "aกำ|"},
	} {
		b := filled(tt.before)
		tt.move(b)
		if got := marked(b); got != tt.after {
			t.Errorf("%q: got %q, want %q", tt.before, got, tt.after)
		}
	}
}

// TestWordsWithPlaceholders checks that a placeholder is a word.
func TestWordsWithPlaceholders(t *testing.T) {
	t.Parallel()
	b := filled("one|")
	b.Paste(lines(6))
	b.Insert("two.")
	const label = "[Pasted Text: 6 lines]"
	for _, want := range []string{"one" + label + "|two.", "one|" + label + "two.", "|one" + label + "two."} {
		b.WordLeft()
		expect(t, b, want)
	}
	for _, want := range []string{"one|" + label + "two.", "one" + label + "|two.", "one" + label + "two|."} {
		b.WordRight()
		expect(t, b, want)
	}
}

func TestVerticalMoves(t *testing.T) {
	t.Parallel()
	b := filled("long line\nab\nlong l|ine")
	b.Rows(80, 10)
	for _, step := range []struct {
		move func() bool
		want string
		ok   bool
	}{
		{b.Up, "long line\nab|\nlong line", true},
		{b.Up, "long l|ine\nab\nlong line", true},
		{b.Up, "|long line\nab\nlong line", true},
		{b.Up, "|long line\nab\nlong line", false},
		{b.Down, "long line\n|ab\nlong line", true},
		{b.Down, "long line\nab\n|long line", true},
		{b.Down, "long line\nab\nlong line|", true},
		{b.Down, "long line\nab\nlong line|", false},
	} {
		if ok := step.move(); ok != step.ok {
			t.Errorf("%q: %v", step.want, ok)
		}
		expect(t, b, step.want)
	}
	b.MoveTo(5)
	b.Down()
	b.Left() // ends the moves that keep the column
	b.Down()
	expect(t, b, "long line\nab\nl|ong line")
}

func TestVerticalMovesInRows(t *testing.T) {
	t.Parallel()
	b := filled("aaaaa bbbbb ccccc\nd|")
	b.Rows(6, 10) // "aaaaa ", "bbbbb ", "ccccc", "d"
	for _, want := range []string{"aaaaa bbbbb c|cccc\nd", "aaaaa b|bbbb ccccc\nd", "a|aaaa bbbbb ccccc\nd"} {
		b.Up()
		expect(t, b, want)
	}
	b.MoveTo(5)
	b.Down()
	expect(t, b, "aaaaa bbbbb| ccccc\nd")

	b = filled("aaaaaa|\nbbb")
	b.Rows(6, 10) // the cursor is in an empty row
	b.Up()
	expect(t, b, "|aaaaaa\nbbb")
	b.End()
	b.Down()
	expect(t, b, "aaaaaa\n|bbb")

	b = filled("aaaaa世\nbbbbbb|")
	b.Rows(7, 10) // the last column of a wide character
	b.Up()
	expect(t, b, "aaaaa|世\nbbbbbb")

	b = filled("aaaaaaaaaa|")
	b.Rows(20, 10)
	b.MoveTo(9)
	b.Insert("a\nb\naaaaaaaaa")
	b.Up()
	b.Rows(5, 10) // a kept column that the new width does not have
	b.Up()
	expect(t, b, "aaaaaaaaa|a\nb\naaaaaaaaaa")
}

// TestVerticalMovesAcrossPlaceholder checks that moves pass a placeholder of several rows.
func TestVerticalMovesAcrossPlaceholder(t *testing.T) {
	t.Parallel()
	b := filled("abcdef\n|\nabcdef")
	b.Paste(lines(6))
	b.Rows(6, 20)
	b.MoveTo(4)
	label := "[Pasted Text: 6 lines]"
	for _, want := range []string{"abcdef\n|" + label + "\nabcdef", "abcdef\n" + label + "|\nabcdef", "abcdef\n" + label + "\nabcd|ef"} {
		b.Down()
		expect(t, b, want)
	}
	for _, want := range []string{"abcdef\n" + label + "|\nabcdef", "abcdef\n|" + label + "\nabcdef", "abcd|ef\n" + label + "\nabcdef"} {
		b.Up()
		expect(t, b, want)
	}
}

func TestLocate(t *testing.T) {
	t.Parallel()
	b := filled("ab世c\n\tx\n" + strings.Repeat("y\n", 20) + "|")
	b.Rows(10, 5)
	b.ToStart()
	b.Rows(10, 5)
	for _, tt := range []struct{ row, column, want int }{
		{0, 0, 0},
		{0, 1, 1},
		{0, 2, 2},
		{0, 3, 2},
		{0, 4, 5},
		{0, 50, 6},
		{1, 3, 7},
		{1, 4, 8},
		{1, 5, 9},
		{2, -1, 10},
		{-3, 2, 2},
		{999, 0, b.Len()},
	} {
		if got := b.Locate(tt.row, tt.column); got != tt.want {
			t.Errorf("%d, %d: got %d, want %d", tt.row, tt.column, got, tt.want)
		}
	}
	b.SetText("", 0)
	b.Paste(lines(6))
	b.Rows(40, 5)
	if got := b.Locate(0, 5); got != 0 {
		t.Errorf("within a placeholder: %d", got)
	}
}
