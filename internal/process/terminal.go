package process

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"pollux/internal/crash"
)

// TerminalSize is the size of a pseudo-terminal in cells.
type TerminalSize struct{ Columns, Rows int }

// maxTyped is how much input a terminal keeps for a program that does not read, in bytes.
const maxTyped = 1 << 20

var (
	// ErrNoTerminal is returned for a process that has no pseudo-terminal.
	ErrNoTerminal = errors.New("the program has no terminal")
	// ErrTypedTooMuch is returned by [Process.Type] if the program reads too slowly.
	ErrTypedTooMuch = errors.New("the program does not read its input")
)

// terminal is the pseudo-terminal of a process: the end that Pollux holds, and the input on its way to the program.
type terminal struct {
	file *os.File

	mu        sync.Mutex
	queue     []byte
	waiting   int // bytes in queue, and those being written
	isWriting bool
	err       error // of the last write; the terminal then takes no more input
}

// connectTerminal makes the pseudo-terminal of the process, which gets its other end as its three streams.
func (p *Process) connectTerminal(pl *plumbing) error {
	c := p.command
	if c.TTY || c.Detach || c.Stdin != nil || c.Stderr != nil {
		return errors.New("run " + c.String() + ": a program in a pseudo-terminal has no other streams and does not outlive Pollux")
	}
	ours, theirs, err := openTerminal(*c.Terminal)
	if err != nil {
		return err
	}
	pl.close, c.tty = append(pl.close, theirs), theirs.Name()
	for fd := range 3 {
		pl.set(fd, theirs)
	}
	to := c.Stdout
	if to == nil || to == (*os.File)(nil) {
		to = io.Discard
	}
	p.terminal = &terminal{file: ours}
	p.streams = append(p.streams, &outputPipe{file: ours, to: to})
	return nil
}

// Type writes input to the pseudo-terminal of the process, as if a person typed it. It does not wait until the program
// reads it. If the program has not read the last MiB, Type takes none of p and returns [ErrTypedTooMuch]. Input keeps
// a process alive as output does, see [Command.Idle].
func (p *Process) Type(b []byte) error {
	if p.terminal == nil {
		return ErrNoTerminal
	}
	p.last.Store(int64(time.Since(p.start)))
	return p.terminal.write(b)
}

// Resize changes the size of the pseudo-terminal. The program gets SIGWINCH.
func (p *Process) Resize(size TerminalSize) error {
	if p.terminal == nil {
		return ErrNoTerminal
	}
	return resizeTerminal(p.terminal.file, size)
}

func (t *terminal) write(b []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.err != nil:
		return t.err
	case t.waiting+len(b) > maxTyped:
		return ErrTypedTooMuch
	case len(b) == 0:
		return nil
	}
	t.queue = append(t.queue, b...)
	t.waiting += len(b)
	if !t.isWriting {
		t.isWriting = true
		go t.copyTyped()
	}
	return nil
}

// copyTyped passes the queue on to the program, until it is empty or the terminal is closed.
func (t *terminal) copyTyped() {
	defer crash.Recover()
	var written int
	var err error
	for {
		t.mu.Lock()
		next := t.queue
		t.queue, t.waiting = nil, t.waiting-written
		if t.err = err; err != nil {
			next = nil
		}
		if len(next) == 0 {
			t.isWriting = false
			t.mu.Unlock()
			return
		}
		t.mu.Unlock()
		written, err = t.file.Write(next)
	}
}
