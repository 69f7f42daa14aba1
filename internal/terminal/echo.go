package terminal

import (
	"errors"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// ErrCannotHide is the error of [Terminal.HideInput] for a terminal that cannot hide input.
var ErrCannotHide = errors.New("the terminal shows what is typed")

// HideInput stops the terminal from showing the input of In, except line ends, until show is called. It does nothing if
// In is not a terminal. The error is [ErrCannotHide] if the terminal cannot do that.
func (t *Terminal) HideInput() (show func(), err error) {
	f, ok := t.In.(interface{ Fd() uintptr })
	if !t.InTTY || !ok {
		return func() {}, nil
	}
	t.changes.do(func() { show, err = hideInput(int(f.Fd())) })
	if err != nil {
		return nil, ErrCannotHide
	}
	return t.changes.add(show), nil
}

// Streams are the streams of a program that uses the terminal.
type Streams struct {
	In       io.Reader // nil if the input is not a terminal
	Out, Err io.Writer
}

// Lend returns the streams for a program that uses the terminal. The caller calls restore when
// the program has ended; it resets the terminal modes, which the program may have changed.
func (t *Terminal) Lend() (s Streams, restore func()) {
	_, _ = t.Out.SetStatus(""), t.Err.SetStatus("") // no status is worth an error
	s.Out, s.Err = t.Out.w, t.Err.w
	if t.out != nil {
		s.Out, s.Err = t.out, t.err
	}
	f, ok := t.In.(*os.File)
	if !t.InTTY || !ok {
		return s, func() {}
	}
	s.In = f
	var state *term.State
	var err error
	t.changes.do(func() { state, err = term.GetState(int(f.Fd())) })
	if err != nil {
		return s, func() {}
	}
	return s, t.changes.add(func() { _ = term.Restore(int(f.Fd()), state) }) // an error cannot be handled
}

// Restore undoes all changes of [Terminal.HideInput] and [Terminal.Lend] that have not been
// undone yet. It is meant for the end of the process, which can come at any time.
func (t *Terminal) Restore() { t.changes.undo() }

// changes holds the undo functions of changes to a terminal. All copies of a [Terminal] share it.
type changes struct {
	mu    sync.Mutex
	undos map[*byte]func()
}

// add registers a change. The returned function undoes it once.
func (c *changes) add(undo func()) func() {
	if c == nil {
		return undo
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.undos == nil {
		c.undos = map[*byte]func(){}
	}
	id := new(byte)
	c.undos[id] = undo
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.undos[id] != nil {
			undo()
			delete(c.undos, id)
		}
	}
}

// do calls f, which changes or reads the terminal modes, while nothing else changes them.
func (c *changes) do(f func()) {
	if c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
	}
	f()
}

func (c *changes) undo() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, undo := range c.undos {
		undo()
	}
	clear(c.undos)
}
