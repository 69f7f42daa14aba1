package transcript

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/theme"
	"pollux/tool"
)

func TestAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		width  int
		chunks []string
		want   string
	}{
		{"words", 80, []string{"Hel", "lo wor", "ld", "."}, "✦ Hello world.\n"},
		{"wrapped", 14, []string{"one two three four five"}, "✦ one two\nthree four\nfive\n"},
		{"paragraphs", 80, []string{"\n\na\n", "\nb\n\n"}, "✦ a\n\nb\n"},
		{"nothing", 80, []string{"\n", " \n"}, ""},
		{"heading", 80, []string{"# A\ntext"}, "✦ A\ntext\n"},
		{"code first", 80, []string{"```go\npackage a\n\n  x\n```\ntext"}, "✦\npackage a\n\n  x\ntext\n"},
		{"list first", 80, []string{"- a\n", "- b\n"}, "✦ - a\n  - b\n"},
		{"numbers first", 80, []string{"1. a\n2. b\n"}, "✦ 1. a\n  2. b\n"},
		{"a list, then a text, then a list", 80, []string{"- a\n  - b\n\n- c\n\ntext\n\n- d\n"}, "✦ - a\n    - b\n\n  - c\n\ntext\n\n- d\n"},
		{"a long item first", 14, []string{"- one two three\n"}, "✦ - one two\n    three\n"},
		{"a list with code first", 80, []string{"- a\n  ```\n  code\n  ```\n- b\n"}, "✦ - a\ncode\n  - b\n"},
		{"a narrow list", 7, []string{"- one\n- two\n"}, "✦\n- one\n- two\n"},
		{"quote first", 80, []string{"> a\n>\n> b\n"}, "✦ │ a\n  │\n  │ b\n"},
		{"an empty item first", 80, []string{"-\n- a\n"}, "✦ -\n  - a\n"},
		{"rule first", 10, []string{"---\na\n"}, "✦\n──────────\na\n"},
		{"narrow", 5, []string{"one two"}, "✦\none\ntwo\n"},
		{"escapes", 80, []string{"a\x1b", "[2Jb\x1b]0;ti", "tle\x07c"}, "✦ abc\n"},
		{"direction", 80, []string{"a\u202eb\u200bc"}, "✦ abc\n"},
		{"an invisible paragraph first", 80, []string{"\u200b\n\ntext"}, "✦ text\n"},
		{"year first", 80, []string{"1984. A year."}, "✦ 1984. A year.\n"},
	} {
		tr := &Transcript{Look: Look{Width: c.width}}
		for _, chunk := range c.chunks {
			tr.run(agent.Text{Text: chunk})
		}
		tr.Handle(kit.Finished{}, start)
		check(t, c.name, joined(tr.Take()), c.want)
	}
}

// TestBlocksLeave checks that finished blocks are printed at once, and that the open one is pending.
func TestBlocksLeave(t *testing.T) {
	t.Parallel()
	tr := newTranscript()
	for _, step := range []struct{ chunk, taken, pending string }{
		{"First", "", "✦ First\n"},
		{" paragraph.\n\nSec", "✦ First paragraph.\n", "\nSec\n"},
		{"ond\n```\ncode\nmo", "\nSecond\ncode\n", "mo\n"},
		{"re\n```\n", "more\n", ""},
		{"\n", "", ""},
	} {
		tr.run(agent.Text{Text: step.chunk})
		check(t, "taken", joined(tr.Take()), step.taken)
		check(t, "pending", joined(tr.Pending(10, start)), step.pending)
		check(t, "pending again", joined(tr.Pending(10, start)), step.pending)
	}
}

// TestContinuations checks where a second answer begins.
func TestContinuations(t *testing.T) {
	t.Parallel()
	c := callOf("read_file", "1")
	tr := newTranscript().run(
		agent.TurnStarted{}, agent.Text{Text: "Let me "}, agent.Thinking{Text: "hm"}, agent.Thought{Subject: "hidden"}, agent.Text{Text: "look."},
		agent.ToolRequested{Call: c}, agent.Finished{}, began(c, tool.KindRead, "a.go"), done(c, &tool.Result{Summary: "12 lines"}),
		agent.TurnStarted{}, agent.Text{Text: "Found."}, agent.Finished{},
	)
	check(t, "", joined(tr.Take()), "✦ Let me look.\n\n  ✓ ReadFile  a.go  → 12 lines\n\n✦ Found.\n")
}

// TestNotesWait checks that a note which comes beside an answer does not cut it in two.
func TestNotesWait(t *testing.T) {
	t.Parallel()
	tr := newTranscript().run(agent.Text{Text: "```\na\n"})
	tr.Warn("beside")
	tr.run(agent.Text{Text: "b\n"})
	check(t, "taken", joined(tr.Take()), "✦\na\nb\n")
	check(t, "pending", joined(tr.Pending(10, start)), "\n⚠  beside\n")
	tr.run(agent.Text{Text: "c\n```\n"}, agent.Finished{})
	check(t, "at the end", joined(tr.Take()), "c\n\n⚠  beside\n")
}

