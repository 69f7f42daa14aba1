// Package laxjson parses JSON with the mistakes that language models make, and
// returns valid JSON.
//
// It accepts single quotes, keys and words without quotes, trailing commas,
// comments, line breaks and unknown escapes in strings, Python's True, False
// and None, and missing closing brackets. It rejects ambiguous text: where a
// string may have ended too early, or a value may have been cut off.
package laxjson

import (
	"bytes"
	"encoding/json"
	"strings"
)

// maxDepth is the limit on nested objects and arrays.
const maxDepth = 200

// Status is the state of a [Reader].
type Status int

// The states of a Reader.
const (
	// More means that the value has not ended.
	More Status = iota
	// Done means that the value is complete.
	Done
	// Broken means that the text is not part of a value.
	Broken
)

// ParseObject returns the object in s as JSON. It returns false if s contains
// anything other than one object and white space.
func ParseObject(s string) ([]byte, bool) {
	var r Reader
	n, status := r.Add(s)
	if status != Done || r.out[0] != '{' || strings.TrimSpace(s[n:]) != "" {
		return nil, false
	}
	return r.JSON(), true
}

// Reader parses an object or array that arrives in pieces. The result does not
// depend on how the text is split; time and memory are linear in its size. The
// zero value is ready to use.
type Reader struct {
	out        []byte
	word       []byte // current word or \u escape
	brackets   []byte // open brackets: '{' and '['
	state      state
	prevState  state // the state to return to after a comment
	quote      byte
	isKey      bool // the current string or word is a key
	needsComma bool // the next item needs a comma before it

	offset  int    // bytes read
	beginAt int    // where the current string begins in out
	key     string // the last key
	text    Text   // the last string that is a value
	mixed   Text   // the first with both kinds of line breaks
	hasRaw  bool   // the current string has a line break
	escapes []int  // offsets of the escapes \n in the current string
}

// Text is a string in the input of a [Reader] that is a value, not a key.
type Text struct {
	Name string // its key, or that of the array that it is in
	// Start and End are the offsets of its first byte and of its closing quote in the input.
	// End is 0 as long as it has not ended.
	Start, End int
}

// LastText returns the last string that is a value. Its Start is 0 if there was none.
func (r *Reader) LastText() Text { return r.text }

// MixedText returns the first string that has line breaks as they are and also the escape \n
// where it may stand for a backslash and an n, such as in a string literal of code: a model that
// does not escape the first may have meant these by the second. Its Start is 0 if there was none.
func (r *Reader) MixedText() Text { return r.mixed }

type state uint8

const (
	expectValue     state = iota // or ] in an array
	expectKey                    // or }
	expectColon                  // after a key
	expectComma                  // or a closing bracket, after a value
	inText                       // in a string
	afterApostrophe              // after a single quote that may end a string
	afterBackslash               // after a backslash in a string
	inUnicodeEscape              // after \u in a string
	inWord                       // in a bare word or a number
	afterSlash                   // after a / that may begin a comment
	inLineComment                // in a comment that ends with the line
	inBlockComment               // in a comment that ends with */
	afterStar                    // after a * in such a comment
	stateDone
	stateBroken
)

// Add parses s up to the end of the value and returns the number of bytes used.
// If the status is Broken, s[n] is the first invalid byte.
func (r *Reader) Add(s string) (n int, status Status) {
	for n < len(s) {
		if r.state == inText { // strings are most of a typical value
			if run := countPlain(s[n:], r.quote); run > 0 {
				r.out = append(r.out, s[n:n+run]...)
				n += run
				r.offset += run
				continue
			}
		}
		isUnread := r.step(s[n])
		if r.state == stateBroken {
			return n, Broken
		}
		if !isUnread {
			n++
			r.offset++
		}
		if r.state == stateDone {
			return n, Done
		}
	}
	return n, More
}

// JSON returns the value. Call it when the value is complete.
func (r *Reader) JSON() []byte { return bytes.ToValidUTF8(r.out, []byte("\uFFFD")) }

