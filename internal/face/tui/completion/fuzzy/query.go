// Package fuzzy finds texts that have the characters of a query in its order, and says which of them fit best: those in
// which the characters follow each other, begin words, and are in the last element of a path.
//
// Upper and lower case match each other. A [Query] costs no memory per text, so that each key may search a whole
// project.
package fuzzy

import (
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// maxBytes is the length of the longest query that is matched with gaps, in bytes. A longer one must be a part of the
// text.
const maxBytes = 64

// Query is a text to look for. It is not safe for concurrent use.
type Query struct {
	text      string
	bytes     uint64           // the set of its bytes
	where     [256]uint64      // the positions of each byte in text, as bits
	continues uint64           // the positions of bytes that continue a character
	states    [maxBytes]prefix // of the match in progress
}

// prefix is the best way to match a prefix of the query so that its last byte is at a position of the text.
type prefix struct {
	at    int32
	score int32
	run   int32 // points of the first byte of the run that ends there
	// best is the highest score of all such ways up to here plus the position of its last byte, so that a gap costs the
	// same wherever it ends.
	best int32
}

// New returns the query for a text.
func New(text string) *Query {
	q := &Query{text: fold(text)}
	q.bytes = setOf(q.text)
	if len(q.text) <= maxBytes {
		for i := range len(q.text) {
			q.where[q.text[i]] |= 1 << i
			if !utf8.RuneStart(q.text[i]) {
				q.continues |= 1 << i
			}
		}
	}
	return q
}

// Match says how well a query fits a text, and where the match ends.
type Match struct{ Score, End int32 }

// Match looks for the query in a text. The empty query matches each text.
func (q *Query) Match(t *Text) (Match, bool) {
	if t.bytes&q.bytes != q.bytes || len(t.folded) < len(q.text) {
		return Match{}, false
	}
	if len(q.text) > maxBytes || q.text == "" {
		at := strings.LastIndex(t.folded, q.text)
		return Match{int32(perByte * len(q.text)), int32(at + len(q.text))}, at >= 0
	}
	return q.align(t, nil)
}

// Points of a match, beside those of its places.
const (
	perByte  = 16
	inBase   = 2 // a byte in the last element of a path
	minRun   = 4 // a byte that follows the one before it in the query
	gapStart = 2 // beside one point for each byte of the gap
)

// align finds the best match. A trace, if there is one, receives the position of the byte before for each byte of the
// query and position in the text.
func (q *Query) align(t *Text, trace *trace) (m Match, ok bool) {
	begun, open, last := 0, uint64(1), len(q.text)-1 // begun is the number of prefixes that are matched somewhere
	m.Score = math.MinInt32
	for j := range len(t.folded) {
		set := q.where[t.folded[j]] & open
		if set == 0 {
			continue
		}
		place := points(t.Shown, j)
		value := perByte + place
		if j >= t.base {
			value += inBase
		}
		for set != 0 { // the longest prefix first: it builds on shorter ones that end before
			i := bits.Len64(set) - 1
			set &^= 1 << i
			s := &q.states[i]
			score, run, isRun := value+place, place, false
			if i > 0 {
				if score, run, isRun = q.extend(i, int32(j), value, place); score == math.MinInt32 {
					continue
				}
			}
			if trace != nil {
				trace.add(i, j, isRun, i == begun || score+int32(j) >= s.best)
			}
			s.at, s.score, s.run = int32(j), score, run
			if i == begun {
				s.best = score + int32(j)
				begun, open = begun+1, open<<1|1
			} else {
				s.best = max(s.best, score+int32(j))
			}
			if i == last && score >= m.Score {
				m, ok = Match{score, int32(j) + 1}, true
			}
		}
	}
	return m, ok
}

// extend returns the score of the best way to match the byte i of the query, which is not the first, at the position j,
// the points of its run, and whether the byte continues a run. The byte is worth value, with the points of its place.
// The score is math.MinInt32 if there is no way.
func (q *Query) extend(i int, j, value, place int32) (score, run int32, isRun bool) {
	shorter := &q.states[i-1]
	score = math.MinInt32
	if shorter.at == j-1 {
		run, isRun = shorter.run, true
		if place >= atHump {
			run = max(run, place)
		}
		score = shorter.score + value - place + max(run, minRun)
	}
	if q.continues>>i&1 == 0 {
		if gap := shorter.best - j - gapStart + 1 + value; gap > score {
			return gap, place, false
		}
	}
	return score, run, isRun
}

// Rank returns a number for the matched text: of the texts that match a query, the one with the highest number fits
// best. Equal scores are decided by a match nearer the end, then by the shorter text.
func (m Match) Rank(t *Text) uint64 {
	const (
		lengthBits = 13
		most       = 1<<lengthBits - 1
		middle     = 1 << 24 // of the scores, which may be negative
	)
	rank := uint64(max(0, min(int(m.Score)+middle, 2*middle-1)))
	rank = rank<<lengthBits | uint64(most-min(len(t.Shown)-int(m.End), most))
	return rank<<lengthBits | uint64(most-min(len(t.Shown), most))
}
