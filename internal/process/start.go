package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"

	"pollux/internal/crash"
)

// plumbing has the files that a process inherits, until it has started.
type plumbing struct {
	files []*os.File // by descriptor
	close []*os.File // ends that the process has, and Pollux no longer needs
}

func (pl *plumbing) set(fd int, f *os.File) {
	if need := fd + 1 - len(pl.files); need > 0 {
		pl.files = append(pl.files, make([]*os.File, need)...)
	}
	pl.files[fd] = f
}

func (pl *plumbing) done() {
	for _, f := range pl.close {
		_ = f.Close() // nothing was written here
	}
}

// start is the handler below all middleware.
func start(ctx context.Context, c *Command) (*Process, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var pl plumbing
	defer pl.done()
	p := &Process{
		command: c, start: time.Now(),
		exited: make(chan struct{}), drained: make(chan struct{}), closed: make(chan struct{}),
		stopped: make(chan struct{}), gone: make(chan struct{}), disowned: make(chan struct{}),
	}
	if c.Confine != nil && c.KeepThread {
		p.thread = newThread()
	}
	gate, err := p.connect(&pl)
	if err != nil {
		p.abandon()
		return nil, err
	}
	sys := &syscall.SysProcAttr{}
	if c.Sys != nil {
		*sys = *c.Sys
	}
	err = c.prepare(sys)
	if err == nil {
		started := make(chan error)
		go p.run(&os.ProcAttr{Dir: c.Dir, Env: environment(c.Env), Files: pl.files, Sys: sys}, started)
		err = <-started
	}
	if err != nil {
		closeFile(gate)
		p.abandon()
		return nil, err
	}
	if !c.Detach && !c.TTY {
		p.report.arm(p.pid)
	}
	if c.Started != nil {
		c.Started(p.pid)
	}
	if gate != nil {
		_, _ = gate.Write([]byte{'\n'}) // fails if the program has ended, which is seen elsewhere
		_ = gate.Close()
	}
	for _, s := range p.streams {
		go p.copyOutput(s)
	}
	if p.input != nil {
		go p.copyInput()
	}
	if ctx.Done() != nil || c.Idle > 0 {
		go p.watch(ctx)
	}
	return p, nil
}

// connect makes the pipes of the process. gate is the end to open the gate with, nil
// if the command has none.
func (p *Process) connect(pl *plumbing) (gate *os.File, err error) {
	c := p.command
	if err := p.connectStreams(pl); err != nil {
		return nil, err
	}
	p.pending.Store(int32(len(p.streams) + 1)) // the program itself, too
	p.open.Store(int32(len(p.streams) + 1))
	for fd, f := range c.Files {
		if fd < 3 || fd == ReportFD || fd == GateFD || fd > 1000 {
			return nil, fmt.Errorf("run %s: descriptor %d cannot be given to a program", c, fd)
		}
		pl.set(fd, f)
	}
	if !c.TTY {
		if err := p.report.open(); err != nil {
			return nil, err
		}
		if p.report.write != nil {
			pl.set(ReportFD, p.report.write)
		}
	}
	if c.Gate {
		read, write, err := openPipe(pollNone)
		if err != nil {
			return nil, err
		}
		pl.set(GateFD, read)
		pl.close = append(pl.close, read)
		return write, nil
	}
	return nil, nil
}

// connectStreams makes the three streams of the program.
func (p *Process) connectStreams(pl *plumbing) error {
	c := p.command
	if c.Terminal != nil {
		return p.connectTerminal(pl)
	}
	for fd, stream := range []any{c.Stdin, c.Stdout, c.Stderr} {
		f, err := p.connectStream(pl, fd, stream)
		if err != nil {
			return err
		}
		pl.set(fd, f)
	}
	return nil
}

// connectStream returns the file that the program gets as one of its three streams.
func (p *Process) connectStream(pl *plumbing, fd int, stream any) (*os.File, error) {
	if f, ok := stream.(*os.File); ok && f != nil {
		return f, nil
	}
	switch {
	case fd == 2 && stream != nil && isSame(stream, p.command.Stdout):
		return pl.files[1], nil
	case stream == nil || stream == (*os.File)(nil):
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err == nil {
			pl.close = append(pl.close, null)
		}
		return null, err
	case fd == 0:
		read, write, err := openPipe(pollWrite)
		if err != nil {
			return nil, err
		}
		pl.close, p.input = append(pl.close, read), write
		return read, nil
	}
	read, write, err := openPipe(pollRead)
	if err != nil {
		return nil, err
	}
	pl.close = append(pl.close, write)
	p.streams = append(p.streams, &outputPipe{file: read, to: stream.(io.Writer)})
	return write, nil
}

// isSame reports whether two writers are one. Some types cannot be compared.
func isSame(a, b any) bool {
	defer func() { _ = recover() }()
	return a == b
}

// abandon closes the files opened for a process that does not start.
func (p *Process) abandon() {
	for _, s := range p.streams {
		_ = s.file.Close()
	}
	closeFile(p.input)
	p.report.close()
}

