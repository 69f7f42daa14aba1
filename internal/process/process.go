// Package process is the only way in which Pollux starts programs.
//
// A [Command] describes a process to start: its program, arguments, environment, directory,
// streams and limits. A [Launcher] starts it and returns the running [Process]. Commands pass
// through the launcher's [Middleware], which may rewrite or refuse them; a sandbox is one such
// middleware.
//
//	var launcher process.Launcher // no middleware
//	status, err := launcher.Run(ctx, &process.Command{
//		For:  process.Purpose{Kind: process.KindShell, Origin: process.OriginUser},
//		Path: "/usr/bin/make", Args: []string{"test"}, Dir: dir, Env: environ, Stdout: out, Stderr: out,
//	})
//
// # Properties of every process
//
//   - On Unix, a session and a process group of its own and no terminal, unless
//     [Command.TTY] or [Command.Terminal] is set. Ending it ends the whole group, and on Linux also the
//     descendants that have left the group.
//   - Exactly the environment in [Command.Env]. A nil Env is an empty environment, not
//     the one of Pollux.
//   - On Windows, a job of its own and no console, unless [Command.TTY] is set. Ending it ends
//     all processes of the job, at once.
//   - An end: when the context of Start ends, when it prints nothing for
//     [Command.Idle], and on Linux and Windows when Pollux ends, even if it is killed. On other systems
//     it runs on after a SIGKILL of Pollux. [Command.Detach] and [Process.Disown] let a
//     process outlive Pollux.
package process

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// Command describes a program to start. For and Path are required.
type Command struct {
	// For is why the command runs, for middleware. Nothing else depends on it.
	For Purpose
	// Name is the command's name in errors. Empty means the last element of Path.
	Name string
	// Path is the absolute path of the program. No PATH is searched; see [Finder].
	Path string
	// Args are the arguments, without the program's own name.
	Args []string
	// Env is the whole environment, "NAME=value" each. Nothing is added, except
	// SYSTEMROOT on Windows, without which programs do not start there.
	Env []string
	// Dir is the working directory. Empty means that of Pollux.
	Dir string

	// Stdin is the program's input; nil is empty input. The program gets an *os.File itself;
	// anything else is copied through a pipe, until the reader or the program ends.
	Stdin io.Reader
	// Stdout and Stderr take the output of the program; nil drops it. The program gets an *os.File
	// itself; anything else is written from another goroutine. If both are the same writer, they
	// share one pipe, which keeps the order, and writes do not overlap. Errors of a writer are
	// ignored and the output is read to its end.
	Stdout, Stderr io.Writer
	// Files are further open files, by the descriptor that the program gets them as:
	// 3 or more, and neither [ReportFD] nor [GateFD]. Only Unix can pass them on.
	Files map[int]*os.File

	// Terminal, if set, is the size of a new pseudo-terminal, which is the controlling terminal of the program and its
	// three streams. Stdout takes the output, while Stdin and Stderr are not set; [Process.Type] writes input. When a
	// program ends that has a terminal, the system sends SIGHUP to the processes that it leaves in the foreground. On
	// Windows, such a command does not start.
	Terminal *TerminalSize
	// TTY is set for a program that uses the terminal of Pollux, such as an editor.
	// It stays in the process group of Pollux, and is killed alone. When Pollux is
	// killed, Linux sends it SIGHUP.
	TTY bool
	// Detach lets the process outlive Pollux.
	Detach bool
	// Gate has the program wait for a line on [GateFD] before it begins: it comes when the process
	// and its descendants can no longer outlive Pollux. Without Gate, processes that a program
	// starts in its very first moments could survive a kill of Pollux.
	Gate bool

	// Grace is the time between SIGTERM and SIGKILL when the process is ended; 0
	// sends SIGKILL at once.
	Grace time.Duration
	// Idle ends a process that prints nothing for so long, with [ErrIdle] as the
	// cause; 0 or less is never. Only output that passes through a pipe or a pseudo-terminal counts.
	Idle time.Duration
	// Pause, if set, says that something waits for the program, and a person can be asked about it meanwhile. The time until
	// the answer is no silence.
	Pause *Pause
	// Linger is how long [Process.Wait] waits for the end of the output after the
	// program has ended, while descendants hold it open.
	Linger time.Duration

	// Confine, if set, is called on the thread that starts the program, which starts nothing else and ends with the
	// program, or later with KeepThread. A restriction of the thread (Linux: capabilities, Landlock, system calls) is one of the program. If it returns an error, nothing is started.
	Confine func() error
	// KeepThread keeps that thread until the program has ended and the process is released, for [Process.OnThread].
	KeepThread bool
	// Started, if set, is called with the program's number when it has started, before its gate opens.
	Started func(pid int)
	// Sys holds further attributes of the operating system, such as namespaces; nil
	// is none. Sessions, groups and the death signal are set from the fields above.
	Sys *syscall.SysProcAttr

	pipes []io.Closer // ends for the program, closed after the start
	tty   string      // path of the pseudo-terminal, see TerminalPath
	sweep bool        // kill the rest of the group when the program has ended
}

