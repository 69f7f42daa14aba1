package tool

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Units returns the number of UTF-16 units in text. Gemini CLI and its settings count
// characters in this way: a character outside of the basic multilingual plane counts as two.
func Units(text string) int { return countBytes(bytesNoCopy(text)) }

// Last returns the last n UTF-16 units of text, or one less if n units would split a
// character.
func Last(text string, n int) string {
	i := len(text)
	for i > 0 {
		start := i - 1
		for start > 0 && isContinuation(text[start]) {
			start--
		}
		if n -= unitsOf(text[start]); n < 0 {
			break
		}
		i = start
	}
	return text[i:]
}

// First returns the first n UTF-16 units of text, or one less if n units would split a
// character.
func First(text string, n int) string {
	for i := 0; i < len(text); i++ {
		if n -= unitsOf(text[i]); n < 0 {
			return text[:i]
		}
	}
	return text
}

// unitsOf returns the number of UTF-16 units of the character that begins with byte b, and 0
// for all other bytes, so that text can be counted in pieces split at any byte.
func unitsOf(b byte) int {
	switch {
	case isContinuation(b):
		return 0
	case b >= 0xF0:
		return 2
	}
	return 1
}

func isContinuation(b byte) bool { return b&0xC0 == 0x80 }

// countBytes returns the sum of unitsOf over p. It processes 32 bytes at a time, because tools
// write tens of megabytes.
func countBytes(p []byte) int {
	const ones = 0x0101010101010101
	n := len(p)
	for len(p) >= 32 {
		a, b := binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])
		c, d := binary.LittleEndian.Uint64(p[16:]), binary.LittleEndian.Uint64(p[24:])
		p = p[32:]
		if (a|b|c|d)&(ones<<7) == 0 {
			continue
		}
		for _, w := range [...]uint64{a, b, c, d} {
			n -= bits.OnesCount64(w >> 7 & (^w >> 6) & ones)                      // 10xxxxxx
			n += bits.OnesCount64(w >> 7 & (w >> 6) & (w >> 5) & (w >> 4) & ones) // 1111xxxx
		}
	}
	for _, b := range p {
		n += unitsOf(b) - 1
	}
	return n
}

// bytesNoCopy returns the bytes of s without a copy. They must not be changed.
func bytesNoCopy(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
