package transcript

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pollux/internal/face/tui/diff"
	"pollux/internal/face/tui/styled"
	"pollux/internal/outcome"
	"pollux/internal/slash"
	"pollux/tool"
)

// TestFit checks that the lines of a conversation, fitted to another width, are those of a conversation that was shown there.
func TestFit(t *testing.T) {
	t.Parallel()
	table := "| Name | What it does |\n|---|---|\n" + strings.Repeat("| lexer | It splits a text into tokens, and drops none of them. |\n", 3)
	play := func(width int, refits bool) (lines []styled.Line, pending string) {
		tr := newTranscript()
		tr.Look.Width, tr.Look.Refits, tr.Options.ShowsThoughts = width, refits, true
		conversation(tr, func(moment string, now time.Time) {
			pending += fmt.Sprintf("---- %s\n%s", moment, notation(tr.Pending(12, now)))
		})
		tr.addText("# Parts\n\n" + table + "\nThat is all, as far as these tests show it.\n")
		tr.endAnswer()
		tr.addResult(slash.Result{Outcome: outcome.Textf("%s", "A *long* result of a command, which has more than forty columns.\n\n"+table)})
		tr.PrintFitting(func(width int) []styled.Line { return []styled.Line{styled.Plain(strings.Repeat("=", width))} })
		return tr.Take(), pending
	}
	for _, from := range []int{30, 40, 80, 160} {
		made, got := play(from, true)
		fresh, want := play(from, false)
		if got != want {
			t.Errorf("%d columns: work in progress is\n%s\nnot\n%s", from, got, want)
		}
		if got, want := notation(styled.Unblocked(made)), notation(fresh); got != want {
			t.Errorf("%d columns: the conversation is\n%s\nnot\n%s", from, got, want)
		}
		for _, to := range []int{30, 40, 80, 160} {
			var fitted []styled.Line
			for _, l := range made {
				if b := l.Block(); b != nil {
					fitted = append(fitted, b.Fit(to)...)
				} else {
					fitted = append(fitted, l)
				}
			}
			want, _ := play(to, false)
			if got, want := notation(fitted), notation(want); got != want {
				t.Errorf("from %d to %d columns it is\n%s\nnot\n%s", from, to, got, want)
			}
		}
	}
}

// TestRefitChange checks that a change of a file has one or two columns as the width of a screen that fits lines again, and keeps no large file
// for that.
func TestRefitChange(t *testing.T) {
	t.Parallel()
	rest := strings.Repeat("// more\n", maxKept/8)
	for _, after := range []string{"var b int\n", "var b int\n" + rest} {
		before := strings.Replace(after, "b", "a", 1)
		d := &tool.DiffDisplay{FileName: "x.go", Before: &before, After: after, Diff: "@@ -1 +1 @@\n-var a int\n+var b int\n"}
		tr := newTranscript()
		tr.Look.Refits, tr.Look.Width = true, 160
		lines := tr.diffLines(d)
		if len(lines) != 1 || lines[0].Block() == nil {
			t.Fatalf("%d lines without a block", len(lines))
		}
		block := lines[0].Block()
		narrow, wide := block.Fit(100), block.Fit(200)
		if len(block.Lines) != 1 || len(narrow) != 2 || len(wide) != 1 {
			t.Errorf("%d lines, %d in 100 columns, %d in 200", len(block.Lines), len(narrow), len(wide))
		}
		if isColored := len(narrow[0]) > 5; isColored != (len(after) < maxKept) { // number, sign, and text around the emphasized word
			t.Errorf("%d bytes: %d spans", len(after), len(narrow[0]))
		}
		tr.Options.DiffLayout = diff.One
		if lines := tr.diffLines(d); len(lines) != 2 || lines[0].Block() != nil {
			t.Errorf("in one column: %d lines", len(lines))
		}
	}
}
