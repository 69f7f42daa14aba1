package tui

import (
	"time"

	"pollux/internal/face/tui/keys"
	"pollux/internal/seen"
)

// reduced is the choice between all lines around the input and few of them, which the user makes with Tab, pressed twice.
type reduced struct {
	isOn  bool
	tab   time.Time // when Tab was pressed once
	until time.Time // all lines are shown until then, because the mode has changed
	// saved is the choice in the file, and isSaving is set while the file is written.
	saved, isSaving bool
}

const (
	twice      = 350 * time.Millisecond // between two presses of Tab
	revealTime = 1200 * time.Millisecond
)

// isReduced reports whether few lines are shown around the input.
func (l *loop) isReduced(now time.Time) bool { return l.reduced.isOn && !now.Before(l.reduced.until) }

// reveal shows all lines for a moment.
func (l *loop) reveal(now time.Time) { l.reduced.until = now.Add(revealTime) }

// revealDue returns when the lines disappear again that are shown for a moment.
func (l *loop) revealDue(now time.Time) (time.Time, bool) {
	return l.reduced.until, l.reduced.isOn && now.Before(l.reduced.until)
}

// pressTab takes a key after the composer. With the second Tab for which the composer has no use, it reduces the lines around the
// input, or shows all of them, also in later sessions.
func (l *loop) pressTab(e keys.Event, isIgnored bool) {
	k, ok := e.(keys.Key)
	if r := &l.reduced; !ok || !isIgnored || k.Chord != (keys.Chord{Code: keys.Tab}) || k.IsRepeat || l.composer.IsShell() || !l.view.isOpen() {
		r.tab = time.Time{}
		return
	} else if k.At.Sub(r.tab) > twice {
		r.tab = k.At
		return
	}
	l.reduced.isOn, l.reduced.tab, l.reduced.until = !l.reduced.isOn, time.Time{}, time.Time{}
	l.saveReduced()
}

// saveReduced saves the choice in the background, and again if it changes meanwhile.
func (l *loop) saveReduced() {
	r, v := &l.reduced, l.view
	if r.isSaving || r.isOn == r.saved {
		return
	}
	r.isSaving = true
	isOn := r.isOn
	l.inBackground(func() func() {
		v.saveReduced(isOn)
		return func() {
			r.isSaving, r.saved = false, isOn
			l.saveReduced()
		}
	})
}

// saveReduced saves the choice of the reduced screen.
func (v *view) saveReduced(isOn bool) {
	if err := seen.Set(v.statePath(), seen.FocusUI, isOn); err != nil {
		v.project().Log.Debug("the choice of the reduced screen is not saved", "error", err)
	}
}

// keepReduced saves the choice at the end of the session, if it is not saved yet.
func (l *loop) keepReduced() {
	if r := &l.reduced; l.view.isOpen() && r.isOn != r.saved {
		l.view.saveReduced(r.isOn)
	}
}
