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

	"pollux/internal/process"
	"pollux/llm"
	"pollux/tool"
)

// call is a call of the shell tool.
type call struct {
	tool    *shellTool
	args    arguments
	command string // args.Command without a wrapper such as bash -c
	dir     string
}

const (
	// liveInterval is the minimum time between two updates of the live output.
	liveInterval = time.Second

	// cancelGrace limits how long a cancelled call waits for the command to end, because
	// Run must return within 100 ms. Killing the command goes on after Run has returned.
	cancelGrace = 60 * time.Millisecond

	defaultDelay = 200 * time.Millisecond
)

func (c *call) Run(ctx context.Context, host tool.Host) *tool.Result {
	if ctx.Err() != nil {
		const text = "Command was cancelled by user before it could start."
		return &tool.Result{Content: []llm.Part{llm.Text(text)}, Display: tool.TerminalDisplay(text)}
	}
	r := &runningCall{call: c, host: host, text: tool.NewCollector(host.Limit, host.Spill)}
	r.text.Before = outputBegin
	if err := r.start(ctx); err != nil {
		return tool.Fail(tool.ErrShell, "The command could not be started: "+c.explainStartError(err))
	}
	if host.Started != nil {
		host.Started(r.PID())
	}
	switch end := r.wait(ctx); end {
	case movedToBackground:
		return r.backgroundResult()
	default:
		return r.result(ctx, end)
	}
}

// explainStartError returns why the command could not be started. If the directory is the
// cause, the system error still names the shell; this text names the directory instead.
func (c *call) explainStartError(err error) string {
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

// runningCall is a call whose command has been started.
type runningCall struct {
	*call
	*execution
	host       tool.Host
	text       *tool.Collector
	log        *Process  // its entry in the history of background commands, or nil
	lastUpdate time.Time // of the live output
	leaves     bool      // processes of the command run on after it
}

// start starts the command.
func (r *runningCall) start(ctx context.Context) error {
	shell, err := r.tool.shell()
	if err != nil {
		return err
	}
	j := job{
		origin: r.tool.origin,
		shell:  shell, command: r.command, dir: r.dir, env: r.tool.env(r.host.Unasked),
		idle: r.tool.InactivityTimeout,
	}
	out := newOutput(r.text)
	out.mu.Lock() // until the log is set, so that it gets all output
	defer out.mu.Unlock()
	p, err := r.tool.Processes.start(ctx, r.tool.Launcher, j, out)
	if err != nil {
		return err
	}
	r.execution = p
	if r.args.Background {
		r.log = r.tool.Processes.addToHistory(p, r.args.Command)
		out.log = r.log.file
	}
	return nil
}

// outcome is the reason why the wait for a command ended.
type outcome int

const (
	exited            outcome = iota
	cancelled                 // ctx was cancelled
	timedOut                  // no output for longer than Options.InactivityTimeout
	movedToBackground         // the command continues in the background
)

// wait shows the live output of the command until it ends, moves to the background or is
// stopped, and returns which.
func (r *runningCall) wait(ctx context.Context) outcome {
	var delay, live <-chan time.Time
	if r.args.Background {
		d := defaultDelay
		if r.args.Delay != nil {
			d = time.Duration(*r.args.Delay)
		}
		delay = time.After(d)
	}
	stopped := r.Stopped()
	changed := r.out.changed
	if r.host.Output == nil {
		changed = nil
	}
	for {
		select {
		case <-r.Exited():
			<-r.Drained()
			if errors.Is(r.Cause(), process.ErrIdle) {
				return timedOut
			}
			if r.args.Background {
				return movedToBackground
			}
			return exited
		case <-ctx.Done():
			r.stop(cancelGrace)
			return cancelled
		case <-stopped:
			stopped = nil
			if errors.Is(r.Cause(), process.ErrIdle) {
				r.stop(2 * killGrace)
				return timedOut
			}
		case <-delay:
			return movedToBackground
		case <-r.toBackground:
			return movedToBackground
		case <-changed:
			if live == nil { // else an update is already scheduled
				live = time.After(liveInterval - time.Since(r.lastUpdate))
			}
		case <-live:
			live = nil
			r.lastUpdate = time.Now()
			r.host.Output(r.out.display())
		}
	}
}

// stop ends the command and waits until it has ended, at most for grace.
func (r *runningCall) stop(grace time.Duration) {
	r.Terminate()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-r.Drained():
	case <-timer.C:
	}
}

