package tui

import (
	"strings"
	"time"

	"pollux/internal/face/tui/styled"
	"pollux/internal/terminal"
)

// finish removes the live area, shows the last texts, and gives the terminal back. inOrder is false if a signal ended the
// session, or if it could not be opened.
func (l *loop) finish(inOrder bool) {
	defer l.counting.Wait()
	defer l.display.Close()
	l.closeSettled()
	l.endWriting()
	l.keeper.Last(l.draft(), time.Now())
	l.keepReduced()
	if !l.display.AwaitFrame() || l.failure != nil {
		return
	}
	l.display.BeginEnd()
	l.transcript.DropPictures()
	l.display.Print(l.transcript.Take()...)
	l.display.End(l.farewell(inOrder))
}

// farewell returns the last lines of the session.
func (l *loop) farewell(inOrder bool) (lines []styled.Line) {
	add := func(text string) {
		if text == "" {
			return
		}
		for _, line := range strings.Split(strings.TrimRight(terminal.Text(text), "\n"), "\n") {
			lines = append(lines, styled.Plain(line))
		}
	}
	lines = append(lines, nil)
	hasTalked := !l.turn.began.IsZero()
	switch {
	case !inOrder:
		if l.view.isOpen() && hasTalked {
			add(l.view.live.Commands.ResumeHint())
		}
	case l.view.isOpen() && hasTalked:
		add(l.view.live.Commands.Farewell())
	default:
		add("Agent powering down. Goodbye!")
	}
	add(l.ending)
	return lines
}
