package transcript

import (
	"errors"
	"strings"
	"testing"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/styled"
	"pollux/internal/outcome"
	"pollux/internal/slash"
)

// sequences returns lines with their marks, such as "<A>".
func sequences(lines []styled.Line) string {
	var b strings.Builder
	for _, l := range lines {
		if len(l) == 1 && l[0].Object != nil {
			for _, s := range strings.SplitAfter(l[0].Object.Control, "\a") {
				if s != "" {
					b.WriteString("<" + strings.TrimSuffix(strings.TrimPrefix(s, "\x1b]133;"), "\a") + ">")
				}
			}
			continue
		}
		b.WriteString(l.String() + "|")
	}
	return b.String()
}

func TestMarks(t *testing.T) {
	t.Parallel()
	failed := slash.Result{Outcome: outcome.Textf("No.")}
	failed.Failed = true
	for _, c := range []struct {
		name   string
		events []kit.Event
		want   string
	}{
		{"answered", []kit.Event{kit.Finished{}}, "<A><B>> go|<C><D;0>"},
		{"failed", []kit.Event{kit.Failed{Err: errors.New("x")}, kit.Finished{}}, "<A><B>> go|<C>|✕ x|<D;1>"},
		{"cancelled", []kit.Event{kit.Cancelled{}, kit.Finished{}, kit.Finished{}}, "<A><B>> go|<C>|ℹ Request cancelled.|<D;130>"},
		{"command failed", []kit.Event{kit.CommandDone{Result: failed}, kit.Finished{}}, "<A><B>> go|<C>|✕ No.|<D;1>"},
	} {
		tr := Transcript{Look: Look{Width: 40, HasMarks: true}}
		tr.Prompt("go")
		for _, e := range c.events {
			tr.Handle(e, start)
		}
		if got := sequences(tr.Take()); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
		tr.Prompt("next")
		tr.Prompt("one more")
		if got := sequences(tr.Take()); got != "|<A><B>> next|<C><D;0>|<A><B>> one more|<C>" {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	tr := Transcript{Look: Look{Width: 40}}
	tr.Prompt("go")
	tr.Handle(kit.Finished{}, start)
	if got := sequences(tr.Take()); got != "> go|" {
		t.Errorf("without marks: %q", got)
	}
}
