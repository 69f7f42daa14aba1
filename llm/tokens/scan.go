package tokens

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// A tokenizer splits text into words, numbers, and runs of punctuation and of white
// space, and then into the pieces in its table. The scan goes through the text from
// left to right. For each character it adds the probability that a token starts with
// it after the previous characters. TestFit measures these probabilities (costs.go) as
// the mean of OpenAI's o200k_base and cl100k_base.

// Symbols are kinds of characters. There are four symbols for letters of each case,
// by how rarely a letter follows the previous one, which distinguishes words from ids
// and base64.
const (
	symLower   = 0 // 0 to 3
	symUpper   = 4 // 4 to 7
	symDigit   = 8
	symSpace   = 9
	symNewline = 10
	symQuote   = 11 // first punctuation symbol
	symOpen    = 12
	symClose   = 13
	symSep     = 14
	symUnder   = 15
	symOp      = 16
	symOther   = 17
	symControl = 18
	symHan     = 19 // first symbol of characters other than ASCII
	symRareHan = 20
	symKana    = 21
	symHangul  = 22
	symCJK     = 23 // East Asian punctuation and forms
	symCyrill  = 24
	symDash    = 25 // dashes, quotes, signs
	symDraw    = 26 // arrows, boxes, symbols
	symScript  = 27 // scripts with two bytes per letter: Greek, Hebrew, Arabic
	symFar     = 28 // scripts with three bytes per letter: Thai, Devanagari
	symEmoji   = 29 // characters of four bytes
	symbols    = 30
)

// A state describes the previous characters. In a word it consists of the number of
// letters, the number of recent rare pairs, and the case of the last letter.
const (
	maxLetters   = 6
	maxRare      = 3
	stateSpace   = maxLetters * (maxRare + 1) * 2 // runs of one, two, more
	stateNewline = stateSpace + 3                 // runs of one, more
	stateDigit   = stateNewline + 2               // digits 1, 2 and 3 of a group
	statePunct   = stateDigit + 3                 // runs of one, two, more of each symbol
	stateWide    = statePunct + 3*(symHan-symQuote)
	states       = stateWide + symbols - symHan
)

func wordState(letters, rare int, upper bool) int {
	s := ((min(letters, maxLetters)-1)*(maxRare+1) + rare) * 2
	if upper {
		s++
	}
	return s
}

// inWord returns the parts of a state in a word; ok is false for other states.
func inWord(state int) (letters, rare int, upper, ok bool) {
	return state/2/(maxRare+1) + 1, state / 2 % (maxRare + 1), state%2 == 1, state < stateSpace
}

func next(state, symbol int) int {
	letters, rare, upper, word := inWord(state)
	switch {
	case symbol < symDigit:
		isUpper, rarity := symbol >= symUpper, symbol%4
		switch {
		case !word || isUpper && !upper:
			return wordState(1, 0, isUpper)
		case !isUpper && upper && letters > 1: // the C of ABCd starts a word
			return wordState(2, 0, false)
		case rarity == 0:
			return wordState(letters+1, max(0, rare-1), isUpper)
		}
		return wordState(letters+1, min(maxRare, rare+rarity), isUpper)
	case symbol == symDigit:
		if state >= stateDigit && state < statePunct {
			return stateDigit + (state-stateDigit+1)%3
		}
		return stateDigit
	case symbol == symSpace:
		return extendRun(state, stateSpace, 3)
	case symbol == symNewline:
		return extendRun(state, stateNewline, 2)
	case symbol < symHan:
		if run := statePunct + 3*(symbol-symQuote); state >= statePunct && state < stateWide {
			return run + min(2, (state-statePunct)%3+1)
		} else {
			return run
		}
	}
	return stateWide + symbol - symHan
}

// extendRun returns the state after one more character of a run. The n states of the run
// start with first.
func extendRun(state, first, n int) int {
	if state >= first && state < first+n {
		return min(state+1, first+n-1)
	}
	return first
}

func costAt(state, symbol int) int {
	switch _, _, _, word := inWord(state); {
	case word && symbol < symDigit:
		return int(wordCosts[state][symbol])
	case word:
		return int(costs[0][symbol])
	}
	return int(costs[state-stateSpace+1][symbol])
}

// scanner holds symbols, states and costs in tables of 8 KB.
type scanner struct {
	bytes  [256]uint16      // by byte: its symbol (for a letter, the common one) and, from bit 8, the number of the letter: 1 to 26, or 0
	rarity [32 * 32]uint8   // by letter and next letter
	step   [128 * 32]uint16 // by state and symbol: the cost and, from bit 9, the next state
}

const (
	firstHan = 0x4E00
	hanBytes = (0xA000 - firstHan) / 8
	accented = 27 // number of all Latin letters other than ASCII
)

