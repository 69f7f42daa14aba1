package buffer

import "slices"

// The limits of the undo steps: their number, and the bytes of text that they hold together. The newest step is kept
// whatever its size.
const (
	maxSteps     = 100
	maxStepBytes = 64 << 20
)

// step is a sequence of changes that are undone together.
type step struct {
	changes       []change
	before, after state
}

// change is the replacement of text at a position.
type change struct {
	at       int
	removed  string
	inserted []byte
}

// state is the part of a buffer that its text does not determine.
type state struct {
	cursor int
	units  []unit
}

func (b *Buffer) state() state { return state{b.cursor, b.units} }

// bytes returns the length of the text of the step.
func (s *step) bytes() (n int) {
	for _, c := range s.changes {
		n += len(c.removed) + len(c.inserted)
	}
	return n
}

// Group runs f. Undo takes back all its edits in one step.
func (b *Buffer) Group(f func()) {
	b.step(f)
	b.last = other
}

// Undo takes back the last step, with its placeholders and its cursor. It returns false if there is none.
func (b *Buffer) Undo() bool {
	b.last = other
	if len(b.done) == 0 || b.open != nil {
		return false
	}
	s := b.done[len(b.done)-1]
	b.done = b.done[:len(b.done)-1]
	for _, c := range slices.Backward(s.changes) {
		b.apply(c.at, c.at+len(c.inserted), Clip{text: c.removed})
	}
	b.units, b.cursor = s.before.units, s.before.cursor
	b.undone = append(b.undone, s)
	return true
}

// Redo repeats the last step that Undo took back. It returns false if there is none, or if the text was edited since.
func (b *Buffer) Redo() bool {
	b.last = other
	if len(b.undone) == 0 || b.open != nil {
		return false
	}
	s := b.undone[len(b.undone)-1]
	b.undone = b.undone[:len(b.undone)-1]
	for _, c := range s.changes {
		b.apply(c.at, c.at+len(c.removed), Clip{text: string(c.inserted)})
	}
	b.units, b.cursor = s.after.units, s.after.cursor
	b.done = append(b.done, s)
	return true
}

// step runs f and records its changes as one step, or as a part of the step that is being recorded.
func (b *Buffer) step(f func()) {
	if b.open != nil {
		f()
		return
	}
	b.open = &step{before: b.state()}
	f()
	b.close()
}

// extend runs f and adds its changes to the last step.
func (b *Buffer) extend(f func()) {
	b.open = b.done[len(b.done)-1]
	b.done = b.done[:len(b.done)-1]
	f()
	b.close()
}

// close ends the step that is being recorded.
func (b *Buffer) close() {
	s := b.open
	b.open = nil
	if len(s.changes) == 0 {
		return
	}
	s.after = b.state()
	b.done, b.undone = append(b.done, s), nil
	if len(b.done) > maxSteps {
		b.done = slices.Delete(b.done, 0, len(b.done)-maxSteps)
	}
	size := 0
	for i, s := range slices.Backward(b.done) {
		if size += s.bytes(); size > maxStepBytes && i < len(b.done)-1 {
			b.done = slices.Delete(b.done, 0, i+1)
			break
		}
	}
}

// record adds a change to the step. A change that continues the last one extends it.
func (s *step) record(at int, removed, inserted string) {
	if n := len(s.changes); n > 0 && removed == "" {
		if c := &s.changes[n-1]; c.at+len(c.inserted) == at {
			c.inserted = append(c.inserted, inserted...)
			return
		}
	}
	s.changes = append(s.changes, change{at, removed, []byte(inserted)})
}
