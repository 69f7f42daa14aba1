package tui

import (
	"time"

	"pollux/internal/config"
	"pollux/internal/face/tui/console"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/toast"
	"pollux/internal/slash"
	"pollux/internal/terminal"
)

// connectShells runs the commands of a session in pseudo-terminals, if the user wants that. It comes before the driver has
// the session, because input that was typed before may be a command.
func (v *view) connectShells(c *console.Console) {
	if config.ShellInTerminal.In(v.settings()) {
		v.session.Processes.SetConsole(c)
	}
}

// pressShell gives a key to the command that has the keyboard, or the keyboard to a command. It returns false for a key
// that is for another part. A command keeps the keyboard when a question opens: the person may be typing a password. The pause of the question
// begins with the first frame in which it has the keyboard, so that a key for a command that has just ended is no answer.
func (l *loop) pressShell(e keys.Event, now time.Time) bool {
	if l.pane != nil {
		return false
	}
	k, isKey := e.(keys.Key)
	if !l.shells.HasFocus() {
		return isKey && l.dialog == nil && l.composer.IsEmpty() && l.focusesShell(k) && l.shells.Focus()
	}
	if isKey {
		switch command, _ := l.view.bindings.Match(k.Chord, keys.AppUnfocusShellInput, keys.BackgroundUnfocus, keys.BackgroundToggle); command {
		case keys.AppUnfocusShellInput, keys.BackgroundUnfocus:
			l.unfocusShell()
			return true
		case keys.BackgroundToggle:
			return l.unfocusShell()
		}
	}
	if err := l.shells.Type(e); err != nil {
		l.toast.Show(terminal.Line(err.Error()), toast.Warning, now, toast.UsualTime)
	}
	return true
}

// unfocusShell takes the keyboard back from a command. The open question gets it, or else the list of commands if the command runs in the
// background. It returns false if neither does.
func (l *loop) unfocusShell() bool {
	isHidden := l.shells.Unfocus()
	return l.dialog != nil || isHidden && l.openPane(slash.Call{Name: "tasks"})
}

// focusesShell reports whether a key gives the keyboard to a running command.
func (l *loop) focusesShell(k keys.Key) bool {
	_, ok := l.view.bindings.Match(k.Chord, keys.AppFocusShellInput)
	return ok || k.Chord == keys.Chord{Mods: keys.Ctrl, Code: 'f'}
}

// expireShells takes the outcome of a Tab that a command has got, and looks whether a silent command waits for input.
func (l *loop) expireShells(now time.Time) {
	l.shells.Look(now)
	if isUsed, isKnown := l.shells.Tabbed(now); isKnown && isUsed {
		l.toast.Show(toast.Unfocus(l.view.bindings), toast.Hint, now, toast.UsualTime)
	}
}

// drawShell adds the command that has the keyboard, in at most height rows. It returns false if none has it.
func (l *loop) drawShell(a *area, width, height int, now time.Time) bool {
	lines, cursor, hasCursor, ok := l.shells.View(height, func(command string, began time.Time) styled.Line {
		return l.transcript.ShellHead(command, now.Sub(began))
	})
	if !ok {
		return false
	}
	for i := range lines {
		if i > 0 {
			lines[i] = append(styled.Plain(shellMargin), lines[i]...)
		}
		lines[i] = lines[i].Cut(width)
	}
	cursor.Column += len(shellMargin)
	if hasCursor && l.pane == nil {
		a.addWithCursor(lines, cursor)
	} else {
		a.add(lines...)
	}
	return true
}

// shellMargin stands before the rows of a command.
const shellMargin = "  "

// sizeShells gives the terminals of commands the size of the area in which one that has the keyboard is drawn. Without
// the keyboard, a running command keeps its size as long as the screen does: a draft that grows, or a list of commands, is no
// reason to change it. It gets the size of the first frame after its start, with the row about the work: so it keeps that size
// when it gets the keyboard, for a program may lose a key while it draws itself again.
func (l *loop) sizeShells(height int) {
	at := shellsAt{l.display.Width(), l.display.Height(), l.composer.IsBusy}
	if (at.isBusy || !l.shells.IsEmpty()) && !l.shells.HasFocus() && at == l.shellsAt {
		return
	}
	l.shellsAt = at
	l.shells.Resize(at.width-len(shellMargin), height-1)
}

// shellsAt is the screen for which commands have their size.
type shellsAt struct {
	width, height int
	isBusy        bool
}

// shellTail returns the last rows of a running command for the transcript.
func (l *loop) shellTail(pid, most int) (lines []styled.Line, hint string, ok bool) {
	if lines, ok = l.shells.Tail(pid, most); ok && l.shells.Hints(time.Now()).CanFocus {
		hint = toast.Focus(l.view.bindings)
	}
	return lines, hint, ok
}

// awaited returns the note about a command that waits for input, "" for none.
func (l *loop) awaited(now time.Time) string {
	if !l.shells.Hints(now).Awaits {
		return ""
	}
	return "! Shell awaiting input " + toast.Focus(l.view.bindings)
}
