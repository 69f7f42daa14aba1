package buffer

import (
	"strings"
	"testing"
)

func typeKeys(b *Buffer, text string) {
	for _, r := range text {
		b.Insert(string(r))
	}
}

func TestUndo(t *testing.T) {
	t.Parallel()
	b := &Buffer{}
	typeKeys(b, "one two")
	b.DeleteLeft()
	b.Left()
	typeKeys(b, "ab")
	b.Left()
	b.Right()
	typeKeys(b, "c")
	b.Insert("pasted words")
	typeKeys(b, "d")
	b.Clear()
	want := []string{
		"|", "one tabcpasted wordsd|w", "one tabcpasted words|w", "one tabc|w", "one tab|w", "one t|w", "one two|", "one|",
		"|",
	}
	for i := range want {
		expect(t, b, want[i])
		if ok := b.Undo(); ok != (i < len(want)-1) {
			t.Fatalf("%d: %v", i, ok)
		}
	}
	for i := len(want) - 2; i >= 0; i-- {
		if !b.Redo() {
			t.Fatal(i)
		}
		if got := strings.ReplaceAll(marked(b), "|", ""); got != strings.ReplaceAll(want[i], "|", "") {
			t.Errorf("redo %d: %q", i, got)
		}
	}
	if b.Redo() {
		t.Error("more to redo than was undone")
	}
	b.Undo()
	b.Insert("x")
	if b.Redo() {
		t.Error("redo after an edit")
	}
}

// TestUndoTyping checks that typing after Undo, or after an edit, is a step of its own.
func TestUndoTyping(t *testing.T) {
	t.Parallel()
	b := &Buffer{}
	typeKeys(b, "ab")
	b.SetText("abc", 3)
	typeKeys(b, "d")
	b.Undo()
	expect(t, b, "abc|")
	b.Undo()
	expect(t, b, "ab|")
	typeKeys(b, "x")
	b.Undo()
	expect(t, b, "ab|")
	b.Undo()
	expect(t, b, "|")
	typeKeys(b, "a\nb")
	b.Undo()
	expect(t, b, "a|")
	b.Paste("b")
	typeKeys(b, "c")
	b.Undo()
	expect(t, b, "ab|")
}

func TestGroup(t *testing.T) {
	t.Parallel()
	b := filled("abc|")
	b.Group(func() {
		b.DeleteLeft()
		b.MoveTo(0)
		typeKeys(b, "xy")
		if b.Undo() || b.Redo() {
			t.Error("undo within a group")
		}
	})
	typeKeys(b, "z")
	b.Undo()
	expect(t, b, "xy|ab")
	b.Undo()
	expect(t, b, "abc|")
	b.Group(func() {})
	b.Redo()
	expect(t, b, "xy|ab")
}

func TestUndoLimits(t *testing.T) {
	t.Parallel()
	b := &Buffer{}
	for range 150 {
		b.Insert("ab")
		if len(b.done) > maxSteps {
			t.Fatalf("%d steps are kept", len(b.done))
		}
	}
	n := 0
	for b.Undo() {
		n++
	}
	if n != maxSteps || b.Len() != 2*(150-maxSteps) {
		t.Errorf("%d steps, %d bytes", n, b.Len())
	}

	b = &Buffer{}
	big := strings.Repeat("x", maxStepBytes/3)
	for range 4 {
		b.SetText(big, 0)
		b.Clear()
	}
	if n := len(b.done); n != 3 {
		t.Errorf("%d big steps are kept", n)
	}
	b.SetText(strings.Repeat("x", maxStepBytes+1), 0)
	if n := len(b.done); n != 1 {
		t.Errorf("%d steps are kept", n)
	}
}

func TestKillRing(t *testing.T) {
	t.Parallel()
	b := filled("one two three|")
	b.DeleteWordLeft()
	b.DeleteWordLeft()
	expect(t, b, "one |")
	b.Left()
	b.KillToEnd()
	b.Home()
	b.KillToEnd()
	b.Yank()
	expect(t, b, "one|")
	b.YankPop()
	expect(t, b, " |")
	b.YankPop()
	expect(t, b, "two three|")
	b.YankPop()
	expect(t, b, "one|")
	b.Right()
	if b.YankPop() {
		t.Error("YankPop after a move")
	}
	expect(t, b, "one|")
	b.Yank()
	b.Undo()
	expect(t, b, "one|")

	b = filled("a b| c d")
	b.DeleteWordRight()
	b.DeleteWordRight()
	b.DeleteWordLeft()
	b.KillToStart()
	expect(t, b, "|")
	b.KillToStart() // does nothing
	b.Yank()
	expect(t, b, "a b c d|")

	b = &Buffer{}
	for i := range maxKills + 5 {
		b.SetText(strings.Repeat("x", i+1), 99)
		b.KillToStart()
	}
	b.Yank()
	for range maxKills - 1 {
		b.YankPop()
	}
	if b.Len() != 6 {
		t.Errorf("the oldest entry has %d bytes", b.Len())
	}
}

// TestYankPopAtMark checks that YankPop removes only yanked text where that joins the text before it.
func TestYankPopAtMark(t *testing.T) {
	t.Parallel()
	b := filled("\u0301|")
	b.KillToStart()
	b.SetText("x", 1)
	b.KillToStart()
	b.SetText("e", 1)
	b.Yank()
	b.YankPop()
	expect(t, b, "e\u0301|")
	b.YankPop()
	expect(t, b, "ex|")
}
