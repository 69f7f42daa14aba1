package tui

import (
	"time"

	"pollux/internal/crash"
	"pollux/internal/face/tui/composer"
	"pollux/internal/face/tui/draft"
)

// keeper saves the draft some time after its last change, for the case that Pollux is killed.
type keeper struct {
	saved    string    // the text as it was saved last
	isShell  bool      // of saved
	changed  time.Time // when the first key after the last save was pressed, zero for none
	isSaving bool
}

// keepDelay is how much of the user's typing a kill can lose.
const keepDelay = 500 * time.Millisecond

// touch notes that the draft may have changed.
func (k *keeper) touch(at time.Time) {
	if k.changed.IsZero() {
		k.changed = at
	}
}

// draftDue returns when the draft is to be saved; ok is false if it is not to be, or if there is no session yet that it belongs to.
func (l *loop) draftDue() (due time.Time, ok bool) {
	k := &l.keeper
	return k.changed.Add(keepDelay), !k.changed.IsZero() && !k.isSaving && l.view.isOpen()
}

// keepDraft saves the draft in the background if it has changed and the time has come.
func (l *loop) keepDraft(now time.Time) {
	due, ok := l.draftDue()
	if !ok || now.Before(due) {
		return
	}
	k := &l.keeper
	k.changed = time.Time{}
	d := l.composer.Draft()
	if d.Text == k.saved && d.IsShell == k.isShell {
		return
	}
	k.saved, k.isShell, k.isSaving = d.Text, d.IsShell, true
	v := l.view
	go func() {
		defer crash.Recover()
		v.saveDraft(d, now)
		l.post(func() { l.keeper.isSaving = false })
	}()
}

// saveDraft saves a draft for when the session is resumed.
func (v *view) saveDraft(d composer.Draft, now time.Time) {
	dir := v.project().Paths.ExistingProjectTemp()
	if dir == "" && d.Text == "" {
		return
	}
	dir, err := v.project().Paths.ProjectTemp()
	if err == nil {
		err = draft.Save(dir, draft.Draft{Session: v.session.ID(), Text: d.Text, IsShell: d.IsShell, Time: now})
	}
	if err != nil {
		v.project().Log.Debug("the draft is not saved", "error", err)
	}
}

// restoreDraft gives the composer the draft of the resumed session, unless the user has begun another one.
func (l *loop) restoreDraft() {
	dir := l.view.project().Paths.ExistingProjectTemp()
	if dir == "" || !l.composer.IsEmpty() {
		return
	}
	if d, ok := draft.Find(dir, l.view.session.ID()); ok {
		l.composer.SetDraft(composer.Draft{Text: d.Text, IsShell: d.IsShell})
		l.keeper.saved, l.keeper.isShell = d.Text, d.IsShell
	}
}

// keepLast saves the draft at the end of the session.
func (l *loop) keepLast(now time.Time) {
	d := l.composer.Draft()
	if l.view.isOpen() && !l.keeper.isSaving && (d.Text != l.keeper.saved || d.IsShell != l.keeper.isShell) {
		l.view.saveDraft(d, now)
	}
}
