// Package terminal represents the terminal as a value: the input, the outputs, and their
// abilities. Code that prints gets a [Terminal]; nothing else accesses the standard streams.
// Its outputs are [Writer]s, which let nothing pass that controls a terminal.
package terminal

import (
	"bytes"
	"io"
	"os"
	"sync/atomic"

	"golang.org/x/term"
)

// Terminal holds the three standard streams and their properties.
type Terminal struct {
	In  io.Reader
	Out *Writer // text, with invisible characters removed
	Err *Writer // notes, with invisible characters as escape sequences

	// InTTY, OutTTY and ErrTTY report which streams are terminals.
	InTTY, OutTTY, ErrTTY bool
	// Width is the number of columns of Out when Pollux started, 0 if it is not a terminal. See [Terminal.OutWidth].
	Width int
	// Color reports whether the user wants colors on streams that are terminals.
	Color bool
	// Marks is the directory with marks of terminals in modes of a program. If the program is killed, [Terminal.ResetKilled] leaves these modes.
	// Without it, there are no marks.
	Marks string

	out, err    *os.File     // the files that New was given; nil in tests
	changes     *changes     // nil if nothing can be changed
	isUnwrapped *atomic.Bool // see SetWrapping; nil if lines are always wrapped
}

// New returns a terminal for a process's files. getenv returns variables of its environment:
// NO_COLOR and TERM=dumb disable colors.
func New(in, out, err *os.File, getenv func(string) string) *Terminal {
	t := &Terminal{
		In: in, Out: NewWriter(out), Err: NewNoteWriter(err),
		out: out, err: err, changes: &changes{}, isUnwrapped: new(atomic.Bool),
		InTTY:  term.IsTerminal(int(in.Fd())),
		OutTTY: term.IsTerminal(int(out.Fd())),
		ErrTTY: term.IsTerminal(int(err.Fd())),
		Color:  getenv("NO_COLOR") == "" && getenv("TERM") != "dumb",
	}
	if t.OutTTY && t.ErrTTY {
		t.Err.line = t.Out.line
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

// SetWrapping sets whether Pollux breaks lines at the width of the terminal, for this terminal
// and its copies. Screen readers read whole lines better.
func (t *Terminal) SetWrapping(wraps bool) {
	if t.isUnwrapped != nil {
		t.isUnwrapped.Store(!wraps)
	}
}

// OutWidth returns the current number of columns at which lines on Out are broken, 0 if they
// are not: Out is not a terminal, its width is unknown, or [Terminal.SetWrapping] turned it off.
func (t *Terminal) OutWidth() int { return t.width(t.OutTTY, t.out) }

// ErrWidth is [Terminal.OutWidth] for Err.
func (t *Terminal) ErrWidth() int { return t.width(t.ErrTTY, t.err) }

func (t *Terminal) width(isTerminal bool, file *os.File) int {
	if !isTerminal || t.isUnwrapped != nil && t.isUnwrapped.Load() {
		return 0
	}
	if file == nil {
		return t.Width
	}
	columns, _, _ := term.GetSize(int(file.Fd())) // 0 if it fails
	return columns
}

// WrapOut returns text with its lines broken for Out; see [Wrap].
func (t *Terminal) WrapOut(text string) string { return Wrap(text, t.OutWidth()) }

// WrapErr returns text with its lines broken for Err; see [Wrap].
func (t *Terminal) WrapErr(text string) string { return Wrap(text, t.ErrWidth()) }

// Test returns a terminal for tests. It reads input from a string and writes to the returned
// buffers. None of its streams is a terminal.
func Test(input string) (t *Terminal, out, err *bytes.Buffer) {
	out, err = new(bytes.Buffer), new(bytes.Buffer)
	return &Terminal{In: bytes.NewReader([]byte(input)), Out: NewWriter(out), Err: NewNoteWriter(err)}, out, err
}
