package draft

import (
	"slices"
	"sync"
	"time"

	"pollux/internal/crash"
)

// Keeper saves the draft of a session some time after its last change, and the queue at once, for the case that Pollux is killed. Its methods
// belong to one goroutine.
type Keeper struct {
	// Save saves a draft. It is called on other goroutines, too. Nothing is saved before [Keeper.Follow].
	Save func(d Draft, now time.Time)

	session  string    // the id of the one on the screen
	left     []string  // the ids of those before it, whose drafts moved on with the user and are to be removed
	saved    Draft     // as it was saved last
	changed  time.Time // when the first key after the last save was pressed, zero for none
	isSaving bool
	saves    sync.WaitGroup // in the background
}

// keepDelay is how much of the user's typing a kill can lose.
const keepDelay = 500 * time.Millisecond

// Follow notes the session on the screen. The draft moves on with the user.
func (k *Keeper) Follow(session string) {
	if k.session == session {
		return
	}
	if k.session != "" {
		k.left = append(k.left, k.session)
	}
	k.session, k.saved = session, Draft{}
}

// Session returns the id of the session on the screen.
func (k *Keeper) Session() string { return k.session }

// Touch notes that the draft may have changed.
func (k *Keeper) Touch(at time.Time) {
	if k.changed.IsZero() {
		k.changed = at
	}
}

// Restored notes a draft as saved, because it comes from the file.
func (k *Keeper) Restored(d Draft) { k.saved = d }

// Due returns when the draft is to be saved, if this is its queue; ok is false if it is not to be.
func (k *Keeper) Due(queue []string) (due time.Time, ok bool) {
	switch {
	case k.isSaving || k.session == "":
		return due, false
	case len(k.left) > 0 || !slices.Equal(k.saved.Queue, queue):
		return due, true
	}
	return k.changed.Add(keepDelay), !k.changed.IsZero()
}

// Keep saves a draft that is due in the background, if it has changed. post calls a function on the goroutine of the keeper.
func (k *Keeper) Keep(d Draft, now time.Time, post func(func())) {
	k.changed = time.Time{}
	list := k.take(d)
	if len(list) == 0 {
		return
	}
	k.isSaving = true
	k.saves.Add(1)
	go func() {
		defer crash.Recover()
		k.save(list, now)
		k.saves.Done()
		post(func() { k.isSaving = false })
	}()
}

// Last saves the draft at the end of the session.
func (k *Keeper) Last(d Draft, now time.Time) {
	if k.session == "" {
		return
	}
	k.saves.Wait()
	k.save(k.take(d), now)
}

func (k *Keeper) save(list []Draft, now time.Time) {
	for _, d := range list {
		k.Save(d, now)
	}
}

// take notes a draft as saved. It returns the drafts to save: that one if it is new, and empty ones of the sessions before.
func (k *Keeper) take(d Draft) (list []Draft) {
	for _, id := range k.left {
		list = append(list, Draft{Session: id})
	}
	k.left = nil
	if d.Session = k.session; !k.saved.Equal(&d) {
		k.saved = d
		list = append(list, d)
	}
	return list
}
