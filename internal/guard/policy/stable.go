package policy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// stable returns a call's arguments in the form that patterns are matched against: keys
// sorted, no spaces, strings and numbers as JavaScript writes them, each top-level member
// between NULs. A NUL in the data is escaped, so that nested values cannot match a pattern
// with NULs. It returns "" for invalid JSON and for no arguments.
func stable(args json.RawMessage) string {
	args = bytes.Trim(args, " \t\r\n")
	if len(args) == 0 || !json.Valid(args) {
		return ""
	}
	r := jsonReader{rest: args}
	return string(r.value().append(make([]byte, 0, len(args)+16), "\x00"))
}

// node is a JSON value: a scalar in its final form, the sorted members of an object, or the
// elements of an array.
type node struct {
	kind   byte // '{', '[' or 0
	scalar []byte
	keys   [][]uint16
	values []node
}

// append appends the value to b. wrap is written around the members of an object.
func (n node) append(b []byte, wrap string) []byte {
	if n.kind == 0 {
		return append(b, n.scalar...)
	}
	b = append(b, n.kind)
	for i, v := range n.values {
		if i > 0 {
			b = append(b, ',')
		}
		if n.kind == '{' {
			b = append(b, wrap...)
			b = appendQuoted(b, n.keys[i])
			b = append(b, ':')
		}
		b = v.append(b, "")
		if n.kind == '{' {
			b = append(b, wrap...)
		}
	}
	return append(b, n.kind+2) // the closing bracket
}

// jsonReader parses valid JSON.
type jsonReader struct{ rest []byte }

func (r *jsonReader) value() node {
	switch r.peek() {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		return node{scalar: r.str()}
	}
	n := bytes.IndexAny(r.rest, ",]} \t\r\n")
	if n < 0 {
		n = len(r.rest)
	}
	word := r.rest[:n]
	r.rest = r.rest[n:]
	if word[0] == '-' || (word[0] >= '0' && word[0] <= '9') {
		word = number(word)
	}
	return node{scalar: word}
}

func (r *jsonReader) object() node {
	type member struct {
		key   []uint16
		value node
	}
	var members []member
	r.rest = r.rest[1:]
	for r.peek() != '}' {
		m := member{key: r.units()}
		r.peek()
		r.rest = r.rest[1:] // the colon
		m.value = r.value()
		members = append(members, m)
		if r.peek() == ',' {
			r.rest = r.rest[1:]
		}
	}
	r.rest = r.rest[1:]
	slices.SortStableFunc(members, func(a, b member) int { return slices.CompareFunc(a.key, b.key, cmp.Compare[uint16]) })
	n := node{kind: '{'}
	for i, m := range members {
		if i+1 < len(members) && slices.Equal(m.key, members[i+1].key) {
			continue // the last member with a name counts
		}
		n.keys = append(n.keys, m.key)
		n.values = append(n.values, m.value)
	}
	return n
}

func (r *jsonReader) array() node {
	n := node{kind: '['}
	r.rest = r.rest[1:]
	for r.peek() != ']' {
		n.values = append(n.values, r.value())
		if r.peek() == ',' {
			r.rest = r.rest[1:]
		}
	}
	r.rest = r.rest[1:]
	return n
}

// peek returns the next character that is not a space.
func (r *jsonReader) peek() byte {
	r.rest = bytes.TrimLeft(r.rest, " \t\r\n")
	return r.rest[0]
}

// str parses a string and returns it in its final form.
func (r *jsonReader) str() []byte {
	// Most strings need no conversion, and they may be whole files.
	if end := 1 + bytes.IndexAny(r.rest[1:], `"\`); r.rest[end] == '"' && utf8.Valid(r.rest[:end]) {
		s := r.rest[:end+1]
		r.rest = r.rest[end+1:]
		return s
	}
	return appendQuoted(nil, r.units())
}

// units parses a string as UTF-16, including unpaired surrogates.
func (r *jsonReader) units() []uint16 {
	r.peek()
	s := r.rest[1:]
	var units []uint16
	for s[0] != '"' {
		switch {
		case s[0] != '\\':
			c, n := utf8.DecodeRune(s)
			units = utf16.AppendRune(units, c)
			s = s[n:]
		case s[1] == 'u':
			u, _ := strconv.ParseUint(string(s[2:6]), 16, 16)
			units = append(units, uint16(u))
			s = s[6:]
		default:
			c := s[1]
			if i := strings.IndexByte("bfnrt", c); i >= 0 {
				c = "\b\f\n\r\t"[i]
			}
			units = append(units, uint16(c))
			s = s[2:]
		}
	}
	r.rest = s[1:]
	return units
}

// quote returns s as JSON.stringify does.
func quote(s string) string { return string(appendQuoted(nil, utf16.Encode([]rune(s)))) }

func appendQuoted(b []byte, units []uint16) []byte {
	b = append(b, '"')
	for i := 0; i < len(units); i++ {
		switch u := units[i]; {
		case u == '"' || u == '\\':
			b = append(b, '\\', byte(u))
		case u < 0x20:
			if j := strings.IndexByte("\b\f\n\r\t", byte(u)); j >= 0 {
				b = append(b, '\\', "bfnrt"[j])
			} else {
				b = appendEscape(b, u)
			}
		case utf16.IsSurrogate(rune(u)):
			r := utf8.RuneError
			if i+1 < len(units) {
				r = utf16.DecodeRune(rune(u), rune(units[i+1]))
			}
			if r == utf8.RuneError {
				b = appendEscape(b, u)
			} else {
				b = utf8.AppendRune(b, r)
				i++
			}
		default:
			b = utf8.AppendRune(b, rune(u))
		}
	}
	return append(b, '"')
}

func appendEscape(b []byte, u uint16) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[u>>12], hex[u>>8&15], hex[u>>4&15], hex[u&15])
}

// number converts a JSON number to JavaScript's notation.
func number(s []byte) []byte {
	f, _ := strconv.ParseFloat(string(s), 64) // infinite if out of range
	switch {
	case math.IsInf(f, 0):
		return []byte("null")
	case f == 0:
		return []byte("0") // also for -0
	}
	b, _ := json.Marshal(f) // never fails for finite numbers
	return b
}