// TestPreviewFits checks that the end of a long open block is shown.
func TestPreviewFits(t *testing.T) {
	t.Parallel()
	tr := &Transcript{Look: Look{Width: 10}}
	tr.run(agent.Text{Text: "one two three four five six seven eight"})
	check(t, "paragraph", joined(tr.Pending(2, start)), "seven\neight\n")
	tr.Look.Width = 40
	check(t, "wider", joined(tr.Pending(5, start)), "✦ one two three four five six seven\neight\n")
	tr.Handle(kit.Finished{}, start)
	tr.Take()
	tr.Look.Width = 10
	tr.run(agent.Text{Text: "```\nabcdefghij klmnopqrstuvwx中文y"})
	check(t, "code", joined(tr.Pending(3, start)), "abcdefghij\n klmnopqrs\ntuvwx中文y\n")
}

// TestNewLook checks that the open block follows the look.
func TestNewLook(t *testing.T) {
	t.Parallel()
	tr := newTranscript().run(agent.Text{Text: "A [link](https://example.org)"})
	check(t, "without links", joined(tr.Pending(5, start)), "✦ A link (https://example.org)\n")
	tr.Look.HasLinks = true
	check(t, "with links", joined(tr.Pending(5, start)), "✦ A link\n")
	before := notation(tr.Pending(5, start))
	tr.Look.Theme, _ = theme.Lookup(theme.DefaultDark)
	if notation(tr.Pending(5, start)) == before {
		t.Errorf("the colors are as before: %s", before)
	}
}

// TestAnswerBehindCall checks an answer that waits for a call before it.
func TestAnswerBehindCall(t *testing.T) {
	t.Parallel()
	c := callOf("run_shell_command", "1")
	tr := newTranscript().run(began(c, tool.KindExecute, "make"), agent.Text{Text: "one\n\ntwo"})
	check(t, "open", joined(tr.Pending(9, start)), "⊷ Shell  make\n\n✦ one\n\ntwo\n")
	tr.run(agent.Finished{})
	check(t, "ended", joined(tr.Pending(9, start)), "⊷ Shell  make\n\n✦ one\n\ntwo\n")
	tr.run(done(c, nil))
	check(t, "printed", joined(tr.Take()), "✓ Shell  make\n\n✦ one\n\ntwo\n")
}

const sampleAnswer = "# Title\n\nA paragraph with **bold** and `code`, which is *long* enough to be wrapped at forty columns.\n" +
	"\n- one\n- two\n  - nested\n\n```go\npackage a\n\n// x\nfunc f() {}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n\n1. first\n2. 中文 second\n\nLast \x1b[31mone\x1b[0m."

// TestDivision checks that the printed lines depend neither on the division of an answer into chunks, nor on other
// events between them, nor on the moments at which lines are taken and drawn.
func TestDivision(t *testing.T) {
	t.Parallel()
	plain := newTranscript().run(agent.Text{Text: sampleAnswer})
	plain.Warn("beside")
	plain.Handle(kit.Finished{}, start)
	want := joined(plain.Take())
	rapid.Check(t, func(t *rapid.T) {
		tr := newTranscript()
		var got []string
		hasWarned := false
		for rest := sampleAnswer; rest != ""; {
			n := rapid.IntRange(1, min(len(rest), 40)).Draw(t, "length")
			tr.run(agent.Text{Text: rest[:n]})
			rest = rest[n:]
			switch rapid.IntRange(0, 6).Draw(t, "step") {
			case 0:
				got = append(got, texts(tr.Take())...)
			case 1:
				height := rapid.IntRange(0, 12).Draw(t, "height")
				if lines := tr.Pending(height, start); len(lines) > height {
					t.Fatalf("%d lines in a height of %d", len(lines), height)
				}
			case 2:
				tr.run(agent.Thinking{Text: "hm"}, agent.Thought{Subject: "hidden"}, agent.Retried{Cause: agent.InvalidStream{Type: "NO_RESPONSE_TEXT"}})
			case 3:
				tr.Handle(kit.Queued{Text: "later"}, start)
			case 4:
				if !hasWarned {
					tr.Warn("beside")
				}
				hasWarned = true
			}
		}
		if !hasWarned {
			tr.Warn("beside")
		}
		tr.Handle(kit.Finished{}, start)
		if got := strings.Join(append(got, texts(tr.Take())...), "\n") + "\n"; got != want {
			t.Fatalf("%s\nnot\n%s", got, want)
		}
	})
}
