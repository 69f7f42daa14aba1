package viewer

import (
	"strings"

	"pollux/internal/face/tui/viewer/rows"
)

// scroll moves the screen by n rows.
func (v *Viewer) scroll(n int) {
	if v.sheet.isEmpty() {
		return
	}
	v.jump(v.sheet.move(v.top, n))
}

// jump shows a place in the first row, or the end if there are too few rows behind it.
func (v *Viewer) jump(top place) {
	v.top, v.follows = top, false
	v.settle()
}

// showEnd shows the end, and follows it.
func (v *Viewer) showEnd() {
	v.follows = true
	v.settle()
}

// settle makes the first row one that exists, and fills the screen. The viewer follows the end if it is on the screen.
func (v *Viewer) settle() {
	s := &v.sheet
	if s.isEmpty() {
		v.top, v.atEnd, v.follows = place{}, true, true
		return
	}
	v.top = s.nearest(v.top)
	if !v.follows {
		bottom := v.top
		for range v.height - 1 {
			next, ok := s.next(bottom)
			if !ok {
				v.follows = true
				break
			}
			bottom = next
		}
		if _, hasMore := s.next(bottom); !hasMore {
			v.follows = true
		}
	}
	if v.follows {
		v.top = s.move(s.last(), 1-v.height)
	}
	v.atEnd = v.follows
}

// nearest returns a place that exists.
func (s *sheet) nearest(p place) place {
	if p.item >= s.conversation.Len() {
		return s.last()
	}
	if !s.document(p.item).Has(p.piece) {
		return s.lastOf(p.item)
	}
	p.row = max(min(p.row, len(s.rows(p.item, p.piece))-1), 0)
	return p
}

// anchor is the text at the top of the screen, which stays there when the width changes.
type anchor struct {
	top    place // where it was last
	weight int   // of the rows before it in the piece
	isSet  bool
}

// resize lays out the conversation for another look. The text at the top stays there.
func (v *Viewer) resize(look rows.Look) {
	s := &v.sheet
	if s.isEmpty() {
		s.setLook(look)
		return
	}
	v.top = s.nearest(v.top)
	if a := &v.anchor; !a.isSet || a.top != v.top {
		*a = anchor{v.top, weight(s.rows(v.top.item, v.top.piece)[:v.top.row]), true}
	}
	if !s.setLook(look) {
		return
	}
	if v.search != nil {
		v.search.restart(v)
	}
	all := s.rows(v.top.item, v.top.piece)
	row := 0
	for sum := 0; row < len(all)-1; row++ {
		if sum += weight(all[row : row+1]); sum > v.anchor.weight {
			break
		}
	}
	v.top.row = row
	v.anchor.top = v.top
}

// weight returns the number of bytes of rows without spaces, which do not depend on the layout, and one for each empty row.
func weight(all []rows.Row) (n int) {
	for _, r := range all {
		text := r.Line.String()
		n += max(len(text)-strings.Count(text, " "), 1)
	}
	return n
}
