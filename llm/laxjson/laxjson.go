// Package laxjson reads JSON as models write it by hand, and gives back JSON.
//
// It forgives what leaves no doubt about what is meant: single quotes, keys and
// words without quotes, trailing commas, comments, line breaks and unknown
// escapes in strings, Python's True, False and None, a missing end. It does not
// guess: where a string might have ended too early, or a value might have been
// cut off, the answer is no.
package laxjson

import (
	"bytes"
	"encoding/json"
	"strings"
)

// maxDepth bounds objects within objects.
const maxDepth = 200

// Status says how far a [Reader] has come.
type Status int

// What a Reader may be.
const (
	// More: the value has not ended.
	More Status = iota
	// Done: the value is complete.
	Done
	// Broken: what came cannot be part of the value.
	Broken
)

// Object returns the object that s is, but for white space around it.
// It reports false if s is anything else.
func Object(s string) ([]byte, bool) {
	var r Reader
	n, status := r.Add(s)
	if status != Done || r.out[0] != '{' || strings.TrimSpace(s[n:]) != "" {
		return nil, false
	}
	return r.JSON(), true
}

// Reader reads one object or array while it arrives. However the text is cut
// into pieces, the result is the same; time and memory are linear in its size.
// The zero value is ready to use.
type Reader struct {
	out   []byte
	word  []byte // of the word or the \u escape that is being read
	open  []byte // '{' and '['
	state state
	back  state // where a comment returns to
	quote byte
	key   bool // the string or word is a key
	comma bool // something stands before the next item
}

type state uint8

const (
	value      state = iota // or ] in an array
	member                  // a key, or }
	colon                   // behind a key
	after                   // a value: a comma or a closing bracket
	text                    // in a string
	apostrophe              // behind a single quote that may end a string
	escape                  // behind a backslash
	unicode                 // behind \u
	word                    // in a bare word or a number
	slash                   // may begin a comment
	line                    // in a comment to the end of the line
	block                   // in a comment to */
	star                    // behind a * in one
	done
	broken
)

// Add reads s up to the end of the value and returns how many bytes that was.
// If the status is Broken, s[n] is what cannot be.
func (r *Reader) Add(s string) (n int, status Status) {
	for n < len(s) {
		if r.state == text { // most of a call is strings
			if run := plain(s[n:], r.quote); run > 0 {
				r.out = append(r.out, s[n:n+run]...)
				n += run
				continue
			}
		}
		again := r.step(s[n])
		if r.state == broken {
			return n, Broken
		}
		if !again {
			n++
		}
		if r.state == done {
			return n, Done
		}
	}
	return n, More
}

// JSON returns the value once it is complete.
func (r *Reader) JSON() []byte { return bytes.ToValidUTF8(r.out, []byte("\uFFFD")) }

// Close completes a value of which only closing brackets are missing, be it
// that the text ended or that something else follows, and returns how many
// were. It reports false, and changes nothing, if more is missing.
func (r *Reader) Close() (missing int, ok bool) {
	at := r.state
	if at == broken || at == line {
		at = r.back
	}
	behind := at == after || r.comma && (at == member || at == value && r.top() == '[')
	if !behind || len(r.open) == 0 {
		return 0, false
	}
	missing = len(r.open)
	for i := missing - 1; i >= 0; i-- {
		r.out = append(r.out, r.open[i]+2) // in ASCII, that closes it
	}
	r.state = done
	return missing, true
}

// plain returns how many bytes at the beginning of s stand for themselves in a string.
func plain(s string, quote byte) int {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c == quote {
			return i
		}
	}
	return len(s)
}

func (r *Reader) top() byte {
	if len(r.open) == 0 {
		return 0
	}
	return r.open[len(r.open)-1]
}

// fail remembers the state for Close.
func (r *Reader) fail() { r.back, r.state = r.state, broken }

// step takes one byte, or ends a word in front of it and wants it again.
func (r *Reader) step(c byte) (again bool) {
	switch r.state {
	case value, member, colon, after:
		r.between(c)
	case text:
		r.inString(c)
	case apostrophe:
		// A quote within a word is no end: 'it's'.
		if blank(c) || strings.IndexByte(",:}]/#", c) >= 0 {
			r.endString()
		} else {
			r.out, r.state = append(r.out, '\''), text
		}
		return true
	case escape:
		r.escaped(c)
	case unicode:
		r.hex(c)
	case word:
		if !wordByte(c) {
			r.endWord()
			return true
		}
		r.word = append(r.word, c)
	case slash:
		switch c {
		case '/':
			r.state = line
		case '*':
			r.state = block
		default:
			r.state = broken // as it would be without the slash
		}
	case line:
		if c == '\n' {
			r.state = r.back
		}
	case block:
		if c == '*' {
			r.state = star
		}
	case star:
		if c == '/' {
			r.state = r.back
		} else if c != '*' {
			r.state = block
		}
	}
	return false
}

