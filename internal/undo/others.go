package undo

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
)

// newest returns the number of the newest operation in the log, 0 for none.
func (r *Recorder) newest() int {
	numbers, _ := r.base.Store().Numbers() // without them, no other process has recorded anything
	return slices.Max(append(numbers, 0))
}

// others are the runs of other processes: two sessions may be at work in one directory.
type others struct {
	running []beginning      // those that may change anything now
	ended   []store.Header   // those that may have changed anything, and were recorded meanwhile
	theirs  map[string]claim // their newest change of each path
}

// claim is a change that another process has recorded.
type claim struct {
	store.Change
	operation *store.Operation
}

// othersSince returns the runs of other processes now, and those recorded after an operation.
func (r *Recorder) othersSince(after int) others {
	o := others{theirs: map[string]claim{}}
	// Before the log: a run that ends is in the log before its note goes. The runs of a killed process are being recorded.
	for _, note := range r.base.PendingOfOthers(r.keep.before) {
		if b, _, ok := readBeginning(note); ok && b.IsAnywhere {
			o.running = append(o.running, b)
		}
	}
	s := r.base.Store()
	numbers, _ := s.Numbers()
	for _, n := range numbers {
		if n <= after || r.own[n] {
			continue
		}
		if found, err := s.Read(n); err == nil { // a damaged one takes nothing
			if found.IsAnywhere {
				o.ended = append(o.ended, found.Header)
			}
			for _, c := range found.Changes {
				o.theirs[c.Path] = claim{c, found}
			}
		}
	}
	return o
}

// divide leaves out the changes that others have recorded as theirs, and marks those that may be theirs. A file that was
// changed after they had recorded it had their version before.
func (o *others) divide(changes []change) []change {
	var own []change
	for _, c := range changes {
		their, found := o.theirs[c.path]
		isSame := found && isSameFile(their.After.State, c.After.State)
		if isSame && !their.IsShared {
			continue
		}
		c.isShared = isSame || o.mayHaveMade(c)
		if found && !isSame && !isSameFile(their.After.State, c.Before.State) {
			c.from = &their
		}
		own = append(own, c)
	}
	return own
}

// leave leaves out the changes that others have recorded, or that a call of theirs may have made that runs now: it
// will record them. The rest was made while none of their calls ran.
func (o *others) leave(changes []change) (own []change) {
	for _, c := range o.divide(changes) {
		if !c.isShared {
			own = append(own, c)
		}
	}
	return own
}

// mayHaveMade reports whether a call of another session that runs now may have made a change. One that has ended since has
// recorded all that it may have made.
func (o *others) mayHaveMade(c change) bool {
	at := changedAt(c)
	return slices.ContainsFunc(o.running, func(b beginning) bool {
		return b.Header.Kind != store.Background && !at.Before(b.Header.Began.Add(-clockTick))
	})
}

// clockTick is more than the time by which the clock of a file system may be behind.
const clockTick = 20 * time.Millisecond

// changedAt returns when a path was changed at the latest, as its file system tells.
func changedAt(c change) time.Time {
	switch {
	case c.After.State.Kind == state.Absent:
	case c.After.State.Changed == 0:
		return time.Now() // it is not known
	default:
		return time.Unix(0, c.After.State.Changed)
	}
	for dir := filepath.Dir(c.path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if s, err := state.Read(dir); err == nil && s.Kind != state.Absent && s.Changed != 0 {
			return time.Unix(0, s.Changed)
		}
	}
	return time.Now()
}

// isSameFile reports whether a recorded state is that of a file now. An undo does not know which file it makes.
func isSameFile(recorded, now state.State) bool {
	if recorded.Inode == 0 {
		recorded.Inode, recorded.Changed, recorded.Device = now.Inode, now.Changed, now.Device
	}
	if now.Kind == state.Link { // whose time an undo does not bring back
		recorded.Modified = now.Modified
	}
	return recorded.IsSame(now)
}

// besides returns descriptions of the others that ran at the same time and may have changed anything, each once.
func (o *others) besides() (list []string) {
	all := slices.Clone(o.ended)
	for _, b := range o.running {
		all = append(all, b.Header)
	}
	for _, h := range all {
		where := " (in another session)"
		if h.Kind == store.Background {
			where = " (in the background of another session)"
		}
		if text := describe(h) + where; !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// describe describes a run for the person.
func describe(h store.Header) string {
	return strings.TrimSpace(cmp.Or(h.Name, h.Tool) + " " + h.Title)
}
