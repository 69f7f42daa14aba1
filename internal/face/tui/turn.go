package tui

import (
	"time"

	"pollux/internal/config"
	"pollux/internal/face/tui/receipt"
	"pollux/internal/face/tui/styled"
)

// turn is the run of the model in progress.
type turn struct {
	isOpen bool
	began  time.Time
	before receipt.Counts
}

// beginTurn notes the counts of the session before the run.
func (l *loop) beginTurn(now time.Time) {
	l.turn = turn{isOpen: true, began: now, before: l.counts()}
}

// endTurn prints the receipt of the run, if the user wants it.
func (l *loop) endTurn(now time.Time) {
	if !l.turn.isOpen {
		return
	}
	took := now.Sub(l.turn.began)
	l.turn.isOpen, l.status.values.TurnTime = false, took
	if config.TurnSummary.In(l.view.settings()) {
		r := receipt.Between(l.turn.before, l.counts(), took)
		l.transcript.PrintFitting(func(width int) (lines []styled.Line) {
			if line := r.Line(width, l.display.Look.Theme); line != nil {
				lines = append(lines, line)
			}
			return lines
		})
	}
}

func (l *loop) counts() receipt.Counts {
	counts := l.view.session.Observers.Stats.Snapshot()
	return receipt.Of(&counts)
}
