// Package thought splits the reasoning of a model into thoughts.
package thought

import (
	"bytes"
	"strings"
)

// Splitter splits a model's reasoning into thoughts. Some vendors send each thought as one part;
// most send pieces of a few letters, and a thought ends where a new **subject** follows an empty
// line. A Splitter reads each byte once and keeps at most 1 MiB of the thoughts of one response.
// The zero Splitter is ready for use.
type Splitter struct {
	text         []byte // of the current thought, up to maxThoughts
	subject      string // the first **bold** words; "" until they are complete
	kept         int    // bytes of earlier thoughts
	isOnePerPart bool   // the first part began with a whole subject: each such part is a thought

	hasText  bool // the thought contains visible text
	newlines int  // after the last visible text
	hasStar  bool // the last byte was a single *
	isSplit  bool // that * is the first of a ** that starts the next thought
	marks    int  // number of ** so far, up to 2
	from, to int  // bounds of the subject in text
}

const maxThoughts = 1 << 20

// Starts reports whether text, a part of its own, starts another thought.
func (m *Splitter) Starts(text string) bool {
	heading := hasHeading(text)
	if !m.hasText && !m.hasStar {
		m.isOnePerPart = heading
		return false
	}
	return m.isOnePerPart && heading
}

// hasHeading reports whether s begins with a whole **subject**.
func hasHeading(s string) bool {
	s, ok := strings.CutPrefix(strings.TrimLeft(s, " \t\r\n"), "**")
	if !ok {
		return false
	}
	line, _, _ := strings.Cut(s, "\n")
	return strings.Contains(line, "**")
}

// Add adds the first n bytes of s: all of them, or those before the next thought. If ended is
// true, the caller calls End and then adds the rest.
func (m *Splitter) Add(s string) (n int, ended bool) {
	at := len(m.text)
	for ; n < len(s); n++ {
		switch c := s[n]; {
		case c == '*' && !m.hasStar:
			m.hasStar = true
			continue
		case c == '*' && m.hasText && m.newlines > 1 && !m.isOnePerPart:
			m.isSplit = n == 0
			n, ended = max(n-1, 0), true
		case c == '*':
			m.mark(at + n + 1)
			m.hasText, m.newlines = true, 0
		case c == '\n' && !m.hasStar:
			m.newlines++
		case c == '\n':
			m.hasText, m.newlines = true, 1
		case c != ' ' && c != '\t' && c != '\r' || m.hasStar:
			m.hasText, m.newlines = true, 0
		}
		m.hasStar = m.isSplit
		if ended {
			break
		}
	}
	m.text = append(m.text, s[:min(n, maxThoughts-m.kept-at)]...)
	if m.subject == "" && m.marks == 2 && m.to <= len(m.text) {
		m.subject = strings.TrimSpace(string(m.text[m.from:m.to]))
	}
	return n, ended
}

// mark records a ** that ends at offset end.
func (m *Splitter) mark(end int) {
	switch m.marks {
	case 0:
		m.marks, m.from = 1, end
	case 1:
		m.marks, m.to = 2, end-2
	}
}

// Subject returns the first **bold** words of the current thought, "" until they are complete.
func (m *Splitter) Subject() string { return m.subject }

// End returns the current thought, without its subject, and starts the next. It returns false if
// the thought is empty.
func (m *Splitter) End() (subject, description string, ok bool) {
	text := m.text
	if m.isSplit {
		text = bytes.TrimSuffix(text, []byte("*"))
	}
	description = strings.TrimSpace(string(text))
	if subject = m.subject; subject != "" {
		description = strings.TrimSpace(string(text[:m.from-2]) + string(text[m.to+2:]))
	}
	next := Splitter{text: text[:0], kept: m.kept + len(text), hasStar: m.isSplit}
	if m.isSplit && next.kept < maxThoughts {
		next.text = append(next.text, '*')
	}
	*m = next
	return subject, description, subject != "" || description != ""
}
