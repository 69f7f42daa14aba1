package agent

import (
	"bytes"
	"strings"

	"pollux/llm"
)

// think shows a part of a model's reasoning, and each thought that ends in it.
func (r *run) think(rep *reply, p *llm.Part) error {
	text := p.Text
	if rep.mind.startsAnew(text) {
		if err := r.endThought(rep); err != nil {
			return err
		}
	}
	for text != "" && rep.loop.Kind == "" {
		n, ended := rep.mind.take(text)
		if n > 0 {
			if err := r.show(rep, Thinking{Subject: rep.mind.subject, Text: text[:n]}); err != nil {
				return err
			}
		}
		if ended {
			if err := r.endThought(rep); err != nil {
				return err
			}
		}
		text = text[n:]
	}
	if p.ThoughtSignature != "" { // which seals it
		return r.endThought(rep)
	}
	return nil
}

// endThought shows the thought that has come so far, if there is one.
func (r *run) endThought(rep *reply) error {
	t, ok := rep.mind.end()
	if !ok || rep.loop.Kind != "" {
		return nil
	}
	rep.thoughts = append(rep.thoughts, t)
	return r.show(rep, t)
}

// mind makes thoughts of a model's reasoning. Some vendors send each thought
// whole, most in pieces of a few letters; a thought then ends where the model
// gives the next one a **subject** of its own, behind an empty line. No byte is
// looked at twice, and of an answer's thoughts no more than maxThoughts bytes
// are kept.
type mind struct {
	text    []byte // of the thought, as far as it is kept
	subject string // its first **bold** words, once they are known
	kept    int    // bytes, of earlier thoughts
	whole   bool   // it began with a part that holds a whole subject: one thought a part

	said     bool // something can be seen of it
	newlines int  // behind that
	star     bool // the last byte was the first of what may be **
	split    bool // and is, and belongs to the next thought
	marks    int  // ** so far, up to 2
	from, to int  // where in text the subject is
}

const maxThoughts = 1 << 20

// startsAnew reports whether text, a part of its own, begins another thought.
func (m *mind) startsAnew(text string) bool {
	heading := hasHeading(text)
	if !m.said && !m.star {
		m.whole = heading
		return false
	}
	return m.whole && heading
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

// take takes in the first n bytes of s: all, or those before the next thought,
// with which the caller goes on after end.
func (m *mind) take(s string) (n int, ended bool) {
	at := len(m.text)
	for ; n < len(s); n++ {
		switch c := s[n]; {
		case c == '*' && !m.star:
			m.star = true
			continue
		case c == '*' && m.said && m.newlines > 1 && !m.whole:
			m.split = n == 0
			n, ended = max(n-1, 0), true
		case c == '*':
			m.mark(at + n + 1)
			m.said, m.newlines = true, 0
		case c == '\n' && !m.star:
			m.newlines++
		case c == '\n':
			m.said, m.newlines = true, 1
		case c != ' ' && c != '\t' && c != '\r' || m.star:
			m.said, m.newlines = true, 0
		}
		m.star = m.split
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

// mark takes a ** that ends at this place.
func (m *mind) mark(end int) {
	switch m.marks {
	case 0:
		m.marks, m.from = 1, end
	case 1:
		m.marks, m.to = 2, end-2
	}
}

// end returns the thought so far and begins the next; false if there is none.
func (m *mind) end() (Thought, bool) {
	text := m.text
	if m.split {
		text = bytes.TrimSuffix(text, []byte("*"))
	}
	t := Thought{Description: strings.TrimSpace(string(text))}
	if m.subject != "" {
		t.Subject = m.subject
		t.Description = strings.TrimSpace(string(text[:m.from-2]) + string(text[m.to+2:]))
	}
	next := mind{text: text[:0], kept: m.kept + len(text), star: m.split}
	if m.split && next.kept < maxThoughts {
		next.text = append(next.text, '*')
	}
	*m = next
	return t, t != Thought{}
}
