package loopdetect

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// chantFinder finds text that repeats itself: the same chunk of characters many times, close
// together, with few different texts in between. (Without the last condition, a list of items
// with a long common prefix would be a loop.)
//
// Positions count the characters of a conversation, from 1. A chunk is identified by the
// position at which it begins. The ring stores for each position the hash of all text before
// it, so that the hash of any piece is a subtraction. Chunks with the same hash are chained,
// the newest first, as in a compressor. Nothing is ever removed from the chains; positions
// before from are ignored. The hash is modulo a prime, with a random base, so that no text can
// be made to collide.
type chantFinder struct {
	lines lines

	chunk, hits, periods int
	maxSpan              int // between the first and the last of the hits
	memory               int

	// The ring and what depends on its length grow with the text, because most responses are short.
	ring   []place  // by position; the length is a power of two
	newest []int    // position of the newest chunk, by hash
	powers []uint64 // of base
	base   uint64

	from, next, end int    // first position that counts; next chunk to check; position after the last character
	sum             uint64 // hash of all text before end
	hitPositions    []int  // scratch space of isDense
	gaps            []gap  // scratch space of hasFewGaps
}

// place is an entry of the ring, for one position.
type place struct {
	r        rune
	hits     int32  // number of equal chunks up to this one, at most the number that makes a loop
	sum      uint64 // hash of all text before it
	hash     uint64 // of the chunk that begins here
	chain    int    // an earlier chunk whose hash has the same low bits, 0 for none
	previous int    // the previous equal chunk, 0 for none
}

// gap is the text from one hit to the next.
type gap struct {
	hash uint64
	len  int
}

func newChantFinder(o *Options) *chantFinder {
	span := (o.Hits - 1) * o.Spacing
	// Text that is further away than the hits may be does not count.
	memory := min(o.Memory, span+o.Chunk+maxHead)
	c := &chantFinder{
		chunk: o.Chunk, hits: o.Hits, periods: o.Periods, maxSpan: span, memory: memory,
		base: 1<<32 + rand.Uint64N(prime-1<<32), powers: []uint64{1},
		from: 1, next: 1, end: 1,
		hitPositions: make([]int, o.Hits),
	}
	c.grow(64)
	return c
}

// grow gives the ring a length, a power of two above the number of positions that count.
func (c *chantFinder) grow(length int) {
	old := c.ring
	// With few positions for an entry, most chunks that are new find one that does not count any more, and no other place
	// is read.
	c.ring, c.newest = make([]place, length), make([]int, 4*length)
	for pos := c.from; pos < c.end; pos++ {
		*c.place(pos) = old[pos&(len(old)-1)]
	}
	for pos := c.from; pos < c.next; pos++ {
		c.link(pos, c.place(pos).hash)
	}
	for len(c.powers) < length {
		c.powers = append(c.powers, times(c.powers[len(c.powers)-1], c.base))
	}
}

func (c *chantFinder) reset() { c.from, c.next = c.end, c.end }

// add adds a piece of a response. It returns the chunk that repeats itself, if one does.
func (c *chantFinder) add(text string) (chunk string, found bool) {
	for _, r := range text {
		switch c.lines.next(r) {
		case hidden:
		case fresh:
			c.reset()
		case held:
			c.push(r)
		case plain:
			c.push(r)
			for ; c.next+c.chunk <= c.end; c.next++ {
				if c.isLoop(c.next) {
					return c.text(c.next), true
				}
			}
		}
	}
	return "", false
}

func (c *chantFinder) push(r rune) {
	if c.end-c.from == len(c.ring) {
		c.grow(2 * len(c.ring))
	}
	p := c.place(c.end)
	p.r, p.sum = r, c.sum
	c.sum = plus(times(c.sum, c.base), uint64(r)+1)
	c.end++
	c.from = max(c.from, c.end-c.memory)
	c.next = max(c.next, c.from)
}

// isLoop counts the chunk at pos and reports whether it makes a loop.
func (c *chantFinder) isLoop(pos int) bool {
	hash := c.hash(pos, pos+c.chunk)
	p := c.link(pos, hash)
	p.previous, p.hits = 0, 1
	for q := p.chain; q >= c.from; q = c.place(q).chain {
		if c.place(q).hash == hash {
			p.previous, p.hits = q, min(c.place(q).hits+1, int32(c.hits))
			break
		}
	}
	return int(p.hits) == c.hits && c.isDense(pos) && c.hasFewGaps() && c.hitsEqual()
}

// link makes the chunk at pos the newest of its chain.
func (c *chantFinder) link(pos int, hash uint64) *place {
	newest := &c.newest[int(hash)&(len(c.newest)-1)]
	p := c.place(pos)
	p.hash, p.chain, *newest = hash, *newest, pos
	return p
}

// isDense collects the last hits up to pos and reports whether they are close enough.
func (c *chantFinder) isDense(pos int) bool {
	for i := range slices.Backward(c.hitPositions) {
		if pos < c.from {
			return false
		}
		c.hitPositions[i] = pos
		pos = c.place(pos).previous
	}
	return c.hitPositions[len(c.hitPositions)-1]-c.hitPositions[0] <= c.maxSpan
}

// hasFewGaps reports whether there are few different texts between the hits.
func (c *chantFinder) hasFewGaps() bool {
	c.gaps = c.gaps[:0]
	for i, pos := range c.hitPositions[1:] {
		p := gap{c.hash(c.hitPositions[i], pos), pos - c.hitPositions[i]}
		if slices.Contains(c.gaps, p) {
			continue
		}
		if len(c.gaps) == c.periods {
			return false
		}
		c.gaps = append(c.gaps, p)
	}
	return true
}

// hitsEqual compares the text of the hits, because equal hashes do not prove that it is equal.
func (c *chantFinder) hitsEqual() bool {
	for i := range c.chunk {
		r := c.place(c.hitPositions[0] + i).r
		for _, pos := range c.hitPositions[1:] {
			if c.place(pos+i).r != r {
				return false
			}
		}
	}
	return true
}

func (c *chantFinder) text(pos int) string {
	rs := make([]rune, c.chunk)
	for i := range rs {
		rs[i] = c.place(pos + i).r
	}
	return string(rs)
}

func (c *chantFinder) place(pos int) *place { return &c.ring[pos&(len(c.ring)-1)] }

// hash returns the hash of the text from one position to another.
func (c *chantFinder) hash(from, to int) uint64 {
	sum := c.sum
	if to != c.end {
		sum = c.place(to).sum
	}
	return plus(sum, prime-times(c.place(from).sum, c.powers[to-from]))
}

// prime is the modulus of the hashes. It is a Mersenne prime, so that the remainder is the sum
// of two halves.
const prime = 1<<61 - 1

// times returns a*b modulo prime, for a and b below it.
func times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return plus(lo&prime, hi<<3|lo>>61)
}

// plus returns a+b modulo prime, for a and b up to it.
func plus(a, b uint64) uint64 {
	s := a + b
	if s >= prime {
		s -= prime
	}
	return s
}
