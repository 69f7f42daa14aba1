package undo

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"pollux/internal/undo/store"
)

// Between is who, beside programs in the background, may have made the changes of an operation of theirs.
const Between = "your own edits"

// background returns the programs that go on in the background now, sorted, each once.
func (r *Recorder) background() []string {
	if r.opts.Background == nil {
		return nil
	}
	return slices.Compact(slices.Sorted(slices.Values(r.opts.Background())))
}

// Follow records the changes of programs in the background since the last look. It is to be called when one of them
// has ended, and before Close. If a call runs just now, the changes are found at the end of it.
func (r *Recorder) Follow(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.window != nil || len(r.alive) == 0 { // which only a look sets
		return nil
	}
	return r.lookBetween(ctx)
}

// lookBetween brings the trees up to date when no window is open. The changes since the last look are the person's own,
// and are not recorded; but if programs went on in the background meanwhile, no one knows which are theirs. The
// caller holds mu.
func (r *Recorder) lookBetween(ctx context.Context) error {
	now := r.background()
	since := slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.alive, now))))
	changes, err := r.look(ctx)
	if err != nil {
		return err
	}
	if len(since) > 0 {
		if err := r.commitBetween(ctx, since, changes); err != nil {
			return err
		}
	}
	if err := r.keepAgain(ctx); err != nil {
		return err
	}
	return r.hasLooked(now)
}

// commitBetween records changes that were made while programs went on in the background.
func (r *Recorder) commitBetween(ctx context.Context, programs []string, changes []change) error {
	h := r.headerBetween(programs)
	h.Began = r.looked
	others := r.othersSince(r.seen)
	_, err := r.commit(ctx, h, others.leave(changes))
	return err
}

func (r *Recorder) headerBetween(programs []string) store.Header {
	h := store.Header{Kind: store.Background, Title: strings.Join(programs, "; "), Beside: []string{Between}, IsAnywhere: true}
	if r.opts.Session != nil {
		h.Session = r.opts.Session()
	}
	return h
}

// hasLooked settles a look, before which these programs went on in the background.
func (r *Recorder) hasLooked(alive []string) error {
	r.settle()
	wasAlive := len(r.alive) > 0
	r.alive, r.looked, r.seen = alive, time.Now(), r.newest()
	if len(alive) == 0 && !wasAlive {
		return nil
	}
	return r.noteBackground()
}

// noteBackground writes which programs go on in the background, so that their changes are recorded even if the process
// is killed, and that others can tell.
func (r *Recorder) noteBackground() error {
	if r.noted != 0 {
		r.base.EndRun(r.noted) // first, so that the file with the notes can be emptied
		r.noted = 0
	}
	if len(r.alive) == 0 {
		return nil
	}
	h := r.headerBetween(r.alive)
	h.Began = r.looked
	line, err := json.Marshal(beginning{Header: h, IsAnywhere: true, Seen: r.seen, Known: r.saved.size})
	if err == nil {
		r.noted, err = r.base.BeginRun(append(line, '\n'))
	}
	return err
}
