package viewer

import (
	"strings"

	"pollux/internal/face/tui/keys"
)

// stepSize is the number of bytes of text that a step of a search reads, more or less.
const stepSize = 16 << 10

// search is a search in progress, or its result.
type search struct {
	text   string // as it was typed
	finder finder

	current    matchPlace
	hasCurrent bool

	wanted direction  // of a match that is not known yet
	from   matchPlace // where it is looked for
}

// direction is where the next match is.
type direction int8

const (
	nowhere direction = iota
	forward
	backward
)

// IsSearching reports whether [Viewer.Step] has something to do.
func (v *Viewer) IsSearching() bool { return v.search != nil && !v.search.finder.isDone }

// Step does a part of the search in progress, which takes a few milliseconds, and returns false if nothing is left to do. The
// owner calls it again and again while no key and no event waits, and draws the viewer from time to time.
func (v *Viewer) Step() bool {
	if !v.IsSearching() {
		return false
	}
	s := v.search
	s.finder.step(&v.sheet, stepSize)
	v.resolve()
	return !s.finder.isDone
}

// beginSearch lets the user type a search.
func (v *Viewer) beginSearch() {
	v.isTyping, v.search = true, nil
	v.field.Clear()
	v.origin = origin{v.top, v.follows}
}

// typeSearch handles a key or a paste in the search.
func (v *Viewer) typeSearch(e keys.Event, b *keys.Bindings) Outcome {
	if k, ok := e.(keys.Key); ok {
		switch command, _ := b.Match(k.Chord, keys.BasicConfirm, keys.BasicCancel, keys.AppShowMoreLines); command {
		case keys.AppShowMoreLines:
			return Closed{}
		case keys.BasicConfirm:
			v.isTyping = false
			return Changed{}
		case keys.BasicCancel:
			v.isTyping, v.search = false, nil
			v.returnToOrigin()
			return Changed{}
		}
	}
	before := v.field.Value()
	if !v.field.Handle(e, b) {
		return Ignored{}
	}
	if text := v.field.Value(); text != before {
		v.find(text)
	}
	return Changed{}
}

func (v *Viewer) returnToOrigin() {
	v.top, v.follows = v.origin.top, v.origin.follows
	v.settle()
}

// find begins a search for a text at the origin: forward, or backward from the end of the conversation.
func (v *Viewer) find(text string) {
	v.returnToOrigin()
	v.search = nil
	if strings.TrimSpace(text) == "" || v.sheet.isEmpty() {
		return
	}
	v.search = &search{text: text, finder: newFinder(newQuery(text), v.top.item)}
	d := forward
	if v.follows {
		d = backward
	}
	v.want(d)
	v.Step()
}

// restart begins to count again, because the rows have changed.
func (s *search) restart(v *Viewer) {
	if v.sheet.isEmpty() {
		v.search = nil
		return
	}
	s.finder = newFinder(s.finder.query, min(v.top.item, v.sheet.conversation.Len()-1))
	s.hasCurrent = s.hasCurrent && s.current.item < v.sheet.conversation.Len()
}

// want looks for the next match from the current one if it is on the screen, else from the first row, or backward from the
// last one.
func (v *Viewer) want(d direction) {
	s := v.search
	if s == nil || v.sheet.isEmpty() {
		v.notice = "Type / to search."
		return
	}
	s.wanted, s.from = d, s.current
	if !s.hasCurrent || !v.isShown(s.current) {
		s.from = v.firstMatch(d)
	}
	v.resolve()
}

// firstMatch returns the place from which on the rows of the screen count in a direction: that of the match before the first
// row, or of the match behind the last one.
func (v *Viewer) firstMatch(d direction) matchPlace {
	edge, n := v.top, -1
	if d == backward {
		edge, n = v.sheet.move(v.top, v.height-1), 0
	}
	for _, m := range v.search.finder.query.find(v.sheet.rows(edge.item, edge.piece)) {
		if m[0].row < edge.row || d == backward && m[0].row == edge.row {
			n++
		}
	}
	return matchPlace{edge.item, edge.piece, n}
}

// resolve shows the wanted match, if it is known.
func (v *Viewer) resolve() {
	s := v.search
	var p matchPlace
	var k knowledge
	switch s.wanted {
	case nowhere:
		return
	case forward:
		p, k = s.finder.next(s.from)
	case backward:
		p, k = s.finder.previous(s.from)
	}
	if k == unknown {
		return
	}
	if s.wanted = nowhere; k == known {
		s.current, s.hasCurrent = p, true
		v.showMatch(p)
	}
}

// rowOf returns the row of a match, false if it does not exist.
func (v *Viewer) rowOf(p matchPlace) (place, bool) {
	found := v.search.finder.query.find(v.sheet.rows(p.item, p.piece))
	if p.n >= len(found) {
		return place{}, false
	}
	return place{p.item, p.piece, found[p.n][0].row}, true
}

// isShown reports whether a match is on the screen.
func (v *Viewer) isShown(p matchPlace) bool {
	row, ok := v.rowOf(p)
	return ok && row.compare(v.top) >= 0 && row.compare(v.sheet.move(v.top, v.height-1)) <= 0
}

// showMatch brings a match to the screen, unless it is there.
func (v *Viewer) showMatch(p matchPlace) {
	if row, ok := v.rowOf(p); ok && !v.isShown(p) {
		v.jump(v.sheet.move(row, -v.height/3))
	}
}