// Close completes a value that lacks only closing brackets, because the text
// ended or continues with something else. It returns how many brackets were
// missing. If more is missing, it returns false and changes nothing.
func (r *Reader) Close() (missing int, ok bool) {
	lastState := r.state
	if lastState == stateBroken || lastState == inLineComment {
		lastState = r.prevState
	}
	isClosable := lastState == expectComma || r.needsComma && (lastState == expectKey || lastState == expectValue && r.openBracket() == '[')
	if !isClosable || len(r.brackets) == 0 {
		return 0, false
	}
	missing = len(r.brackets)
	for i := missing - 1; i >= 0; i-- {
		r.out = append(r.out, r.brackets[i]+2) // in ASCII, + 2 gives the closing bracket
	}
	r.state = stateDone
	return missing, true
}

// countPlain returns how many bytes at the start of s need no escape in a
// string.
func countPlain(s string, quote byte) int {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c == quote {
			return i
		}
	}
	return len(s)
}

func (r *Reader) openBracket() byte {
	if len(r.brackets) == 0 {
		return 0
	}
	return r.brackets[len(r.brackets)-1]
}

// fail stops parsing and records the state for Close.
func (r *Reader) fail() { r.prevState, r.state = r.state, stateBroken }

// step processes one byte. It returns true if c ended a word or string before
// it and must be processed again.
func (r *Reader) step(c byte) (isUnread bool) {
	switch r.state {
	case expectValue, expectKey, expectColon, expectComma:
		r.addBetween(c)
	case inText:
		r.addToString(c)
	case afterApostrophe:
		// A quote inside a word does not end the string: 'it's'.
		if isSpace(c) || strings.IndexByte(",:}]/#", c) >= 0 {
			r.endString()
		} else {
			r.out, r.state = append(r.out, '\''), inText
		}
		return true
	case afterBackslash:
		r.addEscaped(c)
	case inUnicodeEscape:
		r.addHexDigit(c)
	case inWord:
		if !isWordByte(c) {
			r.endWord()
			return true
		}
		r.word = append(r.word, c)
	case afterSlash:
		switch c {
		case '/':
			r.state = inLineComment
		case '*':
			r.state = inBlockComment
		default:
			r.state = stateBroken // prevState is already the state before the slash
		}
	case inLineComment:
		if c == '\n' {
			r.state = r.prevState
		}
	case inBlockComment:
		if c == '*' {
			r.state = afterStar
		}
	case afterStar:
		if c == '/' {
			r.state = r.prevState
		} else if c != '*' {
			r.state = inBlockComment
		}
	}
	return false
}

// addBetween processes a byte outside strings, words and comments.
func (r *Reader) addBetween(c byte) {
	switch {
	case isSpace(c):
		return
	case (c == '/' || c == '#') && len(r.brackets) > 0:
		r.prevState, r.state = r.state, afterSlash
		if c == '#' {
			r.state = inLineComment
		}
		return
	}
	switch r.state {
	case expectColon:
		if c != ':' {
			r.fail()
			return
		}
		r.out, r.needsComma, r.state = append(r.out, ':'), false, expectValue
		return
	case expectComma:
		if c == ',' {
			r.state = expectValue
			if r.openBracket() == '{' {
				r.state = expectKey
			}
			return
		}
	}
	if c == '}' && r.openBracket() == '{' && (r.state == expectComma || r.state == expectKey) ||
		c == ']' && r.openBracket() == '[' && (r.state == expectComma || r.state == expectValue) {
		r.out, r.brackets = append(r.out, c), r.brackets[:len(r.brackets)-1]
		r.endItem()
		return
	}
	if r.state == expectComma {
		r.fail()
		return
	}
	r.beginItem(c)
}

// beginItem processes the first byte of a key or value.
func (r *Reader) beginItem(c byte) {
	r.isKey = r.state == expectKey
	switch {
	case (c == '{' || c == '[') && !r.isKey:
		if len(r.brackets) == maxDepth {
			r.fail()
			return
		}
		r.writeComma()
		r.out, r.brackets = append(r.out, c), append(r.brackets, c)
		r.needsComma, r.state = false, expectValue
		if c == '{' {
			r.state = expectKey
		}
	case len(r.brackets) == 0:
		r.fail()
	case c == '"' || c == '\'':
		r.writeComma()
		r.out, r.quote, r.state = append(r.out, '"'), c, inText
		r.beginAt, r.hasRaw, r.escapes = len(r.out), false, r.escapes[:0]
		if !r.isKey {
			r.text = Text{Name: r.key, Start: r.offset + 1}
		}
	case isWordByte(c):
		r.writeComma()
		r.word, r.state = append(r.word[:0], c), inWord
	default:
		r.fail()
	}
}

