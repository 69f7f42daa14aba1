package buffer

import (
	"strings"
	"testing"
)

func TestPaste(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text, shown string
	}{
		{"small", "a\nb", "a\nb"},
		{"five lines", lines(5), lines(5)},
		{"six lines", lines(6), "[Pasted Text: 6 lines]"},
		{"line ends", strings.ReplaceAll(lines(6), "\n", "\r\n"), "[Pasted Text: 6 lines]"},
		{"500 characters", strings.Repeat("é", 500), strings.Repeat("é", 500)},
		{"501 characters", strings.Repeat("é", 501), "[Pasted Text: 501 chars]"},
		{"both", strings.Repeat(lines(1)+strings.Repeat("x", 99)+"\n", 6), "[Pasted Text: 7 lines]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := filled("<|>")
			if got := b.Paste(tt.text); got != strings.HasPrefix(tt.shown, "[") {
				t.Error(got)
			}
			expect(t, b, "<"+tt.shown+"|>")
			if got, want := b.Value(), "<"+strings.ReplaceAll(tt.text, "\r", "")+">"; got != want {
				t.Errorf("value %q", got)
			}
		})
	}
}

func TestPlaceholders(t *testing.T) {
	t.Parallel()
	const first, second = "[Pasted Text: 6 lines]", "[Pasted Text: 6 lines #2]"
	b := filled("a|")
	b.Paste(lines(6))
	b.Paste(strings.ToUpper(lines(6)))
	b.Insert("b")
	expect(t, b, "a"+first+second+"b|")
	if want := "a" + lines(6) + strings.ToUpper(lines(6)) + "b"; b.Value() != want {
		t.Errorf("value %q", b.Value())
	}
	b.Left()
	b.Left()
	expect(t, b, "a"+first+"|"+second+"b")
	b.Left()
	expect(t, b, "a|"+first+second+"b")
	b.DeleteRight()
	expect(t, b, "a|"+second+"b")
	b.Paste(lines(6))
	expect(t, b, "a"+first+"|"+second+"b")
	b.DeleteLeft()
	expect(t, b, "a|"+second+"b")
	b.Undo()
	b.Undo()
	b.Undo()
	if want := "a" + lines(6) + strings.ToUpper(lines(6)) + "b"; b.Value() != want {
		t.Errorf("value after undo %q", b.Value())
	}
	b.Replace(Range{5, 6}, "x") // within a placeholder
	expect(t, b, "ax|"+second+"b")
	b.MoveTo(6)
	expect(t, b, "ax|"+second+"b")
	b.Insert("[Pasted Text: 6 lines]") // typed text is no placeholder
	if want := "ax[Pasted Text: 6 lines]" + strings.ToUpper(lines(6)) + "b"; b.Value() != want {
		t.Errorf("value %q", b.Value())
	}
}

// TestPlaceholderEdges checks that characters that join others do not join placeholders.
func TestPlaceholderEdges(t *testing.T) {
	t.Parallel()
	b := filled("\u0600|")
	b.Paste(lines(6))
	b.Insert("\u0301")
	b.Left()
	label := "[Pasted Text: 6 lines]"
	b.Left()
	expect(t, b, "\u0600|"+label+"\u0301")
	b.Left()
	b.Right()
	expect(t, b, "\u0600|"+label+"\u0301")
	b.Right()
	expect(t, b, "\u0600"+label+"|\u0301")
	b.DeleteLeft()
	if got := b.Value(); got != "\u0600\u0301" {
		t.Errorf("%q", got)
	}
}

