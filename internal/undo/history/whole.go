package history

import (
	"errors"
	"slices"
	"time"

	"pollux/internal/undo/store"
)

// Part names a part of the log: the operations of sessions since a time.
type Part struct {
	Sessions []string
	// Began is when the sessions began; zero if that is not known.
	Began time.Time
	// Since leaves out the operations before the first one that began then or later. Zero is for all.
	Since time.Time
}

// ErrGone reports that operations have left the log, because it was full.
var ErrGone = errors.New("the oldest changes are no longer in the undo log, and may be missing")

// Whole returns the operations of a part that together are its change, the newest first. An undo has only the paths that
// the part itself has changed before, so that changes that were taken back cancel out. missing are the reasons why
// operations may be missing.
func (h *History) Whole(p Part) (list []*store.Operation, missing []error) {
	for _, d := range h.Damaged {
		missing = append(missing, d.Err)
	}
	from := p.Since
	if from.IsZero() {
		from = p.Began
	}
	if len(h.list) > 0 && h.list[0].Number > 1 && from.Before(h.list[0].Began) {
		missing = append(missing, ErrGone)
	}
	touched := map[string]bool{}
	hasBegun := p.Since.IsZero()
	for _, o := range h.list {
		if !slices.Contains(p.Sessions, o.Session) {
			continue
		}
		if hasBegun = hasBegun || !o.Began.Before(p.Since); !hasBegun {
			continue
		}
		whole, err := h.store.Read(o.Number)
		if err != nil {
			missing = append(missing, err)
			continue
		}
		if o.Kind == store.Undo {
			whole.Changes = slices.DeleteFunc(whole.Changes, func(c store.Change) bool { return !touched[c.Path] })
		}
		for _, c := range whole.Changes {
			touched[c.Path] = true
		}
		list = append(list, whole)
	}
	slices.Reverse(list)
	return list, missing
}