// result returns the tool result of a command that has ended or was stopped.
func (r *runningCall) result(ctx context.Context, end outcome) *tool.Result {
	shown := r.out.finish()
	result := &tool.Result{}
	display := shown
	r.text.After = untrustedEnd
	if end == exited {
		if n := r.out.binarySize(); n > 0 {
			r.noteBinary(n)
		} else if r.text.Empty() {
			r.text.Before += "(empty)"
		}
		var how string
		how, result.Data = r.ending()
		r.text.After = r.outcome() + untrustedEnd
		display = strings.TrimPrefix(shown+how, "\n")
	} else {
		why, hint := "Command was cancelled by user before it could complete.", ""
		if end == timedOut {
			why, hint = r.timeoutText()
			result.Data = map[string]any{"isError": true}
		}
		display = why
		if shown != "" {
			display += "\n\nOutput before cancellation:\n" + shown
		}
		r.text.Before = untrustedBegin + why + hint + " Below is the output before it was cancelled:\n"
		if r.text.Empty() {
			r.text.Before = untrustedBegin + why + hint + " There was no output before it was cancelled."
		}
	}
	switch {
	case r.log != nil: // cancelled before it moved to the background
		go r.tool.Processes.watchExit(r.log)
	case end == exited && r.leaves:
		r.tool.Processes.keep(r.execution, r.args.Command)
	default:
		r.tool.Processes.forget(r.execution)
	}
	if r.tool.caller == template {
		r.text.Before, r.text.After = "", ""
	}
	text, file := r.text.Text()
	if end != cancelled && r.tool.caller == model {
		text, file = r.summarized(ctx, text, file)
	}
	switch {
	case r.tool.caller == user:
		text = r.userText(end, shown)
		display = text
	case r.tool.caller == template:
		text += r.templateEnding(end)
	case r.tool.Debug:
		display = text
	}
	result.Display = tool.TerminalDisplay(display) // also for a silent command
	result.Content, result.OutputFile = []llm.Part{llm.Text(text)}, file
	return result
}

// summarized returns the text for the model with a summary in place of the output, and the
// name of the file with the complete text. If there is no summary, it returns its arguments.
func (r *runningCall) summarized(ctx context.Context, text, file string) (string, string) {
	output := strings.TrimSuffix(strings.TrimPrefix(text, r.text.Before), r.text.After)
	summary := r.tool.Summarizer.summarize(ctx, r.args.Command, output)
	if summary == "" {
		return text, file
	}
	if file == "" {
		file = save(r.host.Spill, text)
	}
	return r.text.Before + summaryNote(output, file) + summary + r.text.After, file
}

// backgroundResult returns the tool result of a command that continues in the background.
func (r *runningCall) backgroundResult() *tool.Result {
	r.Disown()
	if r.log == nil {
		r.log = r.tool.Processes.addToHistory(r.execution, r.args.Command)
	}
	initial := r.out.moveToBackground(r.log.file)
	go r.tool.Processes.watchExit(r.log)
	text, file := r.backgroundText()
	return &tool.Result{
		Content: []llm.Part{llm.Text(text)}, OutputFile: file,
		Display: tool.TerminalDisplay(fmt.Sprintf("Command moved to background (PID: %d).", r.PID())),
		Data:    map[string]any{"pid": r.PID(), "command": r.args.Command, "initialOutput": initial},
	}
}

func joinInts(ns []int) string {
	s := make([]string, len(ns))
	for i, n := range ns {
		s[i] = strconv.Itoa(n)
	}
	return strings.Join(s, ", ")
}
