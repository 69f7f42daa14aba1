package tui

import (
	"time"

	"pollux/internal/face/tui/composer"
	"pollux/internal/face/tui/footer"
	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/modeline"
	"pollux/internal/face/tui/question"
	"pollux/internal/face/tui/queue"
	"pollux/internal/face/tui/styled"
	"pollux/internal/guard/policy"
)

// drawn is the question in the last frame that has the keyboard, nil for none. isShown is set when it is on the screen.
type drawn struct {
	dialog  question.Dialog
	isShown bool
}

// draw begins to write the next frame, if something has changed and the terminal has taken the last one.
func (l *loop) draw(now time.Time) {
	if !l.display.IsDue(now) {
		return
	}
	if l.viewing != nil {
		l.drawViewer(now)
		return
	}
	if !l.display.Begin(now) {
		return
	}
	l.transcript.Look.Width, l.transcript.Look.Theme = l.display.Width(), l.display.Look.Theme
	l.transcript.Look.HasLinks, l.transcript.Look.HasMarks = l.display.Look.OpensLinks(), l.display.Look.HasMarks()
	if l.display.Look.IsKnown {
		l.display.Print(l.transcript.Take()...)
	}
	l.retitle()
	asks := l.dialog
	if l.isFrozen() || l.shells.HasFocus() { // asked before the frame is made: a command may end meanwhile
		asks = nil
	}
	live := l.frame(now)
	if !l.display.Show(live, now) {
		return
	}
	l.drawn.dialog = asks
	if !l.display.IsBusy() { // the frame has no bytes
		l.shown(now)
	}
}

// written takes the end of a frame.
func (l *loop) written(r inline.Result) {
	l.display.Done()
	if r.Err != nil {
		l.fail("write to", r.Err)
		return
	}
	l.shown(r.ShownAt())
}

// shown notes that the last frame is on the screen since a time.
func (l *loop) shown(at time.Time) {
	if l.drawn.dialog != nil && l.drawn.dialog == l.dialog && !l.drawn.isShown {
		l.dialog.Shown(at)
		l.drawn.isShown = true
	}
}

// area is a part of the live area, from top to bottom.
type area struct {
	lines     []styled.Line
	cursor    inline.Position
	hasCursor bool
}

func (a *area) add(lines ...styled.Line) { a.lines = append(a.lines, lines...) }

// addWithCursor adds lines with the cursor in them.
func (a *area) addWithCursor(lines []styled.Line, cursor inline.Position) {
	cursor.Row += len(a.lines)
	a.cursor, a.hasCursor = cursor, true
	a.add(lines...)
}

// frame returns the live area: the work in progress, and below it the question or the composer.
func (l *loop) frame(now time.Time) inline.Frame {
	width, room := l.display.Width(), max(l.display.Height()-1, 1)
	var below area
	switch {
	case l.dialog != nil:
		l.drawQuestion(&below, width, room, now)
	case l.pane != nil:
		l.drawPane(&below, width, room)
	default:
		l.drawComposer(&below, width, room, now)
	}
	var all area
	l.sizeShells(room - len(below.lines))
	if l.drawShell(&all, width, room-len(below.lines), now) {
		below.hasCursor = below.hasCursor && !all.hasCursor
	} else if rest := min(room-len(below.lines), l.display.Height()/2); rest > 0 {
		all.add(l.transcript.Pending(rest, now)...)
		if len(all.lines) > 0 && len(all.lines) < rest {
			all.add(nil)
		}
	}
	open := len(all.lines)
	if below.hasCursor {
		all.addWithCursor(below.lines, below.cursor)
	} else {
		all.add(below.lines...)
	}
	return inline.Frame{Lines: all.lines, Open: open, Cursor: all.cursor, HidesCursor: !all.hasCursor}
}

