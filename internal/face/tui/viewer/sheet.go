package viewer

import (
	"cmp"

	"pollux/internal/face/tui/viewer/conversation"
	"pollux/internal/face/tui/viewer/rows"
)

// Weights of what is kept near the view, in bytes of text, for each of two generations.
const (
	maxDocuments = 2 << 20
	maxRows      = 256 << 10
	overhead     = 256 // of each
)

// sheet is a conversation in rows, of which those near the view are laid out.
type sheet struct {
	conversation *conversation.Conversation
	look         rows.Look
	documents    cache[int, *rows.Document]
	pieces       cache[pieceKey, []rows.Row]
}

type pieceKey struct{ item, piece int }

// clear forgets all that was laid out.
func (s *sheet) clear() {
	s.documents.clear()
	s.documents.most, s.pieces.most = maxDocuments, maxRows
	s.pieces.clear()
}

// setLook changes the form of the rows. It returns false if it is the same.
func (s *sheet) setLook(look rows.Look) bool {
	if look.Width == s.look.Width && look.DiffLayout == s.look.DiffLayout && look.Theme.Name == s.look.Theme.Name && look.Theme.Kind == s.look.Theme.Kind {
		return false
	}
	s.look = look
	s.pieces.clear()
	return true
}

// open returns a new document of an item.
func (s *sheet) open(item int) *rows.Document { return rows.Open(s.conversation.Item(item), item > 0) }

func (s *sheet) document(item int) *rows.Document {
	return s.documents.get(item, func() (*rows.Document, int) {
		return s.open(item), s.conversation.Start(item+1) - s.conversation.Start(item) + overhead
	})
}

// rows returns the rows of a piece of an item.
func (s *sheet) rows(item, piece int) []rows.Row {
	return s.pieces.get(pieceKey{item, piece}, func() ([]rows.Row, int) {
		d := s.document(item)
		return d.Rows(piece, &s.look), d.PieceSize(piece) + overhead
	})
}

// place is the place of a row.
type place struct{ item, piece, row int }

// compare returns a negative number if p is before q, and a positive one if it is behind q.
func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.item, q.item), cmp.Compare(p.piece, q.piece), cmp.Compare(p.row, q.row))
}

// isEmpty reports whether there are no rows.
func (s *sheet) isEmpty() bool { return s.conversation.Len() == 0 }

// row returns the row at a place.
func (s *sheet) row(p place) rows.Row { return s.rows(p.item, p.piece)[p.row] }

// last returns the place of the last row.
func (s *sheet) last() place { return s.lastOf(s.conversation.Len() - 1) }

// lastOf returns the place of the last row of an item.
func (s *sheet) lastOf(item int) place {
	piece := s.document(item).Len() - 1
	return place{item, piece, len(s.rows(item, piece)) - 1}
}

// next returns the place of the next row, false if there is none.
func (s *sheet) next(p place) (place, bool) {
	switch {
	case p.row+1 < len(s.rows(p.item, p.piece)):
		return place{p.item, p.piece, p.row + 1}, true
	case s.document(p.item).Has(p.piece + 1):
		return place{p.item, p.piece + 1, 0}, true
	case p.item+1 < s.conversation.Len():
		return place{p.item + 1, 0, 0}, true
	}
	return p, false
}

// previous returns the place of the row before, false if there is none.
func (s *sheet) previous(p place) (place, bool) {
	switch {
	case p.row > 0:
		return place{p.item, p.piece, p.row - 1}, true
	case p.piece > 0:
		return place{p.item, p.piece - 1, len(s.rows(p.item, p.piece-1)) - 1}, true
	case p.item > 0:
		return s.lastOf(p.item - 1), true
	}
	return p, false
}

// move returns the place n rows further, or before if n is negative, as far as there are rows.
func (s *sheet) move(p place, n int) place {
	for ok := true; n > 0 && ok; n-- {
		p, ok = s.next(p)
	}
	for ok := true; n < 0 && ok; n++ {
		p, ok = s.previous(p)
	}
	return p
}
