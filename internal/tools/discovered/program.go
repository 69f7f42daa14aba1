package discovered

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"time"

	"mvdan.cc/sh/v3/shell"

	"pollux/internal/process"
)

// splitWords splits a command into words as a shell does, with quotes, variables and ~, but
// without command substitution.
func (o Options) splitWords(command string) ([]string, error) {
	return shell.Fields(command, o.getenv)
}

func (o Options) getenv(name string) string { return process.Getenv(o.Environ, name) }

// program is a program to run.
type program struct {
	name           string // of the tool, "" for the discovery
	argv           []string
	stdin          []byte
	stdout, stderr io.Writer
	started        func(pid int) // may be nil
}

// ending is how a program ended; the zero value is success.
type ending struct {
	err    error  // why the program could not be started
	code   int    // the exit code, if no signal ended the program
	signal string // the signal that ended the program, such as "SIGKILL", or ""
}

// lingerTime is how long run reads the output of a program that has exited, if a process that
// it started keeps the output open.
const lingerTime = 2 * time.Second

// run runs a program until it exits or ctx is cancelled. It does not write to p.stdout and
// p.stderr after it has returned.
func (o Options) run(ctx context.Context, p program) ending {
	path, err := o.lookPath(p.argv[0])
	if err != nil {
		return ending{err: err}
	}
	running, err := o.Launcher.Start(ctx, &process.Command{
		For:  process.Purpose{Kind: process.KindTool, Origin: o.Origin, Name: p.name},
		Path: path, Args: p.argv[1:], Env: o.Environ, Dir: o.Dir,
		Stdin: bytes.NewReader(p.stdin), Stdout: p.stdout, Stderr: p.stderr, Linger: lingerTime,
	})
	if err != nil {
		return ending{err: err}
	}
	if p.started != nil {
		p.started(running.PID())
	}
	status, _ := running.Wait() // the error is ctx's
	if status.Signal != 0 {
		return ending{signal: status.SignalName()}
	}
	return ending{code: status.Code}
}

// lookPath returns the path of a program. A name without a slash is searched in PATH; a
// relative path is relative to o.Dir.
func (o Options) lookPath(name string) (string, error) {
	if name != filepath.Base(name) && !filepath.IsAbs(name) {
		name = filepath.Join(o.Dir, name)
	}
	return process.LookPath(o.getenv("PATH"), name)
}
