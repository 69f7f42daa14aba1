package terminal

import (
	"errors"
	"os"
	"os/exec"

	"golang.org/x/term"
)

// ErrShown says that what is typed can't be kept from the screen here.
var ErrShown = errors.New("the terminal shows what is typed")

// Hide keeps what is typed into In from being shown, line ends apart, until show
// is called. Its error is [ErrShown] where In is a terminal that cannot do that.
// Where In is no terminal nothing is shown anyway.
func (t *Terminal) Hide() (show func(), err error) {
	f, ok := t.In.(interface{ Fd() uintptr })
	if !t.InTTY || !ok {
		return func() {}, nil
	}
	return hide(int(f.Fd()))
}

// Lend gives a program the terminal: its streams, and the way it is set up, which
// restore brings back whatever the program has left it in. A program gets nothing
// to read where In is no terminal.
func (t *Terminal) Lend(c *exec.Cmd) (restore func()) {
	c.Stdout, c.Stderr = t.Out, t.Err
	if t.out != nil {
		c.Stdout, c.Stderr = t.out, t.err
	}
	f, ok := t.In.(*os.File)
	if !t.InTTY || !ok {
		return func() {}
	}
	c.Stdin = f
	state, err := term.GetState(int(f.Fd()))
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(int(f.Fd()), state) } // nobody could do more about it
}
