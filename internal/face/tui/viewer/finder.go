package viewer

import (
	"cmp"
	"slices"
	"sort"

	"pollux/internal/face/tui/viewer/rows"
)

// finder counts the matches of a query, piece by piece: first from an item to the end, then the items before it, the last one
// first. So the matches near the view are known first.
type finder struct {
	query  query
	start  int // the item where it began
	isBack bool
	isDone bool

	item     int // to be read next
	piece    int
	document *rows.Document // of the item, nil if it was not opened
	found    []hit          // in the item

	ahead, behind []hit // in the order in which they were found: those behind are the last ones first
}

// hit is a piece that has matches.
type hit struct {
	item, piece int
	count       int
	sum         int // of the counts up to this one, in the order in which they were found
}

// matchPlace is the place of a match: the n-th one of a piece, from 0. A place need not exist.
type matchPlace struct{ item, piece, n int }

func (h hit) compare(p matchPlace) int {
	return cmp.Or(cmp.Compare(h.item, p.item), cmp.Compare(h.piece, p.piece))
}

// newFinder returns a finder that begins at an item.
func newFinder(q query, start int) finder { return finder{query: q, start: start, item: start} }

// step reads pieces of so many bytes, or a bit more.
func (f *finder) step(s *sheet, bytes int) {
	for bytes > 0 && !f.isDone {
		switch {
		case f.document == nil && (f.item < 0 || f.item >= s.conversation.Len()):
			f.turn()
			bytes -= overhead
		case f.document == nil:
			f.document, f.piece = s.open(f.item), 0
			bytes -= overhead
		case f.document.Has(f.piece):
			if n := len(f.query.find(f.document.Rows(f.piece, &s.look))); n > 0 {
				f.found = append(f.found, hit{item: f.item, piece: f.piece, count: n})
			}
			bytes -= f.document.PieceSize(f.piece) + overhead
			f.piece++
		default:
			f.endItem()
		}
	}
}

// turn begins with the items before the first one, or ends.
func (f *finder) turn() {
	f.isDone = f.isBack
	f.isBack = true
	f.item = f.start - 1
}

// endItem adds the hits of an item.
func (f *finder) endItem() {
	list, step := &f.ahead, 1
	if f.isBack {
		list, step = &f.behind, -1
		slices.Reverse(f.found)
	}
	for _, h := range f.found {
		h.sum = h.count
		if n := len(*list); n > 0 {
			h.sum += (*list)[n-1].sum
		}
		*list = append(*list, h)
	}
	f.found, f.document = f.found[:0], nil
	f.item += step
}

// knowledge says whether a match is known.
type knowledge uint8

const (
	unknown knowledge = iota // not yet
	known
	absent
)

// next returns the first match behind a place, or the first one of all.
func (f *finder) next(p matchPlace) (matchPlace, knowledge) {
	if h, ok := f.at(p); ok && p.n+1 < h.count {
		return matchPlace{p.item, p.piece, p.n + 1}, known
	}
	if p.item < f.start {
		if !f.isDone && (!f.isBack || p.item <= f.item) {
			return p, unknown
		}
		if n := f.behindAfter(p); n > 0 {
			return firstOf(f.behind[n-1]), known
		}
		if len(f.ahead) > 0 {
			return firstOf(f.ahead[0]), known
		}
	} else if n := f.aheadUpTo(p); n < len(f.ahead) {
		return firstOf(f.ahead[n]), known
	}
	switch {
	case !f.isDone:
		return p, unknown
	case len(f.behind) > 0:
		return firstOf(f.behind[len(f.behind)-1]), known
	case len(f.ahead) > 0:
		return firstOf(f.ahead[0]), known
	}
	return p, absent
}

// previous returns the last match before a place, or the last one of all.
func (f *finder) previous(p matchPlace) (matchPlace, knowledge) {
	if h, ok := f.at(p); ok && p.n > 0 {
		return matchPlace{p.item, p.piece, min(p.n, h.count) - 1}, known
	}
	if p.item < f.start {
		if !f.isDone && (!f.isBack || p.item <= f.item) {
			return p, unknown
		}
		n := f.behindAfter(p)
		if n < len(f.behind) && f.behind[n].compare(p) == 0 {
			n++
		}
		if n < len(f.behind) {
			return lastOf(f.behind[n]), known
		}
	} else {
		if !f.isBack && p.item >= f.item {
			return p, unknown
		}
		n := f.aheadUpTo(p)
		if n > 0 && f.ahead[n-1].compare(p) == 0 {
			n--
		}
		if n > 0 {
			return lastOf(f.ahead[n-1]), known
		}
		if len(f.behind) > 0 {
			return lastOf(f.behind[0]), known
		}
	}
	switch {
	case !f.isDone:
		return p, unknown
	case len(f.ahead) > 0:
		return lastOf(f.ahead[len(f.ahead)-1]), known
	case len(f.behind) > 0:
		return lastOf(f.behind[0]), known
	}
	return p, absent
}

func firstOf(h hit) matchPlace { return matchPlace{h.item, h.piece, 0} }

func lastOf(h hit) matchPlace { return matchPlace{h.item, h.piece, h.count - 1} }

// aheadUpTo returns the number of hits ahead that are not behind a place.
func (f *finder) aheadUpTo(p matchPlace) int {
	return sort.Search(len(f.ahead), func(i int) bool { return f.ahead[i].compare(p) > 0 })
}

// behindAfter returns the number of hits before the start that are behind a place.
func (f *finder) behindAfter(p matchPlace) int {
	return sort.Search(len(f.behind), func(i int) bool { return f.behind[i].compare(p) <= 0 })
}

// at returns the hit at a place.
func (f *finder) at(p matchPlace) (hit, bool) {
	if n := f.aheadUpTo(p); n > 0 && f.ahead[n-1].compare(p) == 0 {
		return f.ahead[n-1], true
	}
	if n := f.behindAfter(p); n < len(f.behind) && f.behind[n].compare(p) == 0 {
		return f.behind[n], true
	}
	return hit{}, false
}

// total returns the number of matches found so far.
func (f *finder) total() int { return sumOf(f.ahead) + sumOf(f.behind) }

func sumOf(hits []hit) int {
	if len(hits) == 0 {
		return 0
	}
	return hits[len(hits)-1].sum
}

// number returns the number of a match, from 1, among all. It counts if the finder is done.
func (f *finder) number(p matchPlace) int {
	h, _ := f.at(p)
	if p.item < f.start {
		return sumOf(f.behind) - h.sum + p.n + 1
	}
	return sumOf(f.behind) + h.sum - h.count + p.n + 1
}
