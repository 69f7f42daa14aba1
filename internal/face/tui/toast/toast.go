// Package toast has the line for short-lived messages above the input: the request to press a key again, a warning, a
// hint.
package toast

import (
	"time"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// Kind is the kind of a message. Of several messages the line shows that of the highest kind.
type Kind uint8

// Kinds of messages, in ascending order.
const (
	Expand     Kind = iota // how to show more lines
	QueueError             // the input cannot be queued
	Hint                   // any other hint
	Escape                 // Esc is armed
	Exit                   // Ctrl+D is armed
	Warning                // a warning
	Quit                   // Ctrl+C is armed

	kinds = iota
)

// Durations for which messages are shown.
const (
	EscapeTime = 500 * time.Millisecond
	UsualTime  = 3 * time.Second // for warnings, errors, and armed keys that leave
	ExpandTime = 5 * time.Second
)

// message is the message of a kind; its text is "" if there is none.
type message struct {
	text  string
	until time.Time
}

// Toast is the line of messages. It keeps one message of each kind. The zero value is an empty line.
type Toast struct {
	messages [kinds]message
}

// Show shows a message from a time on, for a duration. It replaces the message of the same kind.
func (s *Toast) Show(text string, kind Kind, at time.Time, d time.Duration) {
	s.messages[kind] = message{styled.Text(text), at.Add(d)}
}

// Dismiss removes the messages of these kinds, and of all kinds if none is given.
func (s *Toast) Dismiss(some ...Kind) {
	if len(some) == 0 {
		*s = Toast{}
	}
	for _, k := range some {
		s.messages[k] = message{}
	}
}

func (m message) isValid(now time.Time) bool { return m.text != "" && now.Before(m.until) }

// current returns the kind of the message to show.
func (s *Toast) current(now time.Time) (Kind, bool) {
	for k := Kind(kinds); k > 0; k-- {
		if s.messages[k-1].isValid(now) {
			return k - 1, true
		}
	}
	return 0, false
}

// Deadline returns the time at which the message that is shown now ends. It returns false if there is none.
func (s *Toast) Deadline(now time.Time) (time.Time, bool) {
	k, ok := s.current(now)
	if !ok {
		return time.Time{}, false
	}
	return s.messages[k].until, true
}

// Line returns the message in at most width columns, nil if there is none.
func (s *Toast) Line(width int, now time.Time, t theme.Theme) styled.Line {
	k, ok := s.current(now)
	if !ok {
		return nil
	}
	return styled.Of(s.messages[k].text, k.style(t)).Cut(width)
}

func (k Kind) style(t theme.Theme) styled.Style {
	switch k {
	case Quit, Exit, Warning:
		return t.Warning()
	case QueueError:
		return t.Error()
	case Expand:
		return t.Accent()
	}
	return t.Secondary()
}
