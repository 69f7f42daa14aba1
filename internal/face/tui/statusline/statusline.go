package statusline

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"time"

	"pollux/internal/face/tui/styled"
	"pollux/internal/process"
	"pollux/internal/terminal"
)

// Limits of the program.
const (
	Budget = 300 * time.Millisecond // of a run
	Pause  = time.Second            // between the begins of two runs
)

// Options configures a [Runner].
type Options struct {
	Launcher process.Launcher
	Dir      string   // the working directory of the program
	Environ  []string // its environment
	Origin   process.Origin
}

// Runner decides when the program runs: if the snapshot has changed, once a second at most, and never twice at a time. The zero
// value runs nothing. Only one goroutine may use it.
type Runner struct {
	command  string
	wanted   string // the newest snapshot
	input    string // the snapshot of the last run
	began    time.Time
	isBusy   bool
	hasInput bool
	isStale  bool // the run failed, and is tried again
	failures int  // in a row
}

// Set notes the command line and the current snapshot. An empty command runs nothing.
func (r *Runner) Set(command, snapshot string) {
	if command != r.command {
		r.command, r.hasInput, r.failures = command, false, 0
	}
	r.wanted = snapshot
}

// Due returns when the program runs next, false for not before a change.
func (r *Runner) Due() (time.Time, bool) {
	return r.began.Add(Pause), r.command != "" && !r.isBusy && (!r.hasInput || r.isStale || r.wanted != r.input)
}

// Begin begins a run if it is time. The caller calls work on another goroutine, and [Runner.End] after it.
func (r *Runner) Begin(now time.Time, o Options) (work func(ctx context.Context) (line string, err error), ok bool) {
	if due, isWanted := r.Due(); !isWanted || now.Before(due) {
		return nil, false
	}
	r.isBusy, r.began, r.input, r.hasInput = true, now, r.wanted, true
	r.isStale = false
	command, input := r.command, r.input
	return func(ctx context.Context) (string, error) { return run(ctx, o, command, input) }, true
}

// maxFailures is the number of failures in a row after which the program waits for a change.
const maxFailures = 3

// End notes the end of a run. After a failure the program runs again without a change, because the machine may have been busy. End
// returns false if the result does not count: the command is not set any more, or the program runs again.
func (r *Runner) End(failed bool) (counts bool) {
	r.isBusy = false
	switch {
	case !r.hasInput:
		return false
	case !failed:
		r.failures = 0
	case r.failures+1 < maxFailures:
		r.failures++
		r.isStale = true
		return false
	}
	return true
}

// run runs a command line, and returns the first line of its output without colors.
func run(ctx context.Context, o Options, command, input string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, Budget, errors.New("it took longer than "+Budget.String()))
	defer cancel()
	path, args, err := shell(o.Environ, command)
	if err != nil {
		return "", err
	}
	text, err := o.Launcher.Ask(ctx, &process.Command{
		For: process.Purpose{Kind: process.KindStatusLine, Origin: o.Origin}, Name: "ui.footer.command",
		Path: path, Args: args, Env: o.Environ, Dir: o.Dir, Stdin: strings.NewReader(input),
	})
	if err != nil {
		return "", err
	}
	const longest = 4 << 10
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	return strings.TrimSpace(styled.Text(terminal.Line(terminal.Cut(line, longest)))), nil
}

// shell returns the program and arguments that run a command line.
func shell(environ []string, command string) (path string, args []string, err error) {
	name, args := "sh", []string{"-c", command}
	if runtime.GOOS == "windows" {
		name, args = "cmd", []string{"/c", command}
	}
	path, err = process.LookPath(process.Getenv(environ, "PATH"), name)
	if err != nil {
		err = errors.New(name + " is not in PATH")
	}
	return path, args, err
}
