package openai

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"pollux/llm"
)

// mendJSON makes JSON of an object that is nearly that, as models write it:
// single quotes, keys without quotes, commas too many, line breaks in strings,
// Python's True, False and None, a fence around it. It invents nothing: an
// object that breaks off is not mended.
func mendJSON(data []byte) (json.RawMessage, bool) {
	data = bytes.TrimSpace(data)
	if fenced, ok := bytes.CutPrefix(data, []byte("```")); ok {
		fenced, _ = bytes.CutSuffix(fenced, []byte("```"))
		if i := bytes.IndexByte(fenced, '{'); i >= 0 {
			data = bytes.TrimSpace(fenced[i:])
		}
	}
	m := mender{in: data}
	if len(data) == 0 || data[0] != '{' || !m.value(0) {
		return nil, false
	}
	m.space()
	return m.out, len(m.in) == 0 && json.Valid(m.out)
}

type mender struct {
	in, out []byte
}

const maxDepth = 100

func (m *mender) space() { m.in = bytes.TrimLeft(m.in, " \t\r\n") }

// value mends one value.
func (m *mender) value(depth int) bool {
	m.space()
	if len(m.in) == 0 || depth > maxDepth {
		return false
	}
	switch m.in[0] {
	case '{':
		return m.list('{', '}', depth)
	case '[':
		return m.list('[', ']', depth)
	case '"', '\'':
		return m.str()
	}
	word := m.word()
	switch string(word) {
	case "True":
		m.out = append(m.out, "true"...)
	case "False":
		m.out = append(m.out, "false"...)
	case "None", "undefined":
		m.out = append(m.out, "null"...)
	default:
		if !json.Valid(word) {
			return false
		}
		m.out = append(m.out, word...)
	}
	return true
}

// word takes what a value or key without quotes may consist of.
func (m *mender) word() []byte {
	n := 0
	for n < len(m.in) && (isWord(m.in[n]) || bytes.IndexByte([]byte("+-.$"), m.in[n]) >= 0) {
		n++
	}
	w := m.in[:n]
	m.in = m.in[n:]
	return w
}

// list mends an object or array.
func (m *mender) list(open, end byte, depth int) bool {
	m.in = m.in[1:]
	m.out = append(m.out, open)
	for first := true; ; first = false {
		m.space()
		for len(m.in) > 0 && m.in[0] == ',' {
			m.in = m.in[1:]
			m.space()
		}
		if len(m.in) == 0 {
			return false
		}
		if m.in[0] == end {
			m.in = m.in[1:]
			m.out = append(m.out, end)
			return true
		}
		if !first {
			m.out = append(m.out, ',')
		}
		if open == '{' && !m.key() || !m.value(depth+1) {
			return false
		}
		m.space()
		if len(m.in) == 0 || m.in[0] != ',' && m.in[0] != end {
			return false
		}
	}
}

func (m *mender) key() bool {
	if m.in[0] == '"' || m.in[0] == '\'' {
		if !m.str() {
			return false
		}
	} else {
		word := m.word()
		if len(word) == 0 {
			return false
		}
		m.out = llm.AppendString(m.out, string(word))
	}
	m.space()
	if len(m.in) == 0 || m.in[0] != ':' {
		return false
	}
	m.in = m.in[1:]
	m.out = append(m.out, ':')
	return true
}

// str mends a string in either kind of quotes.
func (m *mender) str() bool {
	quote := m.in[0]
	m.out = append(m.out, '"')
	for i := 1; i < len(m.in); {
		switch c := m.in[i]; {
		case c == quote:
			m.out = append(m.out, '"')
			m.in = m.in[i+1:]
			return true
		case c == '\\' && i+1 < len(m.in):
			if m.in[i+1] == '\'' {
				m.out = append(m.out, '\'')
			} else if bytes.IndexByte([]byte(`"\/bfnrtu`), m.in[i+1]) >= 0 {
				m.out = append(m.out, c, m.in[i+1])
			} else { // a backslash that is meant as one
				m.out = append(m.out, '\\', '\\', m.in[i+1])
			}
			i += 2
		case c == '"':
			m.out = append(m.out, '\\', '"')
			i++
		case c < ' ':
			inner := appendInner(nil, string(rune(c)))
			m.out = append(m.out, inner...)
			i++
		default:
			r, size := utf8.DecodeRune(m.in[i:])
			m.out = utf8.AppendRune(m.out, r)
			i += size
		}
	}
	return false
}
