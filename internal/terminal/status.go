package terminal

import (
	"io"
	"strings"
	"sync"
)

// statusLine is the line of a terminal in which a status may be shown, for all writers of that terminal.
type statusLine struct {
	mu      sync.Mutex
	columns int // of the status that is shown, 0 for none
	shownBy io.Writer
}

// SetStatus shows a text in the line of the cursor, which must be empty, in place of the last status; "" removes it.
// Whatever else is written to the terminal replaces it. The text must fit the line.
func (w *Writer) SetStatus(text string) error {
	text = w.clean(text)
	_, err := w.line.replace(func() (int, error) {
		if text == "" {
			return 0, nil
		}
		w.line.columns, w.line.shownBy = Width(text), w.w
		return io.WriteString(w.w, text)
	})
	return err
}

// replace removes the status and calls write, which writes something else.
func (l *statusLine) replace(write func() (int, error)) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.columns > 0 {
		blank := "\r" + strings.Repeat(" ", l.columns) + "\r"
		l.columns = 0
		if _, err := io.WriteString(l.shownBy, blank); err != nil {
			return 0, err
		}
	}
	return write()
}