var tables = sync.OnceValue(func() *scanner {
	s := new(scanner)
	for b := range 256 {
		s.bytes[b] = uint16(byteSymbol(byte(b)))
		if s.bytes[b] < symDigit {
			s.bytes[b] |= uint16(b&31) << 8
		}
	}
	for a, row := range rarities {
		for b := range len(row) {
			s.rarity[(a+1)*32+b+1] = row[b] - '0'
		}
	}
	for state := range states {
		for symbol := range symbols {
			s.step[state*32+symbol] = uint16(next(state, symbol)<<9 | costAt(state, symbol))
		}
	}
	return s
})

// byteSymbol returns the symbol of an ASCII character.
func byteSymbol(b byte) uint8 {
	switch {
	case b >= 'a' && b <= 'z':
		return symLower
	case b >= 'A' && b <= 'Z':
		return symUpper
	case b >= '0' && b <= '9':
		return symDigit
	}
	switch b {
	case ' ', '\t':
		return symSpace
	case '\n', '\r':
		return symNewline
	case '"', '\'', '`':
		return symQuote
	case '(', '[', '{', '<':
		return symOpen
	case ')', ']', '}', '>':
		return symClose
	case ',', ';', ':', '.':
		return symSep
	case '_':
		return symUnder
	case '=', '+', '-', '*', '/', '!', '&', '|':
		return symOp
	case '#', '$', '%', '?', '@', '\\', '^', '~':
		return symOther
	}
	return symControl
}

// runeSymbol returns the symbol of a character other than ASCII and, from bit 8, the
// number of its letter.
func runeSymbol(r rune, size int) uint16 {
	switch {
	case r == utf8.RuneError && size == 1:
		return symControl
	case r < 0xC0:
		return symDash
	case r < 0x250 || r >= 0x1E00 && r < 0x1F00:
		return symLower | accented<<8
	case r >= 0x400 && r < 0x530:
		return symCyrill
	case r < 0x800:
		return symScript
	case r < 0x1100:
		return symFar
	case r < 0x2000:
		return symFar
	case r < 0x2190:
		return symDash
	case r < 0x2E80:
		return symDraw
	case r < 0x3041:
		return symCJK
	case r < 0x3100:
		return symKana
	case r >= firstHan && r < firstHan+8*hanBytes:
		if i := r - firstHan; commonHan[i/8]>>(i%8)&1 == 1 {
			return symHan
		}
		return symRareHan
	case r < 0xAC00:
		return symRareHan
	case r < 0xD7B0:
		return symHangul
	case r >= 0xF900 && r < 0xFB00:
		return symRareHan
	case r >= 0xFE30 && r < 0x10000:
		return symCJK
	case r < 0x10000:
		return symFar
	}
	return symEmoji
}

// position is the progress of a scan.
type position struct {
	state  uint16
	letter uint16 // number of the last character if it was a letter, else 0
	cost   Cost
}

// start returns the position before a text.
func start() position { return position{state: stateNewline + 1} }

func scan[T string | []byte](text T) Cost {
	return advance(tables(), start(), text).cost
}

// advance returns the position after text.
func advance[T string | []byte](s *scanner, p position, text T) position {
	state, last, total := p.state, p.letter, p.cost
	for i := 0; i < len(text); i++ {
		b := text[i]
		kind := s.bytes[b]
		if b >= utf8.RuneSelf {
			r, size := utf8.DecodeRune([]byte(text[i:min(i+utf8.UTFMax, len(text))]))
			kind = runeSymbol(r, size)
			i += size - 1
		}
		letter := kind >> 8
		symbol := kind&31 + uint16(s.rarity[(last<<5|letter)&(1<<10-1)])
		step := s.step[(state<<5|symbol)&(1<<12-1)]
		state, last = step>>9, letter
		total += Cost(step & (1<<9 - 1))
	}
	return position{state, last, total}
}

// scanEscaped returns the cost of a text in the form of the inside of a JSON string.
func scanEscaped(text []byte) Cost {
	s, p := tables(), start()
	var buf [utf8.UTFMax]byte
	for {
		n := bytes.IndexByte(text, '\\')
		if n < 0 || n+1 == len(text) {
			return advance(s, p, text).cost
		}
		r, size := unescape(text[n:])
		p = advance(s, p, text[:n])
		p = advance(s, p, utf8.AppendRune(buf[:0], r))
		text = text[n+size:]
	}
}

// unescape returns the character of the escape at the start of text, and the length
// of the escape in bytes.
func unescape(text []byte) (r rune, size int) {
	switch text[1] {
	case 'n', 'r':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'b', 'f':
		return 0, 2
	case 'u':
		r, ok := escapedUnit(text)
		if !ok {
			break
		}
		if second, ok := escapedUnit(text[6:]); ok && utf16.IsSurrogate(r) {
			return utf16.DecodeRune(r, second), 12
		}
		return r, 6
	}
	return rune(text[1]), 2 // ASCII, if this is JSON
}

// escapedUnit returns the number in \uXXXX at the start of text.
func escapedUnit(text []byte) (r rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	for _, c := range text[2:6] {
		digit := strings.IndexByte("0123456789abcdefABCDEF", c)
		if digit < 0 {
			return 0, false
		}
		if digit > 15 {
			digit -= 6
		}
		r = r<<4 | rune(digit)
	}
	return r, true
}