func closeFile(f *os.File) {
	if f != nil {
		_ = f.Close() // it was never used
	}
}

// run starts the program and waits for it, on one thread: Linux ends a process that
// should die with its parent when the thread ends that started it.
func (p *Process) run(attr *os.ProcAttr, started chan<- error) {
	runtime.LockOSThread()
	c := p.command
	if c.Confine == nil || isFirstThread() { // else the thread ends with this goroutine
		defer runtime.UnlockOSThread()
	}
	defer crash.Recover()
	if c.Confine != nil && isFirstThread() {
		// The first thread does not end, and the kernel takes it for the process: it must not be confined like a program.
		// As this goroutine keeps it, the next one has another.
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer crash.Recover()
			p.run(attr, started)
		}()
		<-done
		return
	}
	proc, err := adopted.starting(func() (*os.Process, error) { return c.confineAndStart(attr) })
	if err != nil {
		started <- err
		return
	}
	p.proc, p.pid = proc, proc.Pid
	started <- nil
	if p.thread != nil {
		go p.awaitEnd()
		p.thread.serve(p.exited)
		return
	}
	p.awaitEnd()
}

// awaitEnd waits for the end of the program.
func (p *Process) awaitEnd() {
	defer crash.Recover()
	p.status = statusOf(p.waitProgram())
	adopted.ended(p.pid)
	close(p.exited)
	// Descendants may hold the streams open; the output of the program itself is in them now.
	for _, s := range p.streams {
		_ = s.file.SetReadDeadline(time.Now())
	}
	p.streamDrained()
	p.streamClosed()
}

// confineAndStart starts the program of a command on this thread.
func (c *Command) confineAndStart(attr *os.ProcAttr) (*os.Process, error) {
	if c.Confine != nil {
		if err := c.Confine(); err != nil {
			return nil, err
		}
	}
	return startProgram(c, attr)
}

// startProgram starts the program of a command. A program file that was written a moment ago
// is still open for writing in a child that Pollux forked meanwhile, until that child
// replaces itself by its own program; startProgram waits for that.
func startProgram(c *Command, attr *os.ProcAttr) (*os.Process, error) {
	args := slices.Insert(slices.Clone(c.Args), 0, c.Path)
	for delay := time.Millisecond; ; delay *= 2 {
		proc, err := os.StartProcess(c.Path, args, attr)
		if !errors.Is(err, syscall.ETXTBSY) || delay > 200*time.Millisecond {
			return proc, err
		}
		time.Sleep(delay)
	}
}

// outputPipe is one pipe that the process prints to.
type outputPipe struct {
	file *os.File
	to   io.Writer
}

// copyOutput reads a stream until no process is left that could print to it.
func (p *Process) copyOutput(s *outputPipe) {
	drained := false
	defer func() {
		_ = s.file.Close()
		if !drained {
			p.streamDrained()
		}
		p.streamClosed()
	}()
	defer crash.Recover()
	take := func(b []byte) {
		if len(b) > 0 {
			p.last.Store(int64(time.Since(p.start)))
			_, _ = s.to.Write(b) // the program must not block because of it
		}
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := readTwice(s.file, buf)
		take(buf[:n])
		if n == len(buf) && n < 256<<10 { // more is coming
			buf = make([]byte, 256<<10)
			widen(s.file)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) { // the program has ended
			_ = s.file.SetReadDeadline(time.Time{})
			err = drain(s.file, buf, take) // the next read reports the end
			drained = true
			p.streamDrained()
		}
		if err != nil {
			return
		}
	}
}

// readTwice reads, and reads again if a terminal has no more to read. Linux may say so before it has looked at what was printed just before the
// other end was closed.
func readTwice(r io.Reader, buf []byte) (int, error) {
	n, err := r.Read(buf)
	if errors.Is(err, syscall.EIO) {
		return r.Read(buf)
	}
	return n, err
}

func (p *Process) streamDrained() {
	if p.pending.Add(-1) == 0 {
		close(p.drained)
	}
}

func (p *Process) streamClosed() {
	if p.open.Add(-1) == 0 {
		close(p.closed)
	}
}

func (p *Process) copyInput() {
	defer crash.Recover()
	_, _ = io.Copy(p.input, p.command.Stdin) // a program need not read it all
	_ = p.input.Close()
}

// watch ends the process when ctx ends or when it is silent for too long.
func (p *Process) watch(ctx context.Context) {
	defer crash.Recover()
	var silent <-chan time.Time
	idle, exited := p.command.Idle, p.exited
	if idle > 0 {
		timer := time.NewTimer(idle)
		defer timer.Stop()
		silent = timer.C
	}
	for {
		select {
		case <-ctx.Done():
			p.stop(context.Cause(ctx))
			return
		case <-silent:
			if left := idle - p.silence(); left > 0 {
				silent = time.After(left)
				continue
			}
			p.stop(ErrIdle)
			return
		case <-exited:
			silent, exited = nil, nil
		case <-p.closed:
			return
		case <-p.disowned:
			return
		}
	}
}
