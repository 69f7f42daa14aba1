package vim

import (
	"strings"

	"pollux/internal/face/tui/buffer"
)

// session is the time in INSERT mode that a command began. It has the text before the command, and the text before and
// behind the cursor at its start, to find the text that was inserted between them.
type session struct {
	isOn          bool
	original      string
	before, after string
}

// change carries out a command that may change the text, as one step for undo, and remembers it for ".".
func (m *Mode) change(c command, b *buffer.Buffer) {
	text := b.Shown()
	b.Group(func() {
		if m.apply(c, b) && c.operator != "y" {
			m.last, m.typed = c, buffer.Clip{}
		}
	})
	if m.kind == insert {
		m.session.original = text
	}
}

func (m *Mode) apply(c command, b *buffer.Buffer) bool {
	if c.operator != "" {
		return m.operate(c, b)
	}
	return m.edit(c, b)
}

// enterInsert begins INSERT mode.
func (m *Mode) enterInsert(b *buffer.Buffer) {
	text, at := b.Shown(), b.Cursor()
	m.kind = insert
	m.session = session{isOn: true, before: text[:at], after: text[at:]}
}

// leaveInsert ends INSERT mode. The cursor goes back to the character before it.
func (m *Mode) leaveInsert(b *buffer.Buffer) {
	s, text := m.session, b.Shown()
	if s.isOn && len(text) >= len(s.before)+len(s.after) && strings.HasPrefix(text, s.before) && strings.HasSuffix(text, s.after) {
		m.typed = b.Copy(buffer.Range{Start: len(s.before), End: len(text) - len(s.after)})
	}
	m.kind, m.session, m.column = normal, session{}, column{}
	if at := b.Cursor(); at > b.LineStart(at) {
		b.Left()
	} else {
		b.MoveTo(at)
	}
	if s.isOn {
		joinSteps(b, s.original)
	}
}

// repeat carries out the last edit again, with another count unless it is 0, and with the text that was inserted then.
func (m *Mode) repeat(count int, b *buffer.Buffer) {
	if m.last.name == "" {
		return
	}
	if count > 0 {
		m.last.count = count
	}
	b.Group(func() {
		m.apply(m.last, b)
		if m.kind == insert {
			b.Put(buffer.Range{Start: b.Cursor(), End: b.Cursor()}, m.typed)
			m.session = session{}
			m.leaveInsert(b)
		}
	})
}

// joinSteps makes one step for undo of all edits since a text. If they are too many for that, they remain as they are.
func joinSteps(b *buffer.Buffer, original string) {
	now := b.Snapshot()
	n := 0
	for b.Shown() != original && b.Undo() {
		n++
	}
	switch {
	case n == 0:
	case b.Shown() == original:
		b.Restore(now)
	default:
		for range n {
			b.Redo()
		}
	}
}
