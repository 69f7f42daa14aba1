package quotation

import (
	"hash/maphash"
	"math/bits"
	"strings"
)

// filter is a Bloom filter of words: most texts lack one of the words of a call, and need no search
// then. Its size is a power of two.
type filter []uint64

// newFilter returns the filter of words with these hashes.
func newFilter(hashes []uint64) filter {
	const perWord = 8 // bits
	f := make(filter, 1<<bits.Len(uint(len(hashes)*perWord/64)))
	for _, h := range hashes {
		for _, n := range f.places(h) {
			f[n/64] |= 1 << (n % 64)
		}
	}
	return f
}

// places returns the numbers of the bits of a word.
func (f filter) places(hash uint64) [2]uint64 {
	mask := uint64(len(f)*64 - 1)
	return [...]uint64{hash & mask, hash >> 32 & mask}
}

// mayHave reports whether the words may all be in the text.
func (f filter) mayHave(hashes []uint64) bool {
	for _, h := range hashes {
		for _, n := range f.places(h) {
			if f[n/64]&(1<<(n%64)) == 0 {
				return false
			}
		}
	}
	return true
}

// hashWords returns the hashes of words, see [words].
func (x *Index) hashWords(w string) []uint64 {
	list := make([]uint64, 0, len(w)/6)
	for word := range strings.SplitSeq(w, " ") {
		if word != "" {
			list = append(list, maphash.String(x.seed, word))
		}
	}
	return list
}

// index returns where words with these hashes stand in the passage, -1 if they do not.
func (p *passage) index(w string, hashes []uint64) int {
	if !p.filter.mayHave(hashes) {
		return -1
	}
	return strings.Index(p.words, w)
}
