package discovered

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mvdan.cc/sh/v3/shell"
)

// words splits a command as a shell would: quotes, variables and ~ count, but
// nothing else is run for it.
func (o Options) words(command string) ([]string, error) {
	return shell.Fields(command, o.getenv)
}

func (o Options) getenv(name string) string {
	for i := len(o.Environ) - 1; i >= 0; i-- { // the last counts
		if value, ok := strings.CutPrefix(o.Environ[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// program is what to run.
type program struct {
	argv           []string
	stdin          []byte
	stdout, stderr io.Writer
	started        func(pid int) // may be nil
}

// ending is how it ended.
type ending struct {
	err    error  // it did not run
	code   int    // it ended by itself
	signal string // "SIGKILL", or "" if it did
}

const (
	// linger is how long the output of a program that has ended is waited for,
	// if something that it started keeps it open.
	linger = 2 * time.Second
	// grace is the same once it was killed: what outlives that has left its group.
	grace = 50 * time.Millisecond
)

// run runs a program, in a session of its own, to its end or that of ctx. It
// writes to nothing of p after it has returned.
func (o Options) run(ctx context.Context, p program) ending {
	path, err := o.look(p.argv[0])
	if err != nil {
		return ending{err: err}
	}
	var copies sync.WaitGroup
	stdout, err := newPipe(&copies, p.stdout)
	if err != nil {
		return ending{err: err}
	}
	defer stdout.close()
	stderr, err := newPipe(&copies, p.stderr)
	if err != nil {
		return ending{err: err}
	}
	defer stderr.close()

	cmd := exec.CommandContext(ctx, path)
	cmd.Args = p.argv
	cmd.Dir, cmd.Env = o.Dir, o.Environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(p.stdin), stdout.w, stderr.w
	cmd.WaitDelay = grace
	apart(cmd)
	if err := cmd.Start(); err != nil {
		return ending{err: err}
	}
	if p.started != nil {
		p.started(cmd.Process.Pid)
	}
	stdout.begin()
	stderr.begin()
	err = cmd.Wait()
	drain(ctx, &copies, stdout, stderr)

	var exited *exec.ExitError
	switch {
	case cmd.ProcessState == nil, err != nil && !errors.As(err, &exited) && !errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil:
		return ending{err: err}
	case signal(cmd.ProcessState) != "":
		return ending{signal: signal(cmd.ProcessState)}
	}
	return ending{code: cmd.ProcessState.ExitCode()}
}

// look finds a program: in the PATH, or relative to where it will run.
func (o Options) look(name string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(o.Dir, name)
		}
		return exec.LookPath(name)
	}
	for _, dir := range filepath.SplitList(o.getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue // what the project calls "git" is not git
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("run %q: %w", name, exec.ErrNotFound)
}

// drain waits until all output has been read, but not for ever.
func drain(ctx context.Context, copies *sync.WaitGroup, pipes ...*pipe) {
	done := make(chan struct{})
	go func() { copies.Wait(); close(done) }()
	late := time.NewTimer(linger)
	defer late.Stop()
	select {
	case <-done:
		return
	case <-late.C:
	case <-ctx.Done():
		select {
		case <-done:
			return
		case <-time.After(grace):
		}
	}
	for _, p := range pipes {
		_ = p.r.Close() // ends the copy
	}
	<-done
}

// pipe carries output to a writer.
type pipe struct {
	r, w   *os.File
	to     io.Writer
	copies *sync.WaitGroup
}

func newPipe(copies *sync.WaitGroup, to io.Writer) (*pipe, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &pipe{r, w, to, copies}, nil
}

// begin copies, once the program has the other end.
func (p *pipe) begin() {
	_ = p.w.Close() // nothing was written here
	p.copies.Go(func() {
		// An error is the end of it: the pipe was closed.
		_, _ = io.Copy(p.to, p.r)
	})
}

func (p *pipe) close() {
	_ = p.w.Close()
	_ = p.r.Close()
}
