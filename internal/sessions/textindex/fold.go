package textindex

import (
	"encoding/binary"
	"unicode"
	"unicode/utf8"
)

// Fold appends a text without the difference of upper and lower case, in which texts are compared.
// Invalid UTF-8 becomes U+FFFD.
func Fold(to, text []byte) []byte {
	for len(text) > 0 {
		for len(text) >= 8 { // ASCII, eight at a time
			b := binary.LittleEndian.Uint64(text)
			if b&(0x80*each) != 0 {
				break
			}
			to, text = binary.LittleEndian.AppendUint64(to, lowerEight(b)), text[8:]
		}
		if len(text) == 0 {
			break
		}
		if c := text[0]; c < utf8.RuneSelf {
			to, text = append(to, lower[c]), text[1:]
			continue
		}
		r, n := utf8.DecodeRune(text)
		to, text = utf8.AppendRune(to, foldRune(r)), text[n:]
	}
	return to
}

// each multiplies a byte to eight.
const each = 0x0101010101010101

// lowerEight returns eight bytes with those that are ASCII letters in lower case.
func lowerEight(b uint64) uint64 {
	ascii := b & (0x7f * each)
	fromA, pastZ := ascii+(0x80-'A')*each, ascii+(0x7f-'Z')*each
	return b | (fromA&^pastZ&^b)>>2&(0x20*each)
}

// foldASCII sets to to the bytes with ASCII letters in lower case.
func foldASCII(to, bytes []byte) {
	i := 0
	for ; i+8 <= len(bytes); i += 8 {
		binary.LittleEndian.PutUint64(to[i:], lowerEight(binary.LittleEndian.Uint64(bytes[i:])))
	}
	for ; i < len(bytes); i++ {
		if to[i] = bytes[i]; bytes[i] < utf8.RuneSelf {
			to[i] = lower[bytes[i]]
		}
	}
}

// Unfold returns the offset in text that corresponds to an offset in the folded text.
func Unfold(text []byte, folded int) int {
	at := 0
	for folded > 0 && at < len(text) {
		r, n := utf8.DecodeRune(text[at:])
		folded -= utf8.RuneLen(foldRune(r))
		at += n
	}
	return at
}

// foldRune returns the lower case of the upper case, because some letters have two lower cases: σ and ς
// are the same. ASCII letters are only the same as ASCII letters.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		return rune(lower[r])
	}
	if folded := unicode.ToLower(unicode.ToUpper(r)); folded >= utf8.RuneSelf {
		return folded
	}
	return r
}

// lower are the ASCII characters in lower case.
const lower = "\x00\x01\x02\x03\x04\x05\x06\a\b\t\n\v\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f" +
	" !\"#$%&'()*+,-./0123456789:;<=>?@abcdefghijklmnopqrstuvwxyz[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\x7f"