func TestKilledPlaceholder(t *testing.T) {
	t.Parallel()
	const first, second = "[Pasted Text: 6 lines]", "[Pasted Text: 6 lines #2]"
	b := filled("a |")
	b.Paste(lines(6))
	b.DeleteWordLeft()
	expect(t, b, "a |")
	b.Yank()
	b.Yank()
	expect(t, b, "a "+first+second+"|")
	if want := "a " + lines(6) + lines(6); b.Value() != want {
		t.Errorf("value %q", b.Value())
	}
	c := b.Copy(Range{0, b.Len()})
	b.Put(Range{1, 2}, c)
	if want := "aa " + lines(6) + lines(6) + lines(6) + lines(6); b.Value() != want || c.String() != "a "+first+second {
		t.Errorf("value %q of %q", b.Value(), b.Shown())
	}
	expect(t, b, "aa [Pasted Text: 6 lines #3][Pasted Text: 6 lines #4]|"+first+second)
	b.Put(Range{0, b.Len()}, c) // no label is taken
	expect(t, b, "a "+first+second+"|")
	b.ToStart()
	b.KillToEnd()
	b.Put(Range{}, NewClip("x\r"))
	b.Yank()
	if want := "x\na " + lines(6) + lines(6); b.Value() != want {
		t.Errorf("value %q", b.Value())
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	const label = "[Pasted Text: 6 lines]"
	b := filled("a|b")
	b.Paste(lines(6))
	if !b.Expand() {
		t.Fatal("not expanded")
	}
	expect(t, b, "a"+lines(6)+"|b")
	b.Left()
	b.Left()
	b.Expand()
	expect(t, b, "a"+label+"|b")
	b.Left()
	b.Expand()
	expect(t, b, "a|"+lines(6)+"b")
	b.Insert("x") // before it
	b.Expand()
	expect(t, b, "ax"+label+"|b")
	b.Undo()
	expect(t, b, "ax|"+lines(6)+"b")
	b.Right()
	b.Insert("y")
	if b.Expand() {
		t.Error("changed text collapsed")
	}
	b.Undo()
	if !b.Expand() {
		t.Error("unchanged text did not collapse")
	}
	b.ToStart()
	if b.Expand() {
		t.Error("expanded far from the placeholder")
	}
	b.ToEnd()
	if b.Expand() {
		t.Error("expanded behind the placeholder")
	}
	if want := "ax" + lines(6) + "b"; b.Value() != want {
		t.Errorf("value %q", b.Value())
	}
	b.MoveTo(2)
	b.Expand()
	b.Paste(lines(6)) // the label of expanded text stays taken
	expect(t, b, "ax[Pasted Text: 6 lines #2]|"+lines(6)+"b")
}

func TestEscapeAt(t *testing.T) {
	t.Parallel()
	b := &Buffer{EscapeAt: true}
	const small = `mail a@b \@`
	b.Paste(small)
	expect(t, b, `mail a\@b \\@|`)
	b.Paste(lines(6) + "@x")
	b.Insert("@typed")
	if want := small + lines(6) + "@x@typed"; b.Value() != want {
		t.Errorf("value %q", b.Value())
	}
	escaped := `mail a\@b \\@` + lines(6) + `\@x@typed`
	if b.Escaped() != escaped {
		t.Errorf("escaped %q", b.Escaped())
	}
	shown := b.Shown()
	b.Collapse(b.Escaped())
	expect(t, b, shown+"|")
	b.Collapse(b.Value())
	if !strings.Contains(b.Shown(), "[Pasted Text: 6 lines]@typed") {
		t.Errorf("%q", b.Shown())
	}
	b.MoveTo(strings.Index(b.Shown(), "["))
	b.Expand()
	if !strings.Contains(b.Shown(), `line\@x`) {
		t.Errorf("%q", b.Shown())
	}
	b.Collapse(b.Value()) // the escapes are gone, so the text is not that of the placeholder
	b.ToStart()
	if b.Collapse(b.Value()); b.Expand() || len(b.units) != 0 {
		t.Errorf("%q", b.Shown())
	}
	plain := &Buffer{}
	plain.Insert(`\@`)
	if plain.Value() != `\@` {
		t.Error(plain.Value())
	}
}

func TestCollapse(t *testing.T) {
	t.Parallel()
	upper := strings.ToUpper(lines(7))
	b := filled("a|")
	b.Paste(lines(6))
	b.Insert("b")
	b.Paste(upper)
	b.Insert("c")
	b.Paste(lines(6))
	const one, two, three = "[Pasted Text: 6 lines]", "[Pasted Text: 7 lines]", "[Pasted Text: 6 lines #2]"
	start := "a" + one + "b" + two + "c" + three + "|"
	expect(t, b, start)
	for _, tt := range []struct{ text, want string }{
		{b.Value(), start},
		{"x\r\n" + b.Value() + "y", "x\na" + one + "b" + two + "c" + three + "y|"},
		{"only " + lines(6), "only " + one + "|"},
		{upper + "-" + lines(6), two + "-" + one + "|"},
		{lines(6) + upper + lines(6), one + two + three + "|"},
		{"line\nchanged", "line\nchanged|"},
		{"", "|"},
	} {
		b.Collapse(tt.text)
		expect(t, b, tt.want)
		if got := b.Value(); got != strings.ReplaceAll(tt.text, "\r", "") {
			t.Errorf("value %q", got)
		}
		if marked(b) != start {
			b.Undo()
		}
		expect(t, b, start)
	}
	b.MoveTo(2)
	b.Expand()
	b.Collapse("x" + b.Value())
	expect(t, b, "xa"+lines(6)+"b"+two+"c"+three+"|")
	b.MoveTo(8)
	b.Expand()
	expect(t, b, "xa"+one+"|b"+two+"c"+three)
}
