package loopdetect

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// chant finds text that repeats itself: the same chunk of characters many times,
// close together, with much the same between one and the next. (Without the
// last, a list of things that share a long prefix would be a loop.)
//
// Positions count the characters of a conversation, from 1. A chunk goes by the
// position at which it begins. Of each position the ring keeps the hash of all
// text before it, so that the hash of any piece is a subtraction; chunks of the
// same hash are chained, the newest first, as a compressor does it. Nothing is
// ever removed: what is before from does not count. The hash is modulo a prime,
// to a base that nobody knows, so no text can be made to collide.
type chant struct {
	lines lines

	chunk, hits, periods int
	span                 int // from the first of the hits to the last, at most
	memory               int

	ring   []place  // by position; the length is a power of two
	newest []int    // chunks, by hash
	powers []uint64 // of base
	base   uint64

	from, next, end int    // what counts; the next chunk to look at; behind the last character
	sum             uint64 // hash of all before end
	at              []int  // where the last hits are, scratch
	seen            []piece
}

// place is what is known of a position.
type place struct {
	r     rune
	hits  int32  // chunks like this one up to here, as far as they are counted
	sum   uint64 // hash of all text before it
	chain int    // an earlier chunk whose hash has the same low bits, 0 for none
	same  int    // an earlier chunk that is the same, 0 for none
}

// piece is a text between two chunks that are the same.
type piece struct {
	hash uint64
	len  int
}

func newChant(o *Options) *chant {
	span := (o.Hits - 1) * o.Spacing
	// What is further away than the hits may be does not count, so it need not be
	// remembered.
	memory := min(o.Memory, span+o.Chunk+maxHead)
	size := 1 << bits.Len(uint(memory))
	c := &chant{
		chunk: o.Chunk, hits: o.Hits, periods: o.Periods, span: span, memory: memory,
		ring: make([]place, size), newest: make([]int, size), powers: make([]uint64, size),
		base: 1<<32 + rand.Uint64N(prime-1<<32),
		from: 1, next: 1, end: 1,
		at: make([]int, o.Hits),
	}
	c.powers[0] = 1
	for i := 1; i < size; i++ {
		c.powers[i] = times(c.powers[i-1], c.base)
	}
	return c
}

// forget drops all text so far.
func (c *chant) forget() { c.from, c.next = c.end, c.end }

// add takes a piece of an answer and returns the chunk that repeats itself, if
// one does.
func (c *chant) add(text string) (chunk string, found bool) {
	for _, r := range text {
		switch c.lines.next(r) {
		case hidden:
		case fresh:
			c.forget()
		case held:
			c.push(r)
		case plain:
			c.push(r)
			for ; c.next+c.chunk <= c.end; c.next++ {
				if c.repeats(c.next) {
					return c.text(c.next), true
				}
			}
		}
	}
	return "", false
}

// push remembers a character.
func (c *chant) push(r rune) {
	p := c.place(c.end)
	p.r, p.sum = r, c.sum
	c.sum = plus(times(c.sum, c.base), uint64(r)+1)
	c.end++
	c.from = max(c.from, c.end-c.memory)
	c.next = max(c.next, c.from)
}

// repeats counts the chunk at pos, and reports whether it makes a loop.
func (c *chant) repeats(pos int) bool {
	hash := c.hash(pos, pos+c.chunk)
	newest := &c.newest[int(hash)&(len(c.newest)-1)]
	p := c.place(pos)
	p.chain, p.same, p.hits = *newest, 0, 1
	*newest = pos
	for q := p.chain; q >= c.from; q = c.place(q).chain {
		if c.hash(q, q+c.chunk) == hash {
			p.same, p.hits = q, min(c.place(q).hits+1, int32(c.hits))
			break
		}
	}
	return int(p.hits) == c.hits && c.dense(pos) && c.alike() && c.same()
}

// dense finds the last hits up to pos and reports whether they are close enough.
func (c *chant) dense(pos int) bool {
	for i := range slices.Backward(c.at) {
		if pos < c.from {
			return false
		}
		c.at[i] = pos
		pos = c.place(pos).same
	}
	return c.at[len(c.at)-1]-c.at[0] <= c.span
}

// alike reports whether what is between the hits is much the same.
func (c *chant) alike() bool {
	c.seen = c.seen[:0]
	for i, pos := range c.at[1:] {
		p := piece{c.hash(c.at[i], pos), pos - c.at[i]}
		if slices.Contains(c.seen, p) {
			continue
		}
		if len(c.seen) == c.periods {
			return false
		}
		c.seen = append(c.seen, p)
	}
	return true
}

// same compares the hits, of which so far only the hashes are known to be equal.
func (c *chant) same() bool {
	for i := range c.chunk {
		r := c.place(c.at[0] + i).r
		for _, pos := range c.at[1:] {
			if c.place(pos+i).r != r {
				return false
			}
		}
	}
	return true
}

// text returns the chunk at pos.
func (c *chant) text(pos int) string {
	rs := make([]rune, c.chunk)
	for i := range rs {
		rs[i] = c.place(pos + i).r
	}
	return string(rs)
}

func (c *chant) place(pos int) *place { return &c.ring[pos&(len(c.ring)-1)] }

// hash returns the hash of the text from one position to another.
func (c *chant) hash(from, to int) uint64 {
	sum := c.sum
	if to != c.end {
		sum = c.place(to).sum
	}
	return plus(sum, prime-times(c.place(from).sum, c.powers[to-from]))
}

// prime is what hashes are modulo of. Its shape makes the remainder a matter of
// adding two halves.
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
