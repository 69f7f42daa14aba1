//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package tuitest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"pollux/internal/crash"
	"pollux/internal/process/processtest"
)

// Program is a program at a terminal, which is an emulator that answers its queries.
type Program struct {
	command *exec.Cmd
	master  *os.File
	tty     *os.File // open, so that the modes can be compared after the end
	before  unix.Termios
	ended   chan struct{} // closed when there is no more output

	mu       sync.Mutex
	more     sync.Cond
	buffer   [64 << 10]byte // for output
	emulator *Emulator
	titles   titles
	modes    *modes
	isDeaf   bool   // output is not read
	written  int64  // bytes of output
	output   []byte // the end of the output
	tap      func(output []byte)
	frames   frames
	last     time.Time // of the output
	sent     time.Time // when text was typed, or last seen to wait for the program
	resized  time.Time
	isGone   bool // there is no more output
	isClosed bool // the terminal is to be closed
	isLate   bool // the program took too long
	patience time.Duration
}

// maxOutput is how much of the output is kept, in bytes.
const maxOutput = 1 << 20

// patience returns how long a step may take. With the race detector, a terminal takes about ten times as long to scroll.
func patience() time.Duration {
	if processtest.HasRaceDetector() {
		return 6 * time.Minute
	}
	return 2 * time.Minute
}

// Start starts a program at a new terminal of this size.
func Start(command []string, width, height int) (*Program, error) {
	return StartAt(NewEmulator(width, height), command, nil)
}

// StartAt starts a program at a terminal that no other one uses. tap, if it is not nil, gets the output as it arrives.
func StartAt(e *Emulator, command []string, tap func(output []byte)) (*Program, error) {
	master, tty, err := pty.Open()
	if err != nil {
		return nil, err
	}
	p := &Program{master: master, tty: tty, emulator: e, tap: tap, modes: newModes(), ended: make(chan struct{}), patience: patience()}
	width, height := e.Width(), e.Height()
	p.more.L = &p.mu
	before, err := unix.IoctlGetTermios(int(tty.Fd()), getTermios)
	if err != nil {
		return nil, err
	}
	p.before = *before
	p.command = exec.Command(command[0], command[1:]...)
	p.command.Stdin, p.command.Stdout, p.command.Stderr = tty, tty, tty
	p.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := errors.Join(p.setSize(width, height), p.command.Start()); err != nil {
		return nil, errors.Join(err, master.Close(), tty.Close())
	}
	go p.watch()
	p.emulator.passReplies(&replies{to: master, manner: e.Manner})
	return p, nil
}

func (p *Program) setSize(width, height int) error {
	return pty.Setsize(p.tty, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)})
}

// watch shows the output on the emulator until the terminal is closed.
func (p *Program) watch() {
	defer close(p.ended)
	defer crash.Recover()
	for p.listen() {
		if hasOutput(p.master, 100*time.Millisecond) {
			p.mu.Lock()
			p.show()
			p.mu.Unlock()
		}
	}
}

// hasOutput waits until a terminal has output, or none any more, for at most a time.
func hasOutput(master *os.File, most time.Duration) bool {
	poll := []unix.PollFd{{Fd: int32(master.Fd()), Events: unix.POLLIN}}
	n, err := unix.Poll(poll, int(most.Milliseconds()))
	return n > 0 && err == nil
}

// show shows the next part of the output, and reports whether there was any. The caller holds mu.
func (p *Program) show() bool {
	if p.isGone || p.isDeaf || !hasOutput(p.master, 0) {
		return false
	}
	n, err := p.master.Read(p.buffer[:])
	b := p.buffer[:n]
	if p.tap != nil {
		p.tap(b)
	}
	p.output = append(p.output[max(len(p.output)-maxOutput, 0):], b...)
	output := p.titles.cut(b)
	p.modes.Write(output)
	p.frames.show(p.emulator, output)
	p.written += int64(n)
	p.last = time.Now()
	p.isGone = err != nil
	p.more.Broadcast()
	return true
}

// Close ends the program and the terminal.
func (p *Program) Close() {
	p.mu.Lock()
	p.isClosed, p.isDeaf = true, false
	p.more.Broadcast()
	p.mu.Unlock()
	_ = p.command.Process.Kill() // an error means that it has ended
	_ = p.tty.Close()
	p.emulator.endReplies()
	<-p.ended
	_ = p.master.Close()
}

// Screen returns the rows of the screen, without the empty ones at the end.
func (p *Program) Screen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return trimRows(p.emulator.Rows())
}

