//go:build unix

package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"pollux/internal/shellcmd"
	"pollux/llm"
	"pollux/tool"
)

// call is one command.
type call struct {
	tool    *shellTool
	args    arguments
	command string // without a shell around it
	dir     string
}

const (
	// liveInterval is the least time between two updates of the live output.
	liveInterval = time.Second

	// cancelGrace is how long a cancelled call waits for the command to end:
	// Run must return within 100 ms. What does not end by itself is killed behind it.
	cancelGrace = 60 * time.Millisecond

	defaultDelay = 200 * time.Millisecond
)

func (c *call) Run(ctx context.Context, host tool.Host) *tool.Result {
	if ctx.Err() != nil {
		const text = "Command was cancelled by user before it could start."
		return &tool.Result{Content: []llm.Part{llm.Text(text)}, Display: tool.TerminalDisplay(text)}
	}
	if !c.tool.typed && shellcmd.Substitutes(c.command) {
		return &tool.Result{
			Content: []llm.Part{llm.Text("Command injection detected: command substitution syntax ($(), backticks, <() or >()) found in command arguments. " +
				"The command was not run. Run the inner command in a call of its own and use what it prints, or write a script file and run that.")},
			Display: tool.TerminalDisplay("Blocked: command substitution detected in shell command."),
		}
	}
	r := &running{call: c, host: host, text: tool.NewCollector(host.Limit, host.Spill)}
	r.text.Before = outputBegin
	if err := r.start(); err != nil {
		return tool.Fail(tool.ErrShell, "The command could not be started: "+c.reason(err))
	}
	if host.Started != nil {
		host.Started(r.pid)
	}
	switch end := r.wait(ctx); end {
	case moved:
		return r.inBackground()
	default:
		return r.result(end)
	}
}

// reason says why the command could not be started. The system's error names
// the shell, even if it is the directory that is to blame.
func (c *call) reason(err error) string {
	what := ""
	fi, statErr := os.Stat(c.dir)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		what = "does not exist"
	case errors.Is(statErr, syscall.ENOTDIR), statErr == nil && !fi.IsDir():
		what = "is not a directory"
	case unix.Access(c.dir, unix.X_OK) != nil:
		what = "may not be entered"
	default:
		return err.Error()
	}
	if c.args.Dir == "" {
		return fmt.Sprintf("the project root %s %s.", c.dir, what)
	}
	return fmt.Sprintf("dir_path %s %s. Name another directory, or leave dir_path out to run in %s.", c.dir, what, c.tool.Workspace.Root())
}

// running is a call whose command runs.
type running struct {
	*call
	*process
	host  tool.Host
	text  *tool.Collector
	log   *Process  // its entry among those in the background, if it is one
	shown time.Time // last update
}

// start starts the command.
func (r *running) start() error {
	shell, err := r.tool.shell()
	if err != nil {
		return err
	}
	j := job{shell: shell, command: r.command, dir: r.dir, env: r.tool.env(), detach: r.args.Background}
	out := newOutput(r.text)
	p, err := r.tool.Processes.start(j, out)
	if err != nil {
		return err
	}
	r.process = p
	if r.args.Background { // its log has the output from the beginning
		r.log = r.tool.Processes.remember(p, r.args.Command)
		out.logTo(r.log.file)
	}
	go p.read()
	return nil
}

// ending is why the wait for a command is over.
type ending int

const (
	exited    ending = iota // the command has ended
	cancelled               // somebody wants no more of it
	timedOut                // it has printed nothing for too long
	moved                   // it runs on in the background
)

// wait shows the output of the command as it comes, until the wait is over.
func (r *running) wait(ctx context.Context) ending {
	var delay, idle, live <-chan time.Time
	if r.args.Background {
		d := defaultDelay
		if r.args.Delay != nil {
			d = time.Duration(*r.args.Delay)
		}
		delay = time.After(d)
	}
	timeout := r.tool.InactivityTimeout
	if timeout > 0 {
		idle = time.After(timeout)
	}
	changed := r.out.changed
	if r.host.Output == nil {
		changed = nil
	}
	for {
		select {
		case <-r.exited:
			r.settle()
			if r.args.Background {
				return moved
			}
			return exited
		case <-ctx.Done():
			r.stop(cancelGrace)
			return cancelled
		case <-idle:
			if left := timeout - r.out.idle(); left > 0 {
				idle = time.After(left)
				continue
			}
			r.stop(2 * killDelay)
			return timedOut
		case <-delay:
			return moved
		case <-r.background:
			return moved
		case <-changed:
			if live == nil { // else an update is due already
				live = time.After(liveInterval - time.Since(r.shown))
			}
		case <-live:
			live = nil
			r.shown = time.Now()
			r.host.Output(r.out.show())
		}
	}
}

