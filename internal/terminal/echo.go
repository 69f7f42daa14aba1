package terminal

import (
	"errors"
	"os"
	"os/exec"
	"sync"

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
	if show, err = hide(int(f.Fd())); err != nil {
		return nil, err
	}
	return t.changes.add(show), nil
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
	return t.changes.add(func() { _ = term.Restore(int(f.Fd()), state) }) // nobody could do more about it
}

// Restore undoes what [Terminal.Hide] and [Terminal.Lend] have changed and nobody has
// put right: for the end of the program, which may come in the midst of it.
func (t *Terminal) Restore() { t.changes.undo() }

// changes are how to undo what was changed at a terminal, shared by all copies of the
// [Terminal].
type changes struct {
	mu   sync.Mutex
	back map[*byte]func()
}

// add takes note of a change, and returns what undoes it, once.
func (c *changes) add(undo func()) func() {
	if c == nil {
		return undo
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.back == nil {
		c.back = map[*byte]func(){}
	}
	id := new(byte)
	c.back[id] = undo
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.back[id] != nil {
			undo()
			delete(c.back, id)
		}
	}
}

func (c *changes) undo() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, undo := range c.back {
		undo()
	}
	clear(c.back)
}