// writeComma writes the comma before an item, except the first.
func (r *Reader) writeComma() {
	if r.needsComma {
		r.out = append(r.out, ',')
	}
}

// endItem sets the state after a key or value.
func (r *Reader) endItem() {
	switch {
	case len(r.brackets) == 0:
		r.state = stateDone
	case r.isKey:
		r.isKey, r.state = false, expectColon
	default:
		r.needsComma, r.state = true, expectComma
	}
}

func (r *Reader) addToString(c byte) {
	switch {
	case c == '\'' && r.quote == c:
		r.state = afterApostrophe
	case c == r.quote:
		r.endString()
	case c == '\\':
		r.state = afterBackslash
	default:
		r.hasRaw = r.hasRaw || c == '\n'
		r.out = appendByte(r.out, c)
	}
}

func (r *Reader) endString() {
	if r.isKey {
		r.key = string(r.out[r.beginAt:])
	} else {
		r.text.End = r.offset
		if r.state == afterApostrophe {
			r.text.End--
		}
		if r.mixed.Start == 0 && r.hasRaw && hasUnclearBreak(r.out[r.beginAt:], r.escapes) {
			r.mixed = r.text
		}
	}
	r.out = append(r.out, '"')
	r.endItem()
}

// addEscaped processes the byte after a backslash. An escape that JSON does not
// define, as in "\d+", is a backslash that should have been doubled.
func (r *Reader) addEscaped(c byte) {
	r.state = inText
	if c == 'n' {
		r.escapes = append(r.escapes, len(r.out)-r.beginAt)
	}
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		r.out = append(r.out, '\\', c)
	case '\'':
		r.out = append(r.out, c)
	case 'u':
		r.word, r.state = r.word[:0], inUnicodeEscape
	default:
		r.out = appendByte(append(r.out, '\\', '\\'), c)
	}
}

func (r *Reader) addHexDigit(c byte) {
	if !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)) {
		r.fail()
		return
	}
	if r.word = append(r.word, c); len(r.word) == 4 {
		r.out, r.state = append(append(r.out, '\\', 'u'), r.word...), inText
	}
}

func (r *Reader) endWord() {
	word := string(r.word)
	switch {
	case r.isKey:
		r.out, r.key = appendString(r.out, word), word
	case word == "true" || word == "false" || word == "null":
		r.out = append(r.out, word...)
	case word == "True" || word == "False":
		r.out = append(r.out, strings.ToLower(word)...)
	case word == "None" || word == "undefined":
		r.out = append(r.out, "null"...)
	case '0' <= word[0] && word[0] <= '9' || strings.IndexByte("+-.", word[0]) >= 0:
		number := strings.TrimPrefix(word, "+")
		if !json.Valid([]byte(number)) {
			r.fail()
			return
		}
		r.out = append(r.out, number...)
	default:
		r.out = appendString(r.out, word)
	}
	r.endItem()
}

func appendString(out []byte, s string) []byte {
	out = append(out, '"')
	for i := range len(s) {
		out = appendByte(out, s[i])
	}
	return append(out, '"')
}

// appendByte appends c to a JSON string, escaped if necessary.
func appendByte(out []byte, c byte) []byte {
	switch {
	case c == '\n':
		return append(out, '\\', 'n')
	case c == '\t':
		return append(out, '\\', 't')
	case c == '\r':
		return append(out, '\\', 'r')
	case c < ' ':
		return append(out, '\\', 'u', '0', '0', '0'+c>>4, "0123456789abcdef"[c&15])
	case c == '"' || c == '\\':
		return append(out, '\\', c)
	}
	return append(out, c)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '_' || c == '-' || c == '+' || c == '.' || c == '$' || c >= 0x80
}