// ReportFD is the descriptor on which a process may report the numbers of processes
// that it leaves running, and other words, separated by white space; see [Process.Left].
// Scripts use low numbers, and bash uses those from 10 on.
const ReportFD = 87

// GateFD is the descriptor that [Command.Gate] describes.
const GateFD = 86

// ErrIdle is the cause when a process was ended because it printed nothing for
// [Command.Idle].
var ErrIdle = errors.New("it printed no output for too long")

// String returns the name that errors use.
func (c *Command) String() string {
	if c.Name != "" {
		return c.Name
	}
	return filepath.Base(c.Path)
}

// TerminalPath returns the path of the program's pseudo-terminal, "" if it has none. It is known when [Command.Confine] is called.
func (c *Command) TerminalPath() string { return c.tty }

// StdoutPipe sets Stdout to a pipe and returns the end to read from. The caller reads
// to the end before it calls [Process.Wait], and closes it. The command can then be
// started only once.
func (c *Command) StdoutPipe() (io.ReadCloser, error) {
	read, write, err := openPipe(pollRead)
	if err != nil {
		return nil, err
	}
	c.Stdout = write
	c.pipes = append(c.pipes, write)
	return read, nil
}

// Handler starts a command. It returns once the process runs, or with the reason why it does
// not. When ctx ends the process is ended. A handler may be called from several goroutines at
// once, and may change the command that it gets, but not values behind its fields, such as
// Stdout or Sys.
type Handler func(ctx context.Context, c *Command) (*Process, error)

// Middleware wraps a handler. It may rewrite the command before it calls next, or
// return an error without calling it. To run a command inside another program:
//
//	func(next process.Handler) process.Handler {
//		return func(ctx context.Context, c *process.Command) (*process.Process, error) {
//			c.Args = append([]string{"--ro-bind", "/", "/", "--", c.Path}, c.Args...)
//			c.Path = "/usr/bin/bwrap"
//			return next(ctx, c)
//		}
//	}
type Middleware func(next Handler) Handler

// Launcher starts commands. The zero Launcher starts them as they are. It may be
// copied, and used from several goroutines at once.
type Launcher struct{ handler Handler }

// NewLauncher returns a launcher with middleware; the first one sees a command first.
func NewLauncher(middleware ...Middleware) Launcher {
	h := Handler(start)
	for _, m := range slices.Backward(middleware) {
		h = m(h)
	}
	return Launcher{h}
}

// Start starts a command, of which middleware gets a copy. When ctx ends, the process
// is ended as by [Process.Terminate], and its cause is the cause of ctx. The caller
// calls [Process.Wait], or [Process.Release] when it needs the process no more.
//
// An error of the system is returned as [os.StartProcess] returns it. If ctx has
// ended already, nothing is started and the error is its cause.
func (l Launcher) Start(ctx context.Context, c *Command) (*Process, error) {
	defer func() {
		for _, end := range c.pipes {
			_ = end.Close() // the program has its own
		}
	}()
	own := *c
	own.Args, own.Env, own.Files = slices.Clone(c.Args), slices.Clone(c.Env), maps.Clone(c.Files)
	if l.handler == nil {
		return start(ctx, &own)
	}
	return l.handler(ctx, &own)
}

// Run starts a command and waits for it, as [Launcher.Start] and [Process.Wait] do.
func (l Launcher) Run(ctx context.Context, c *Command) (Status, error) {
	p, err := l.Start(ctx, c)
	if err != nil {
		return Status{}, err
	}
	return p.Wait()
}
