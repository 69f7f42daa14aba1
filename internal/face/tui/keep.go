package tui

import (
	"strings"
	"time"

	"pollux/internal/face/tui/composer"
	"pollux/internal/face/tui/draft"
	"pollux/internal/wording"
)

// keepDraft saves the draft if its time has come.
func (l *loop) keepDraft(now time.Time) {
	if due, ok := l.keeper.Due(l.unsent()); ok && !now.Before(due) {
		l.keeper.Keep(l.draft(), now, l.post)
	}
}

// draft returns the draft of the session, with the inputs that wait.
func (l *loop) draft() draft.Draft {
	d := l.composer.Draft()
	return draft.Draft{Text: d.Text, IsShell: d.IsShell, Queue: l.unsent(), EndsInShell: l.waiting.endsInShell()}
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
	d, ok := draft.Find(dir, l.keeper.Session())
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
	l.keeper.Restored(l.draft())
}
