// Package tuitest has a terminal for the tests of the terminal user interface: an emulator that keeps its scrollback.
package tuitest

import (
	"io"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"

	"pollux/internal/crash"
	"pollux/internal/face/tui/emulator"
)

// Emulator is a terminal. It does not rewraps rows when its width changes.
type Emulator struct {
	*vt.Emulator
	Manner Manner // of its replies to queries

	writer emulator.Writer
}

// Manner is how a terminal answers queries.
type Manner string

// The manners of terminals.
const (
	Prompt  Manner = ""        // at once
	Mute    Manner = "mute"    // never
	Late    Manner = "late"    // after three seconds
	Garbage Manner = "garbage" // with broken sequences
	Framed  Manner = "framed"  // at once, as an xterm that shows frames at once: with mode 2026
)

// NewEmulator returns a terminal of this size in raw mode, with the cursor in the first row.
func NewEmulator(width, height int) *Emulator {
	e := &Emulator{Emulator: vt.NewEmulator(width, height)}
	e.writer.Emulator = e.Emulator
	e.SetScrollbackSize(1 << 20)
	return e
}

// Write writes output of a program to the terminal.
func (e *Emulator) Write(p []byte) (int, error) { return e.writer.Write(p) }

// Resize changes the size, as terminals do.
func (e *Emulator) Resize(width, height int) { emulator.Resize(e.Emulator, width, height) }

// Rows returns the text of the screen's rows, without spaces at their ends.
func (e *Emulator) Rows() []string {
	rows := make([]string, e.Height())
	line := make(uv.Line, e.Width())
	for y := range rows {
		for x := range line {
			line[x] = uv.EmptyCell
			if c := e.CellAt(x, y); c != nil {
				line[x] = *c
			}
		}
		rows[y] = textOf(line)
	}
	return rows
}

// textOf returns the text of a row, without spaces at its end.
func textOf(line uv.Line) string {
	n := len(line)
	for n > 0 && (line[n-1].Content == "" || line[n-1].Content == " ") {
		n--
	}
	var b strings.Builder
	for x := range n {
		c := &line[x]
		b.WriteString(c.Content)
		if c.Content == "" && c.Width > 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// Whole returns the text of the scrollback and the screen, without the empty rows at the end.
func (e *Emulator) Whole() []string {
	above := e.Scrollback().Lines()
	rows := make([]string, len(above), len(above)+e.Height())
	for y, line := range above {
		rows[y] = textOf(line)
	}
	rows = append(rows, e.Rows()...)
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// drain drops the replies of the terminal, which would wait for a reader, until stop.
func (e *Emulator) drain() (stop func()) {
	ended := e.passReplies(io.Discard)
	return func() {
		e.endReplies()
		<-ended
	}
}

// passReplies writes the replies of the terminal to w, on a goroutine of its own, until endReplies.
func (e *Emulator) passReplies(w io.Writer) (ended <-chan struct{}) {
	done := make(chan struct{})
	go func() {
		defer crash.Recover()
		defer close(done)
		_, _ = io.Copy(w, e)
	}()
	return done
}

// endReplies makes the terminal give no more replies. In contrast to Close, it may be called while another goroutine reads or
// writes.
func (e *Emulator) endReplies() {
	if replies, ok := e.InputPipe().(io.Closer); ok {
		_ = replies.Close() // it does not fail
	}
}
