// Package terminal represents the terminal as a value: the input, the outputs, and what they
// can show. Code that prints gets a [Terminal]; nothing else accesses the standard streams.
package terminal

import (
	"bytes"
	"io"
	"os"

	"golang.org/x/term"
)

// Terminal holds the three standard streams and what is known about them.
type Terminal struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	// InTTY, OutTTY and ErrTTY report which streams are terminals.
	InTTY, OutTTY, ErrTTY bool
	// Width is the number of columns of Out, 0 if it is not a terminal.
	Width int
	// Color reports whether the user wants colors on streams that are terminals.
	Color bool

	out, err *os.File // the files that New was given; Out and Err may be wrapped
	changes  *changes // nil if nothing can be changed
}

// New returns a terminal for a process's files. getenv returns variables of its environment:
// NO_COLOR and TERM=dumb disable colors.
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

// OutColor reports whether output to Out should be colored.
func (t *Terminal) OutColor() bool { return t.Color && t.OutTTY }

// ErrColor reports whether output to Err should be colored.
func (t *Terminal) ErrColor() bool { return t.Color && t.ErrTTY }

// Test returns a terminal for tests. It reads input from a string and writes to the returned
// buffers. None of its streams is a terminal.
func Test(input string) (t *Terminal, out, err *bytes.Buffer) {
	out, err = new(bytes.Buffer), new(bytes.Buffer)
	return &Terminal{In: bytes.NewReader([]byte(input)), Out: out, Err: err}, out, err
}
