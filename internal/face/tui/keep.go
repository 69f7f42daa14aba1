package tui

import (
	"slices"
	"strings"
	"sync"
	"time"

	"pollux/internal/crash"
	"pollux/internal/face/tui/composer"
	"pollux/internal/face/tui/draft"
	"pollux/internal/wording"
)

// keeper saves the draft some time after its last change, and the queue at once, for the case that Pollux is killed.
type keeper struct {
	session  string      // the id of the one on the screen
	left     []string    // the ids of those before it, whose drafts moved on with the user and are to be removed
	saved    draft.Draft // as it was saved last
	changed  time.Time   // when the first key after the last save was pressed, zero for none
	isSaving bool
	saves    sync.WaitGroup // in the background
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
	switch {
	case k.isSaving || !l.view.isOpen():
		return due, false
	case len(k.left) > 0 || !slices.Equal(k.saved.Queue, l.unsent()):
		return due, true
	}
	return k.changed.Add(keepDelay), !k.changed.IsZero()
}

// keepDraft saves the draft in the background if it has changed and the time has come.
func (l *loop) keepDraft(now time.Time) {
	due, ok := l.draftDue()
	if !ok || now.Before(due) {
		return
	}
	k := &l.keeper
	k.changed = time.Time{}
	list := k.take(l.draft())
	if len(list) == 0 {
		return
	}
	k.isSaving = true
	v := l.view
	k.saves.Add(1)
	go func() {
		defer crash.Recover()
		for _, d := range list {
			v.saveDraft(d, now)
		}
		k.saves.Done()
		l.post(func() { l.keeper.isSaving = false })
	}()
}

// draft returns the draft of the session, with the inputs that wait.
func (l *loop) draft() draft.Draft {
	d := l.composer.Draft()
	return draft.Draft{
		Session: l.keeper.session, Text: d.Text, IsShell: d.IsShell, Queue: l.unsent(), EndsInShell: l.waiting.endsInShell(),
	}
}

// take notes a draft as saved. It returns the drafts to save: that one if it is new, and empty ones of the sessions before.
func (k *keeper) take(d draft.Draft) (list []draft.Draft) {
	for _, id := range k.left {
		list = append(list, draft.Draft{Session: id})
	}
	k.left = nil
	if !k.saved.Equal(&d) {
		k.saved = d
		list = append(list, d)
	}
	return list
}

// follow notes the session on the screen. The draft moves on with the user.
func (k *keeper) follow(session string) {
	if k.session == session {
		return
	}
	if k.session != "" {
		k.left = append(k.left, k.session)
	}
	k.session, k.saved = session, draft.Draft{}
}

// saveDraft saves a draft for when its session is resumed.
func (v *view) saveDraft(d draft.Draft, now time.Time) {
	dir := v.project().Paths.ExistingProjectTemp()
	if dir == "" && d.Text == "" && len(d.Queue) == 0 {
		return
	}
	dir, err := v.project().Paths.ProjectTemp()
	if err == nil {
		d.Time = now
		err = draft.Save(dir, d)
	}
	if err != nil {
		v.project().Log.Debug("the draft is not saved", "error", err)
	}
}

// restoreDraft gives the composer the draft of the resumed session, behind the inputs that waited when it ended. If the user has begun
// another one, they wait for that. They stay in the file until the user sends or changes them.
func (l *loop) restoreDraft() {
	dir := l.view.project().Paths.ExistingProjectTemp()
	if dir == "" {
		return
	}
	d, ok := draft.Find(dir, l.keeper.session)
	if !ok {
		return
	}
	waited := d.Queue
	if d.EndsInShell && len(waited) == 1 && d.Text == "" {
		d.Text, d.IsShell, waited = strings.TrimPrefix(waited[0], "!"), true, nil
	}
	if saved := (composer.Draft{Text: d.Text, IsShell: d.IsShell}); l.composer.IsEmpty() && !l.composer.IsLent {
		l.composer.SetDraft(saved)
		for _, text := range waited {
			l.composer.Restore(text)
		}
	} else {
		l.composer.Hold(append(waited, saved.Typed())...)
	}
	if n := len(d.Queue); n > 0 {
		l.transcript.Info(wording.Count(n, "input") + " waited when the session ended, and did not run. To send the text in the input, press Enter.")
	}
	l.keeper.saved = l.draft()
}

// keepLast saves the draft and the queue at the end of the session.
func (l *loop) keepLast(now time.Time) {
	if !l.view.isOpen() {
		return
	}
	l.keeper.saves.Wait()
	for _, d := range l.keeper.take(l.draft()) {
		l.view.saveDraft(d, now)
	}
}