// between takes a byte that is in no string, word or comment.
func (r *Reader) between(c byte) {
	switch {
	case blank(c):
		return
	case (c == '/' || c == '#') && len(r.open) > 0:
		r.back, r.state = r.state, slash
		if c == '#' {
			r.state = line
		}
		return
	}
	switch r.state {
	case colon:
		if c != ':' {
			r.fail()
			return
		}
		r.out, r.comma, r.state = append(r.out, ':'), false, value
		return
	case after:
		if c == ',' {
			r.state = value
			if r.top() == '{' {
				r.state = member
			}
			return
		}
	}
	if c == '}' && r.top() == '{' && (r.state == after || r.state == member) ||
		c == ']' && r.top() == '[' && (r.state == after || r.state == value) {
		r.out, r.open = append(r.out, c), r.open[:len(r.open)-1]
		r.ended()
		return
	}
	if r.state == after {
		r.fail()
		return
	}
	r.begin(c)
}

// begin takes the first byte of a key or a value.
func (r *Reader) begin(c byte) {
	r.key = r.state == member
	switch {
	case (c == '{' || c == '[') && !r.key:
		if len(r.open) == maxDepth {
			r.fail()
			return
		}
		r.item()
		r.out, r.open = append(r.out, c), append(r.open, c)
		r.comma, r.state = false, value
		if c == '{' {
			r.state = member
		}
	case len(r.open) == 0:
		r.fail()
	case c == '"' || c == '\'':
		r.item()
		r.out, r.quote, r.state = append(r.out, '"'), c, text
	case wordByte(c):
		r.item()
		r.word, r.state = append(r.word[:0], c), word
	default:
		r.fail()
	}
}

// item writes the comma before an item that is not the first.
func (r *Reader) item() {
	if r.comma {
		r.out = append(r.out, ',')
	}
}

// ended is behind a key or a value.
func (r *Reader) ended() {
	switch {
	case len(r.open) == 0:
		r.state = done
	case r.key:
		r.key, r.state = false, colon
	default:
		r.comma, r.state = true, after
	}
}

func (r *Reader) inString(c byte) {
	switch {
	case c == '\'' && r.quote == c:
		r.state = apostrophe
	case c == r.quote:
		r.endString()
	case c == '\\':
		r.state = escape
	default:
		r.out = appendByte(r.out, c)
	}
}

func (r *Reader) endString() {
	r.out = append(r.out, '"')
	r.ended()
}

// escaped takes the byte behind a backslash. One that JSON does not know, as in
// "\d+", is a backslash that should have been doubled.
func (r *Reader) escaped(c byte) {
	r.state = text
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		r.out = append(r.out, '\\', c)
	case '\'':
		r.out = append(r.out, c)
	case 'u':
		r.word, r.state = r.word[:0], unicode
	default:
		r.out = appendByte(append(r.out, '\\', '\\'), c)
	}
}

func (r *Reader) hex(c byte) {
	if !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)) {
		r.fail()
		return
	}
	if r.word = append(r.word, c); len(r.word) == 4 {
		r.out, r.state = append(append(r.out, '\\', 'u'), r.word...), text
	}
}

func (r *Reader) endWord() {
	w := string(r.word)
	switch {
	case r.key:
		r.out = appendString(r.out, w)
	case w == "true" || w == "false" || w == "null":
		r.out = append(r.out, w...)
	case w == "True" || w == "False":
		r.out = append(r.out, strings.ToLower(w)...)
	case w == "None" || w == "undefined":
		r.out = append(r.out, "null"...)
	case '0' <= w[0] && w[0] <= '9' || strings.IndexByte("+-.", w[0]) >= 0:
		n := strings.TrimPrefix(w, "+")
		if !json.Valid([]byte(n)) {
			r.fail()
			return
		}
		r.out = append(r.out, n...)
	default:
		r.out = appendString(r.out, w)
	}
	r.ended()
}

func appendString(out []byte, s string) []byte {
	out = append(out, '"')
	for i := range len(s) {
		out = appendByte(out, s[i])
	}
	return append(out, '"')
}

// appendByte appends a byte of a string.
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

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '_' || c == '-' || c == '+' || c == '.' || c == '$' || c >= 0x80
}
