package tool

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Units counts the characters of text as Gemini CLI and its settings do: in
// UTF-16 units. A character outside of the basic plane counts as two.
func Units(text string) int { return countBytes(bytesOf(text)) }

// Last returns the last n UTF-16 units of text, one less where that would
// split a character.
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

// first returns the first n UTF-16 units of text, one less where that would
// split a character.
func first(text string, n int) string {
	for i := 0; i < len(text); i++ {
		if n -= unitsOf(text[i]); n < 0 {
			return text[:i]
		}
	}
	return text
}

// unitsOf counts a character at its first byte, so that text can be counted
// in pieces that were split anywhere.
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

// countBytes is the sum of unitsOf, many bytes at a time: output of tens of
// megabytes passes through here.
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

// bytesOf returns the bytes of s without copying them; they must not be changed.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
