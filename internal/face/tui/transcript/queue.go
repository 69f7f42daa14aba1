package transcript

import (
	"slices"

	"pollux/internal/face/tui/styled"
)

// item is a part of the conversation, from which an empty line separates the next one.
type item struct {
	lines   []styled.Line // finished, not printed
	group   group
	isOpen  bool // lines may follow
	isShown bool // a line was printed
	isTight bool // no empty line precedes or follows because of it

	answer *answer // nil for other items
	call   *call   // nil for other items
	// isAgent means that the item is the call of an agent, also when it has ended.
	isAgent bool
}

// group is the kind of an item. No empty line separates neighbors of the same group, unless it is apart.
type group uint8

const (
	none  group = iota // before the first item
	apart              // an item of several lines
	row                // a call in one line
	note
)

// needsGap reports whether an empty line separates two items.
func needsGap(before, next group) bool {
	return before != none && (before != next || next == apart)
}

// maxHeld is the number of bytes of finished lines in the queue from which on they are printed before items that are
// not finished.
const maxHeld = 4 << 20

// add adds a finished item.
func (t *Transcript) add(g group, lines []styled.Line) {
	it := &item{group: g}
	t.queue = append(t.queue, it)
	t.put(it, lines)
}

// put adds finished lines to an item, and prints those that nothing unfinished precedes.
func (t *Transcript) put(it *item, lines []styled.Line) {
	it.lines = append(it.lines, lines...)
	t.held += size(lines)
	t.settle()
}

// settle prints finished lines up to the first item that is not finished.
func (t *Transcript) settle() {
	for len(t.queue) > 0 {
		first := t.queue[0]
		t.print(first)
		if first.isOpen {
			break
		}
		t.queue[0] = nil
		t.queue = t.queue[1:]
	}
	if t.held <= maxHeld {
		return
	}
	kept := t.queue[:0]
	for _, it := range t.queue {
		t.print(it)
		if it.isOpen {
			kept = append(kept, it)
		}
	}
	clear(t.queue[len(kept):])
	t.queue = kept
}

// print moves the finished lines of an item to the printed ones.
func (t *Transcript) print(it *item) {
	if len(it.lines) == 0 {
		return
	}
	if !it.isShown && !it.isTight && needsGap(t.last, it.group) {
		t.done = append(t.done, nil)
	}
	t.held -= size(it.lines)
	t.done = append(t.done, it.lines...)
	if !it.isTight {
		t.last = it.group
	}
	it.isShown, it.lines = true, nil
}

// size returns the number of bytes that lines take, roughly.
func size(lines []styled.Line) (n int) {
	for _, l := range styled.Unblocked(lines) {
		n += 24
		for _, s := range l {
			n += len(s.Text) + 100
		}
	}
	return n
}

// endWork ends the answer, and the calls that have not ended as cancelled.
func (t *Transcript) endWork() {
	t.endAnswer()
	for _, it := range slices.Clone(t.queue) {
		if it.call != nil && it.isOpen {
			t.endCall(it, t.abandonedLines(it.call))
		}
	}
	t.settle()
}
