package rows

import (
	"pollux/internal/face/tui/viewer/conversation"
)

// Document is an item of a conversation, divided into pieces.
type Document struct {
	pieces []piece
	more   source
	hasGap bool
	size   int // of the pieces
}

// piece is a part of an item.
type piece interface {
	rows(l *Look) []Row
	size() int // in bytes of text
}

// source returns the next piece, false if there is none.
type source func() (piece, bool)

// Open returns the document of an item. hasGap adds an empty row at the beginning.
func Open(item conversation.Item, hasGap bool) *Document {
	return &Document{more: sourceOf(item), hasGap: hasGap}
}

// Has reports whether there is a piece with this number, from 0. There always is a first one.
func (d *Document) Has(n int) bool {
	for len(d.pieces) <= n && d.more != nil {
		p, ok := d.more()
		switch {
		case ok:
			d.pieces = append(d.pieces, p)
			d.size += p.size()
		case len(d.pieces) == 0:
			d.pieces, d.more = []piece{&textPiece{form: output}}, nil
		default:
			d.more = nil
		}
	}
	return n < len(d.pieces)
}

// Len returns the number of pieces.
func (d *Document) Len() int {
	for d.Has(len(d.pieces)) {
	}
	return len(d.pieces)
}

// Size returns the number of bytes of the pieces found so far.
func (d *Document) Size() int { return d.size }

// PieceSize returns the number of bytes of a piece that exists.
func (d *Document) PieceSize(n int) int {
	d.Has(n)
	return d.pieces[n].size()
}

// Rows returns the rows of a piece that exists, one at least.
func (d *Document) Rows(n int, l *Look) (rows []Row) {
	d.Has(n)
	if n == 0 && d.hasGap {
		rows = append(rows, Row{IsGap: true})
	}
	rows = append(rows, d.pieces[n].rows(l)...)
	if len(rows) == 0 {
		rows = append(rows, Row{})
	}
	return rows
}

// one returns a single piece.
func one(p piece) source {
	isTaken := false
	return func() (piece, bool) {
		if isTaken {
			return nil, false
		}
		isTaken = true
		return p, true
	}
}

// chain returns the pieces of several sources, one after the other.
func chain(sources ...source) source {
	return func() (piece, bool) {
		for len(sources) > 0 {
			if p, ok := sources[0](); ok {
				return p, true
			}
			sources = sources[1:]
		}
		return nil, false
	}
}