// drawDialog adds the open question, with the draft below it.
func (l *loop) drawDialog(a *area, width, room int) {
	draft := l.composer.Field().Shown()
	if draft != "" && room > 6 {
		room -= 2
	}
	v := l.dialog.View(width, room, l.display.Look.Theme)
	if v.HasText {
		a.addWithCursor(v.Lines, v.Cursor)
	} else {
		a.add(v.Lines...)
	}
	if draft != "" && room > 4 {
		a.add(nil, styled.Of("Draft: "+styled.Text(draft), l.display.Look.Theme.Secondary()).Cut(width))
	}
}

// drawComposer adds the composer and the lines around it, as far as there is room.
func (l *loop) drawComposer(a *area, width, room int, now time.Time) {
	t := l.display.Look.Theme
	l.composer.HasQueue, l.composer.Mode = len(l.unsent()) > 0, composerMode(l.view.mode())
	isReduced := l.isReduced(now)
	var foot []styled.Line
	if !isReduced {
		foot = l.footerLines(width, room)
	}
	v := l.composer.View(width, max(room-len(foot)-2, 1), t)
	rest := room - len(foot) - len(v.Lines)
	if rest > 0 {
		l.working.Awaited = l.awaited(now)
		status, mode := l.statusRow(width, now), l.toast.Line(width, now, t)
		if rest == 1 && mode != nil {
			status = mode
		}
		if mode == nil {
			mode = l.modeLine(width, isReduced)
		}
		if rest > 1 {
			if !isReduced {
				l.drawTrays(a, width, rest-2)
			}
			a.add(status, mode)
		} else {
			a.add(status)
		}
	}
	a.addWithCursor(v.Lines, v.Cursor)
	a.add(foot...)
}

// composerMode returns the look of the composer in an approval mode.
func composerMode(m policy.Mode) composer.Mode {
	switch m {
	case policy.AutoEdit:
		return composer.AutoEdit
	case policy.Sandboxed:
		return composer.Sandboxed
	case policy.Plan:
		return composer.Plan
	case policy.Yolo:
		return composer.Yolo
	}
	return composer.Normal
}

// drawTrays adds the queued prompts and the todo list.
func (l *loop) drawTrays(a *area, width, room int) {
	t := l.display.Look.Theme
	for _, c := range l.beside {
		if text := c.Text(time.Now()); text != "" && room > 1 {
			a.add(styled.Of("• "+styled.Text(text), t.Secondary()).Cut(width))
			room--
		}
	}
	for _, lines := range [...][]styled.Line{queue.Held(l.composer.Held(), l.heldKey(), width, t), queue.Lines(l.waiting.texts(), l.queueKey(), width, t)} {
		if len(lines) < room {
			a.add(lines...)
			room -= len(lines)
		}
	}
	if panel := l.composer.Panel(width, t); len(panel) < room {
		a.add(panel...)
		room -= len(panel)
	}
	if room > 0 {
		a.add(l.todo.Lines(width, room, l.view.bindings.Hint(keys.AppShowFullTodos), t)...)
	}
}

func (l *loop) footerLines(width, room int) []styled.Line {
	if !l.status.isShown || room < 5 {
		return nil
	}
	if l.turn.phase != ended {
		l.status.values.TurnTime = time.Since(l.turn.began)
	}
	l.status.values.Mode = ""
	if m := l.composer.Vim; m != nil {
		l.status.values.Mode = m.Name()
	}
	l.status.values.Errors, l.status.values.ErrorKey = l.errorCount(), l.view.bindings.Hint(keys.AppShowErrorDetails)
	return footer.Lines(l.status.values, l.status.options, width, l.display.Look.Theme)
}

// modeLine returns the row with the approval mode, that of the reduced screen if isReduced is set.
func (l *loop) modeLine(width int, isReduced bool) styled.Line {
	m := modeline.Mode{Approval: l.view.mode().Name(), HasPlan: l.view.hasPlan(), IsShell: l.composer.IsShell(), IsRaw: l.transcript.Look.IsRaw}
	m.HasBox = l.view.mode() == policy.AutoEdit && l.view.canSandbox()
	if v := &l.status.values; isReduced {
		return modeline.Short(m, v.Context, v.CompressAt, width, l.display.Look.Theme)
	}
	return modeline.Line(m, l.status.context, width, l.display.Look.Theme, l.view.bindings)
}
