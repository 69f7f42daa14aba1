//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package tuitest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"
)

// garbage are replies of a terminal that is out of order. The last one is one that has to end, or it would take the keys behind it.
const garbage = "\x1b[?999999999999999999u\x1b]11;rgb:zz/\x1b\\\x1b[>\x1bP>|\xff\xfe\x1b\\\x1b[?;;;;c\x9b\x1b[\x00\x1b[?2026;77777$y\x1b]52;c;!!!\x07"

// isUnknown2026 is the reply of the emulator about mode 2026, and xterm that of an xterm which has it, with its name.
const (
	isUnknown2026 = "\x1b[?2026;0$y"
	xterm         = "\x1b[?2026;2$y\x1bP>|XTerm(390)\x1b\\"
)

// replies passes the replies of the emulator to the program.
type replies struct {
	to       io.Writer
	manner   Manner
	hasBegun bool // the first reply has passed
}

// Write passes replies.
func (r *replies) Write(b []byte) (n int, err error) {
	isFirst := !r.hasBegun
	r.hasBegun = true
	switch {
	case r.manner == Framed:
		_, err = r.to.Write(bytes.ReplaceAll(b, []byte(isUnknown2026), []byte(xterm)))
		return len(b), err
	case r.manner == Prompt, r.manner == Late && !isFirst:
		return r.to.Write(b)
	case r.manner == Late:
		time.Sleep(3 * time.Second)
		return r.to.Write(b)
	case r.manner == Garbage && isFirst:
		_, err = io.WriteString(r.to, garbage)
	}
	return len(b), err
}

// Deafen makes the terminal take no more output, as in the copy mode of tmux, until [Program.Hear].
func (p *Program) Deafen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isDeaf = true
}

// Hear ends [Program.Deafen].
func (p *Program) Hear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isDeaf = false
	p.more.Broadcast()
}

// listen waits until the terminal takes output, and returns false when it takes none any more.
func (p *Program) listen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.isDeaf && !p.isClosed {
		p.more.Wait()
	}
	return !p.isGone && !p.isClosed
}

// Storm changes the size of the terminal n times within a second. The last size is as before.
func (p *Program) Storm(n int) error {
	p.mu.Lock()
	width, height := p.emulator.Width(), p.emulator.Height()
	p.mu.Unlock()
	var err error
	for _, size := range storm(n) {
		err = errors.Join(err, p.Resize(size[0], size[1]))
		time.Sleep(time.Second / time.Duration(n))
	}
	return errors.Join(err, p.Resize(width, height))
}

// watchInput checks the input in each frame from now on.
func (p *Program) watchInput() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frames.check, p.frames.checked, p.frames.isStale = checkInput, 0, false
}

// unwatch ends watchInput, and returns an error about the first frame that is not as it should be, about too few frames, or about none for the
// last size.
func (p *Program) unwatch(least int) error {
	p.Settle()
	p.mu.Lock()
	defer p.mu.Unlock()
	f := &p.frames
	f.check = nil
	switch {
	case f.failure == nil && f.isStale:
		return errors.New("no frame draws the input for the size of the terminal")
	case f.failure == nil && f.checked < least:
		return fmt.Errorf("there were %d frames", f.checked)
	}
	return f.failure
}