// Picture returns the rows of the scrollback and the screen with their colors.
func (p *Program) Picture() Picture {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.emulator.Picture()
}

// Whole returns the rows of the scrollback and the screen.
func (p *Program) Whole() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.emulator.Whole()
}

// Written returns the number of bytes that the program has written.
func (p *Program) Written() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.written
}

// Clears returns how many times the program has erased the whole main screen or the scrollback.
func (p *Program) Clears() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.modes.clears
}

// Send types bytes.
func (p *Program) Send(text string) error {
	_, err := io.WriteString(p.master, text)
	p.mu.Lock()
	p.sent = time.Now()
	p.mu.Unlock()
	return err
}

// awaitRead waits until the program has read all that was typed or has ended, up to five seconds.
func (p *Program) awaitRead() {
	for range 1000 {
		p.mu.Lock()
		isRead := p.isGone || unread(int(p.tty.Fd())) == 0
		if !isRead {
			p.sent = time.Now()
		}
		p.mu.Unlock()
		if isRead {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Resize changes the size of the terminal, which shows what the program has written until then in the size before.
func (p *Program) Resize(width, height int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n := 0; n < 100 && p.show(); n++ {
	}
	p.emulator.Resize(width, height)
	p.frames.isStale = true
	p.resized = time.Now()
	return p.setSize(width, height)
}

// Signal sends a signal to the program alone.
func (p *Program) Signal(s syscall.Signal) error { return p.command.Process.Signal(s) }

// SetPatience sets how long [Program.Wait] and [Program.End] wait, two minutes by default.
func (p *Program) SetPatience(d time.Duration) { p.patience = d }

// Wait waits until is returns true for the rows of the screen.
func (p *Program) Wait(is func(rows []string) bool) error {
	timer := time.AfterFunc(p.patience, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.isLate = true
		p.more.Broadcast()
	})
	defer timer.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for !is(trimRows(p.emulator.Rows())) {
		switch {
		case p.isLate:
			return errors.New("it does not come")
		case p.isGone:
			return errors.New("the program has ended without it")
		}
		p.more.Wait()
	}
	return nil
}

// AwaitQuestion waits until the question on the screen takes answers. It returns at once if there is none.
func (p *Program) AwaitQuestion() error {
	if isShown, _ := question(p.Screen()); !isShown {
		return nil
	}
	p.Settle() // the frame with the question may not be whole
	return p.Wait(func(rows []string) bool {
		isShown, isReady := question(rows)
		return !isShown || isReady
	})
}

// hasGone reports whether there is no more output.
func (p *Program) hasGone() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.isGone
}

// Settle waits until the program has written something since the size last changed and has read the keys, and then neither writes nor computes for a while. A program that
// is slow to start has not got the terminal before it writes.
func (p *Program) Settle() {
	const rest, most = 150 * time.Millisecond, 5 * time.Second
	p.awaitRead()
	var busy time.Time // when the program was last seen to compute
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if isBusy(p.PID()) {
			busy = time.Now()
		}
		p.mu.Lock()
		limit := most
		if p.written == 0 {
			limit = p.patience
		}
		isQuiet := p.isGone || p.last.After(p.resized) && time.Since(p.last) > rest && time.Since(p.sent) > rest && time.Since(busy) > rest
		p.mu.Unlock()
		if isQuiet || time.Since(began) > limit {
			return
		}
	}
}

// End waits until the program has ended, and returns its exit code. The error is about the state in which it has left the terminal.
func (p *Program) End() (code int, err error) {
	timer := time.AfterFunc(p.patience, func() { _ = p.command.Process.Kill() })
	defer timer.Stop()
	_ = p.command.Wait() // the exit code is in ProcessState
	after, err := unix.IoctlGetTermios(int(p.tty.Fd()), getTermios)
	if err == nil && *after != p.before {
		err = errors.New("the modes of the terminal are not restored")
	}
	if n := unread(int(p.tty.Fd())); err == nil && n > 0 {
		err = fmt.Errorf("%d bytes of input are left for the shell", n)
	}
	p.Hear()
	p.mu.Lock()
	p.last = time.Now() // the last output may not be read yet
	p.mu.Unlock()
	p.Settle()
	if err == nil {
		p.mu.Lock()
		err = p.modes.check()
		p.mu.Unlock()
	}
	return p.command.ProcessState.ExitCode(), err
}

func trimRows(rows []string) []string {
	for len(rows) > 0 && strings.TrimSpace(rows[len(rows)-1]) == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// PID returns the id of the process.
func (p *Program) PID() int { return p.command.Process.Pid }
