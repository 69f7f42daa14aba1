package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/face/tui/buffer"
)

// state returns the text of a buffer with "|" at the cursor.
func state(b *buffer.Buffer) string {
	return b.Shown()[:b.Cursor()] + "|" + b.Shown()[b.Cursor():]
}

// send adds a text to the history, as the composer does.
func send(in *Inputs, b *buffer.Buffer) {
	in.Add(b.Value(), b.Snapshot())
	in.Reset()
	b.Clear()
}

// newPrompts returns a history of prompts that were sent, the oldest first, with older ones of the last session.
func newPrompts(past string, sent ...string) *Inputs {
	in := Prompts(func() []string { return strings.Fields(past) })
	for _, text := range sent {
		var b buffer.Buffer
		b.Insert(text)
		send(in, &b)
	}
	return in
}

func TestBrowse(t *testing.T) {
	t.Parallel()
	in := newPrompts("newer old", "first", "second")
	var b buffer.Buffer
	b.SetText("my draft", 2)
	for _, c := range []struct {
		move  string
		want  string
		moved bool
	}{
		{"newer", "my| draft", false},
		{"older", "|second", true},
		{"older", "|first", true},
		{"type", "X|first", true},
		{"older", "|newer", true},
		{"older", "|old", true},
		{"older", "|old", false},
		{"newer", "newer|", true},
		{"newer", "X|first", true},
		{"right", "Xf|irst", true},
		{"newer", "second|", true},
		{"older", "X|first", true}, // as it was edited
		{"newer", "second|", true},
		{"newer", "my| draft", true},
		{"newer", "my| draft", false},
		{"older", "|second", true},
	} {
		moved := true
		switch c.move {
		case "older":
			moved = in.Older(&b)
		case "newer":
			moved = in.Newer(&b)
		case "type":
			b.Insert("X")
		case "right":
			b.Right()
		}
		if got := state(&b); got != c.want || moved != c.moved {
			t.Errorf("%s: %q, %v, not %q, %v", c.move, got, moved, c.want, c.moved)
		}
	}
	in.Reset()
	if in.Newer(&b) || !in.Older(&b) || !in.Older(&b) || b.Shown() != "first" {
		t.Errorf("the edits stay: %q", b.Shown())
	}
}

// all returns all inputs, the newest first.
func all(in *Inputs) (texts []string) {
	var b buffer.Buffer
	in.Reset()
	for in.Older(&b) {
		texts = append(texts, b.Value())
	}
	in.Reset()
	return texts
}

func TestDuplicates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   *Inputs
		want string
	}{
		{newPrompts("", "a", "a", " ", "b", "a"), "a b a"},
		{newPrompts("x x y x", "a"), "a x y x"},
		{newPrompts("b a x", "a", "b"), "b a x"}, // the log has them already
		{newPrompts("a"), "a"},
		{newPrompts(""), ""},
		{Prompts(nil), ""},
		{Shell(nil, nil), ""},
		{Shell(func() []string { return []string{"a", "b", "a", "", "c"} }, nil), "a b c"},
	} {
		if got := strings.Join(all(c.in), " "); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}

func TestShell(t *testing.T) {
	t.Parallel()
	var saved []string
	loads := 0
	in := Shell(func() []string { loads++; return []string{"ls", "make"} }, func(command string) { saved = append(saved, command) })
	for _, text := range []string{"git status", "ls", "git status", "git status", " "} {
		var b buffer.Buffer
		b.Insert(text)
		send(in, &b)
	}
	if loads != 0 {
		t.Error("the file was read before it was needed")
	}
	if got := all(in); !slices.Equal(got, []string{"git status", "ls", "make"}) {
		t.Errorf("%q", got)
	}
	if want := []string{"git status", "ls", "git status", "git status"}; !slices.Equal(saved, want) || loads != 1 {
		t.Errorf("saved %q, loaded %d times", saved, loads)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	many := func() (texts []string) {
		for i := range 2000 {
			texts = append(texts, fmt.Sprint("past", i))
		}
		return texts
	}
	for _, c := range []struct {
		in   *Inputs
		most int
	}{{Prompts(many), 1000}, {Shell(many, nil), 100}} {
		if got := all(c.in); len(got) != c.most || got[0] != "past0" {
			t.Errorf("%d inputs", len(got))
		}
		for i := range 2000 {
			c.in.Add(fmt.Sprint(i), buffer.Snapshot{})
		}
		if len(c.in.entries) != c.most || c.in.entries[c.most-1].text != "1999" {
			t.Errorf("%d inputs", len(c.in.entries))
		}
	}
	in := Prompts(nil)
	for i := range 20 {
		in.Add(strings.Repeat("x", 1<<20)+fmt.Sprint(i), buffer.Snapshot{})
	}
	if n := len(in.entries); n != 15 || in.size > maxBytes {
		t.Errorf("%d large inputs of %d bytes", n, in.size)
	}
	in.Add(strings.Repeat("x", 2*maxBytes), buffer.Snapshot{})
	if n := len(in.entries); n != 1 {
		t.Errorf("%d inputs beside one that is too large", n)
	}
	in.Add("y", buffer.Snapshot{})
	if n := len(in.entries); n != 1 || in.size != 1 {
		t.Errorf("%d inputs, %d bytes", n, in.size)
	}
}

func TestRemoveWhileBrowsing(t *testing.T) {
	t.Parallel()
	in := Shell(nil, nil)
	for _, text := range []string{"a", "b", "c"} {
		in.Add(text, buffer.Snapshot{})
	}
	var b buffer.Buffer
	in.Older(&b)
	in.Older(&b)                    // b
	in.Add("a", buffer.Snapshot{})  // another part sends it
	if in.at != 0 || in.Older(&b) { // b is the oldest now
		t.Errorf("at %d", in.at)
	}
	for range 3 {
		in.Newer(&b)
	}
	if in.isBrowsing {
		t.Error("it does not come to the draft")
	}
}

func TestPlaceholders(t *testing.T) {
	t.Parallel()
	in := Prompts(nil)
	var b buffer.Buffer
	b.Insert("see ")
	text := strings.Repeat("line\n", 20)
	b.Paste(text)
	shown, value := b.Shown(), b.Value()
	send(in, &b)
	if in.Older(&b); b.Shown() != shown || b.Value() != value || !strings.Contains(shown, "[Pasted Text: 21 lines]") {
		t.Errorf("%q", b.Shown())
	}
	b.Clear()
	b.Put(buffer.Range{}, in.Clip(" "+value))
	if b.Shown() != shown || b.Value() != value {
		t.Errorf("%q", b.Shown())
	}
	b.Clear()
	if b.Put(buffer.Range{}, in.Clip("other")); b.Shown() != "other" {
		t.Errorf("%q", b.Shown())
	}
}

// TestNothingIsLost browses at random: each entry keeps its edits, and so does the draft.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,3}`), 0, 5, rapid.ID).Draw(t, "inputs")
		in := newPrompts("", want...)
		var b buffer.Buffer
		b.Insert("draft")
		want = append(want, "draft")
		at := len(want) - 1
		for range rapid.IntRange(0, 40).Draw(t, "moves") {
			switch rapid.IntRange(0, 2).Draw(t, "move") {
			case 0:
				if in.Older(&b) {
					at--
				}
			case 1:
				if in.Newer(&b) {
					at++
				}
			case 2:
				b.Insert("X")
				want[at] = b.Shown()
			}
			if got := b.Shown(); got != want[at] {
				t.Fatalf("%q, not %q of %q", got, want[at], want)
			}
		}
	})
}
