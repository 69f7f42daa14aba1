package textindex

import "sync"

// A signature is a set of bits, some for all two, three and five bytes that follow each other in the
// texts of a block. Different ones can have the same bit. Its length in bytes is 5 times a power of two:
// the bit in a signature of half the length is at half the place.
type signature []byte

const (
	minSignature     = 5 // bytes
	maxSignature     = minSignature << logMaxSignature
	logMaxSignature  = 11
	blockToSignature = 11 // how much longer a block is than its signature, at least
)

// Kinds of grams: the high bits above the bytes of a text, the last of which is in the lowest bits.
// Pairs and triples have several bits, because a short text consists of few.
const (
	five = 1 << (48 + iota)
	triple1
	triple2
	pair1
	pair2
	pair3
)

// hash mixes a gram twice, so that two that have the same bit of one kind have not that of the others,
// too.
func hash(gram uint64) uint32 {
	const golden, other = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
	gram *= golden
	return uint32((gram ^ gram>>32) * other >> 32)
}

// place returns the number of the bit of a hash in a signature of n bits.
func place(hash uint32, n int) uint64 { return uint64(hash) * uint64(n) >> 32 }

// grams returns the hashes of the parts of a folded text, the rarest ones first; none for a single
// byte.
func grams(text []byte) (hashes []uint32) {
	add := func(size int, kinds ...uint64) {
		for i := size; i <= len(text); i++ {
			bytes := uint64(0)
			for _, b := range text[i-size : i] {
				bytes = bytes<<8 | uint64(b)
			}
			for _, kind := range kinds {
				hashes = append(hashes, hash(bytes|kind))
			}
		}
	}
	if len(text) == 2 {
		add(2, pair1, pair2, pair3)
	}
	add(5, five)
	add(3, triple1, triple2)
	return hashes
}

// mayContain reports whether the texts can contain one with these hashes.
func (s signature) mayContain(hashes []uint32) bool {
	for _, h := range hashes {
		bit := place(h, 8*len(s))
		if s[bit/8]>>(bit%8)&1 == 0 {
			return false
		}
	}
	return true
}

// collector makes signatures of texts.
type collector struct {
	bits  []bool // as many as the longest signature of the block can have
	isIn  [1 << 16]bool
	pairs []uint16 // those that isIn has
}

var collectors = sync.Pool{New: func() any { return &collector{bits: make([]bool, 8*maxSignature)} }}

// begin begins a signature of a block of at most this many bytes.
func (c *collector) begin(most int64) {
	n := 8 * maxSignature
	for n > 8*minSignature && int64(n/8*blockToSignature) > most {
		n /= 2
	}
	c.bits = c.bits[:n]
	clear(c.bits)
	for _, p := range c.pairs {
		c.isIn[p] = false
	}
	c.pairs = c.pairs[:0]
}

func (c *collector) set(gram uint64) { c.bits[place(hash(gram), len(c.bits))] = true }

// add adds a folded text.
func (c *collector) add(text []byte) {
	last := uint64(0)
	for i, b := range text {
		last = last<<8 | uint64(b)
		if i >= 4 {
			c.set(last&(1<<40-1) | five)
		}
		if i >= 2 {
			c.set(last&(1<<24-1) | triple1)
			c.set(last&(1<<24-1) | triple2)
		}
		if p := uint16(last); i >= 1 && !c.isIn[p] {
			c.isIn[p] = true
			c.pairs = append(c.pairs, p)
			c.set(uint64(p) | pair1)
			c.set(uint64(p) | pair2)
			c.set(uint64(p) | pair3)
		}
	}
}

// take returns the signature of the texts of a block of this many bytes. It is as short as it can be
// with a third of its bits set.
func (c *collector) take(block int64) signature {
	set := count(c.bits)
	n := len(c.bits)
	for n > 8*minSignature && (int64(n/8*blockToSignature) > block || set*6 <= n) {
		n /= 2
		for i := range n {
			c.bits[i] = c.bits[2*i] || c.bits[2*i+1]
		}
		set = count(c.bits[:n])
	}
	s := make(signature, n/8)
	for i, isSet := range c.bits[:n] {
		if isSet {
			s[i/8] |= 1 << (i % 8)
		}
	}
	return s
}

// count returns how many bits are set.
func count(bits []bool) (n int) {
	for _, isSet := range bits {
		if isSet {
			n++
		}
	}
	return n
}
