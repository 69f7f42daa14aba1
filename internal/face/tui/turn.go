package tui

import (
	"time"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/receipt"
	"pollux/internal/face/tui/styled"
)

// turn is the last run of the model.
type turn struct {
	phase  phase
	began  time.Time // zero if the session has had none
	before receipt.Counts
}

// phase is how far a run is.
type phase uint8

const (
	ended     phase = iota
	answering       // the response asks for no calls so far
	calling         // the response asks for calls, so that another one follows
	answered        // the response is whole and asks for no calls: hooks and records are left
	cancelled       // the person has cancelled the run
)

// follow takes an event of the run.
func (p *phase) follow(e agent.Event) {
	if *p == ended || *p == cancelled {
		return
	}
	switch e.(type) {
	case agent.TurnStarted:
		*p = answering
	case agent.ToolRequested:
		*p = calling
	case agent.Finished:
		if *p == answering {
			*p = answered
		}
	}
}

// cancel notes that the person has cancelled the run, if there is one.
func (p *phase) cancel() {
	if *p != ended {
		*p = cancelled
	}
}

// isClosing reports whether a command can wait for the end of the run. While the model works it cannot: files may have changed by then.
func (p phase) isClosing() bool { return p == ended || p == answered || p == cancelled }

// beginTurn notes the counts of the session before the run.
func (l *loop) beginTurn(e kit.Began, now time.Time) {
	l.turn = turn{phase: answering, began: now, before: receipt.Of(e.Stats)}
}

// endTurn prints the receipt of the run, if the user wants it.
func (l *loop) endTurn(e kit.Finished, now time.Time) {
	if l.turn.phase == ended {
		return
	}
	took := now.Sub(l.turn.began)
	l.turn.phase, l.status.values.TurnTime = ended, took
	if config.TurnSummary.In(l.view.settings()) {
		r := receipt.Between(l.turn.before, receipt.Of(e.Stats), took)
		l.transcript.PrintFitting(func(width int) (lines []styled.Line) {
			if line := r.Line(width, l.display.Look.Theme); line != nil {
				lines = append(lines, line)
			}
			return lines
		})
	}
}
