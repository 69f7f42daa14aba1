package transcript

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pollux/internal/face/tui/styled"
	"pollux/internal/outcome"
	"pollux/internal/slash"
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