// settle waits until all was read that the command had printed.
func (r *running) settle() {
	select {
	case <-r.quiet:
	case <-time.After(time.Second): // a stream that can't be read without waiting
	}
}

// stop ends the command and waits for that, but no longer than grace.
func (r *running) stop(grace time.Duration) {
	r.terminate()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-r.exited:
	case <-timer.C:
		return
	}
	select {
	case <-r.quiet:
	case <-timer.C:
	}
}

// result tells what came of a command that is over (spec/tools.md §3.9).
func (r *running) result(end ending) *tool.Result {
	shown := strings.TrimSpace(r.out.finish())
	result := &tool.Result{}
	display := shown
	r.text.After = untrustedEnd
	if end == exited {
		code, signal := r.status()
		r.text.Before = outputBegin
		if r.text.Empty() {
			r.text.Before += "(empty)"
		}
		var tail strings.Builder
		switch {
		case signal != 0:
			fmt.Fprintf(&tail, "\nSignal: %d", signal)
			if display == "" {
				display = fmt.Sprintf("Command terminated by signal: %d", signal)
			}
		case code != 0:
			fmt.Fprintf(&tail, "\nExit Code: %d", code)
			result.Data = map[string]any{"exitCode": code, "isError": true}
			if display == "" {
				display = fmt.Sprintf("Command exited with code: %d", code)
			}
		}
		if left := r.left(); len(left) > 0 {
			tail.WriteString("\nBackground PIDs: " + joinInts(left))
		}
		fmt.Fprintf(&tail, "\nProcess Group PGID: %d", r.pid)
		r.text.After = tail.String() + untrustedEnd
	} else {
		why := "Command was cancelled by user before it could complete."
		if end == timedOut {
			why = fmt.Sprintf("Command was automatically cancelled because it exceeded the timeout of %.1f minutes without output.",
				r.tool.InactivityTimeout.Minutes())
		}
		if display == "" {
			display = why
		}
		r.text.Before = untrustedBegin + why + " Below is the output before it was cancelled:\n"
		if r.text.Empty() {
			r.text.Before = untrustedBegin + why + " There was no output before it was cancelled."
		}
	}
	if r.log != nil { // cancelled before it was in the background
		go r.tool.Processes.watch(r.log)
	} else {
		r.tool.Processes.ended(r.process)
	}
	text, file := r.text.Text()
	switch {
	case r.tool.typed:
		text = r.typedText(end, shown)
		display = text
	case r.tool.Debug:
		display = text
	}
	if display != "" {
		result.Display = tool.TerminalDisplay(display)
	}
	result.Content, result.OutputFile = []llm.Part{llm.Text(text)}, file
	return result
}

// inBackground tells that the command runs on.
func (r *running) inBackground() *tool.Result {
	r.disown()
	if r.log == nil {
		r.log = r.tool.Processes.remember(r.process, r.args.Command)
	}
	initial := r.out.background(r.log.file)
	go r.tool.Processes.watch(r.log)
	text := fmt.Sprintf("Command moved to background (PID: %d). Output hidden. Press Ctrl+B to view.", r.pid)
	return &tool.Result{
		Content: []llm.Part{llm.Text(untrustedBegin + text + untrustedEnd)},
		Display: tool.TerminalDisplay(text),
		Data:    map[string]any{"pid": r.pid, "command": r.args.Command, "initialOutput": strings.TrimSpace(initial)},
	}
}

func joinInts(ns []int) string {
	s := make([]string, len(ns))
	for i, n := range ns {
		s[i] = strconv.Itoa(n)
	}
	return strings.Join(s, ", ")
}
