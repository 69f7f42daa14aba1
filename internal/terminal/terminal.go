// Package terminal is the terminal as a value: where input comes from, where
// output goes, and what can be shown there. Whoever prints is handed a
// [Terminal]; nothing else reads or writes the standard streams.
package terminal

import (
	"bytes"
	"io"
	"os"

	"golang.org/x/term"
)

// Terminal is the three standard streams and what is known of them.
type Terminal struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	// InTTY, OutTTY and ErrTTY say which of them are terminals.
	InTTY, OutTTY, ErrTTY bool
	// Width is the number of columns of Out, 0 if it is no terminal.
	Width int
	// Color says whether the user wants colours where a stream is a terminal.
	Color bool

	out, err *os.File // what New was given, however Out and Err are wrapped
	changes  *changes // nil where nothing can be changed
}

// New returns the terminal made of a process's files. getenv returns variables of
// its environment: NO_COLOR and TERM=dumb switch colours off.
func New(in, out, err *os.File, getenv func(string) string) *Terminal {
	t := &Terminal{
		In: in, Out: out, Err: err,
		out: out, err: err, changes: &changes{},
		InTTY:  term.IsTerminal(int(in.Fd())),
		OutTTY: term.IsTerminal(int(out.Fd())),
		ErrTTY: term.IsTerminal(int(err.Fd())),
		Color:  getenv("NO_COLOR") == "" && getenv("TERM") != "dumb",
	}
	if t.OutTTY {
		if width, _, err := term.GetSize(int(out.Fd())); err == nil {
			t.Width = width
		}
	}
	return t
}

// OutColor reports whether Out should be coloured.
func (t *Terminal) OutColor() bool { return t.Color && t.OutTTY }

// ErrColor reports whether Err should be coloured.
func (t *Terminal) ErrColor() bool { return t.Color && t.ErrTTY }

// Test returns a terminal for tests: input is read from a text, output goes to
// buffers, and none of the streams is a terminal unless the test says so.
func Test(input string) (t *Terminal, out, err *bytes.Buffer) {
	out, err = new(bytes.Buffer), new(bytes.Buffer)
	return &Terminal{In: bytes.NewReader([]byte(input)), Out: out, Err: err}, out, err
}
