package tui

import (
	"time"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/toast"
	"pollux/internal/guard/policy"
	"pollux/internal/slash"
)

// application are the commands that the application handles whatever has the keyboard, in the order in which it asks for
// them.
var application = [...]keys.Command{
	keys.BasicQuit, keys.BasicExit, keys.AppSuspend, keys.AppClearScreen, keys.AppCycleApprovalMode, keys.AppToggleYolo,
	keys.AppShowFullTodos, keys.AppCopyCode, keys.BackgroundToggle,
	keys.AppToggleMouseMode, keys.AppToggleCopyMode,
}

// control does the command of the application that a key is bound to. It returns false for another key.
func (l *loop) control(k keys.Key) bool {
	command, ok := l.view.bindings.Match(k.Chord, application[:]...)
	if !ok {
		return l.controlScreen(k)
	}
	switch command {
	case keys.BasicQuit:
		l.quit(k.At)
	case keys.BasicExit:
		return l.exit(k.At)
	case keys.AppSuspend:
		return l.suspend(k.At)
	case keys.AppClearScreen:
		if l.pane != nil && l.dialog == nil {
			return false // panes reset a value with it
		}
		l.display.Clear()
	case keys.AppCycleApprovalMode, keys.AppToggleYolo:
		switch {
		case !l.view.isOpen() && l.dialog == nil && l.pane == nil:
			l.early = append(l.early, k)
		case command == keys.AppToggleYolo:
			l.toggleYolo()
		default:
			l.cycleMode()
		}
	case keys.AppShowFullTodos:
		l.todo.Toggle()
	case keys.AppCopyCode:
		if !l.copySelection() {
			l.copyCode()
		}
	case keys.AppToggleMouseMode:
		return l.toggleMouse(k.At) || l.controlScreen(k)
	case keys.AppToggleCopyMode:
		return l.enterCopyMode() || l.controlScreen(k)
	case keys.BackgroundToggle:
		return l.toggleBackground(k.At)
	}
	return true
}

// armed are keys whose second press has a larger effect.
type armed struct {
	exit, suspend, escape time.Time // when the key was pressed
	quit                  time.Time // when /quit asked about background commands
	hasInterrupt          bool      // Ctrl+C was pressed
}

// reset forgets the keys: another one was pressed. The question of /quit waits for another command.
func (a *armed) reset() { *a = armed{quit: a.quit} }

// quit handles Ctrl+C: it clears the draft and cancels the work, and the second time it leaves.
func (l *loop) quit(at time.Time) {
	if l.pane != nil && l.dialog == nil {
		l.closePane()
		return
	}
	hadDraft := l.dialog == nil && !l.composer.IsEmpty()
	if hadDraft {
		l.composer.Clear()
	}
	if state := l.driver.State(); !hadDraft || !state.IsOpening {
		l.driver.Interrupt(false)
		l.returnHeld()
	}
	l.toast.Show(l.leaveText(keys.BasicQuit), toast.Quit, at, toast.UsualTime)
	l.armed.hasInterrupt = true
}

// endSeries ends the series of Ctrl+C, Ctrl+D and Ctrl+Z, whose second press has a larger effect, if an event is another one. Their messages
// would hide those of the event.
func (l *loop) endSeries(e keys.Event) {
	k, _ := e.(keys.Key)
	command, _ := l.view.bindings.Match(k.Chord, keys.BasicQuit, keys.BasicExit, keys.AppSuspend)
	if command != keys.BasicQuit {
		l.toast.Dismiss(toast.Quit)
		if l.armed.hasInterrupt {
			l.armed.hasInterrupt = false
			l.driver.Typing()
		}
	}
	if command != keys.BasicExit {
		l.toast.Dismiss(toast.Exit)
		l.armed.exit = time.Time{}
	}
	if command != keys.AppSuspend {
		l.armed.suspend = time.Time{}
	}
}

// exit handles Ctrl+D without a draft: the second time it leaves. It returns false if there is a draft.
func (l *loop) exit(at time.Time) bool {
	if !l.composer.IsEmpty() {
		return false
	}
	if at.Sub(l.armed.exit) < toast.UsualTime {
		l.driver.Leave(nil)
		return true
	}
	l.armed = armed{exit: at}
	l.toast.Show(l.leaveText(keys.BasicExit), toast.Exit, at, toast.UsualTime)
	return true
}

// escape handles Esc where no part has a use for it: it cancels the work, or the second time it clears the draft.
func (l *loop) escape(at time.Time) {
	state := l.driver.State()
	switch {
	case (state.IsBusy || state.IsBeside) && !state.IsOpening:
		l.driver.Cancel()
		l.turn.phase.cancel()
		l.returnHeld() // the person stops that, too
	case at.Sub(l.armed.escape) < toast.EscapeTime:
		l.escapeTwice(at)
	default:
		l.armed = armed{escape: at}
		effect := toast.ToClear
		if l.composer.IsEmpty() {
			effect = toast.ToRewind
		}
		l.toast.Show(toast.Again(l.view.bindings, keys.BasicCancel, effect), toast.Escape, at, toast.EscapeTime)
	}
}

// escapeTwice clears the draft. Without one it opens the way back to an earlier prompt.
func (l *loop) escapeTwice(at time.Time) {
	l.armed.reset()
	l.toast.Dismiss(toast.Escape)
	switch {
	case !l.composer.IsEmpty():
		l.composer.Clear()
	case !l.view.isOpen():
	case len(l.view.session.Prompts()) == 0:
		l.toast.Show(toast.NothingToRewind, toast.Hint, at, toast.UsualTime)
	default:
		l.openPane(slash.Call{Name: rewindName})
	}
}

// cycleMode switches to the next approval mode. Mode sandboxed is left out without a sandbox, and plan mode while the model works, and if it is
// switched off.
func (l *loop) cycleMode() {
	next := map[policy.Mode]policy.Mode{
		policy.Default: policy.AutoEdit, policy.AutoEdit: policy.Sandboxed, policy.Sandboxed: policy.Plan, policy.Plan: policy.Default, policy.Yolo: policy.AutoEdit,
	}
	mode := next[l.view.mode()]
	if mode == policy.Sandboxed && !l.view.canSandbox() {
		mode = policy.Plan
	}
	if mode == policy.Plan && (l.driver.State().IsBusy || !l.view.hasPlan()) {
		mode = policy.Default
	}
	l.setMode(mode)
}

func (l *loop) toggleYolo() {
	if l.view.mode() == policy.Yolo {
		l.setMode(policy.Default)
		return
	}
	l.setMode(policy.Yolo)
}

// setMode switches the approval mode, and lets calls go on that it allows.
func (l *loop) setMode(mode policy.Mode) {
	if !l.view.isOpen() {
		return
	}
	if err := l.view.session.Rulebook.SetMode(mode); err != nil {
		l.transcript.Info(err.Error())
		return
	}
	l.reveal(time.Now())
	l.driver.Recheck()
	l.refreshFooterCommand()
}
