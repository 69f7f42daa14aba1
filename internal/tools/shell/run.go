//go:build unix

package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"pollux/internal/crash"
	"pollux/internal/process"
	"pollux/internal/terminal"
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

	// minExtension limits how often a timer is extended while a command waits for a person.
	minExtension = 100 * time.Millisecond
)

func (c *call) Run(ctx context.Context, host tool.Host) *tool.Result {
	if ctx.Err() != nil {
		const text = "Command was cancelled by user before it could start."
		return &tool.Result{Content: []llm.Part{llm.Text(text)}, Display: tool.TerminalDisplay(text)}
	}
	if c.runsOutside(host) {
		return c.runOutside(ctx, host)
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
		if r.screen != nil {
			r.screen.Hide()
		}
		return r.backgroundResult()
	default:
		defer r.closeScreen()
		return r.result(end)
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
	host        tool.Host
	text        *tool.Collector
	log         *Process  // its entry in the history of background commands, or nil
	lastUpdate  time.Time // of the live output
	leaves      bool      // processes of the command run on after it
	leavesGroup bool      // such ones as end with Pollux are among them
	isSent      bool      // to the background, by the person
	pause       *process.Pause
	counted     time.Duration // the part of the pause by which timers have been extended
}

func (r *runningCall) start(ctx context.Context) error {
	shell, err := r.tool.shell()
	if err != nil {
		return err
	}
	var screen Screen
	if r.tool.caller != template {
		screen = r.tool.Processes.openScreen(r.args.Command)
	}
	p, err := r.launch(ctx, shell, screen, "")
	if err != nil && screen != nil { // perhaps there are no pseudo-terminals here
		screen.Close()
		p, err = r.launch(ctx, shell, nil, "[This command has no terminal: "+terminal.Line(err.Error())+"]\n")
	}
	if err != nil {
		return err
	}
	r.execution = p
	return nil
}

// launch starts the command in the pseudo-terminal of a screen, or on pipes without one. Its output begins with a note.
func (r *runningCall) launch(ctx context.Context, shell string, screen Screen, note string) (*execution, error) {
	j := job{
		origin: r.tool.origin,
		shell:  shell, command: r.command, dir: r.dir, env: r.tool.env(r.host.Unasked),
		idle: r.tool.InactivityTimeout, screen: screen,
	}
	if !r.args.Background {
		r.pause = &process.Pause{}
		j.pause = r.pause
	}
	if screen != nil {
		j.env = r.tool.inTerminal(j.env)
	}
	out := newOutput(r.text, r.tool.Environ) // files and other programs go on having the user's locale
	out.clean.DropsAlternate = screen != nil
	out.mu.Lock() // until the log is set, so that it gets all output
	defer out.mu.Unlock()
	p, err := r.tool.Processes.start(ctx, r.tool.Launcher, j, out)
	if err != nil {
		return nil, err
	}
	p.asked = asked{r.call, ctx, screen != nil}
	if r.args.Background {
		r.log = r.tool.Processes.addToHistory(p, r.args.Command)
		out.log = r.log.file
	}
	out.forward([]byte(note))
	return p, nil
}

// outcome is the reason why the wait for a command ended.
type outcome int

const (
	exited            outcome = iota
	cancelled                 // ctx was cancelled
	timedOut                  // no output for longer than Options.InactivityTimeout
	overTime                  // it ran for longer than the call allows
	movedToBackground         // the command continues in the background
)

// wait shows the live output of the command until it ends, moves to the background or is
// stopped, and returns which.
func (r *runningCall) wait(ctx context.Context) outcome {
	if !r.args.Background && r.tool.caller != template {
		r.tool.Processes.await(r.execution, true)
		defer r.tool.Processes.await(r.execution, false)
	}
	var live <-chan time.Time
	delay, limit := r.timers()
	stopped := r.Stopped()
	changed := r.out.changed
	if r.host.Output == nil {
		changed = nil
	}
	for {
		select {
		case <-r.Exited():
			<-r.Drained()
			if live != nil || len(r.out.changed) > 0 {
				r.showOutput() // a question about the result shows it
			}
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
			if delay = r.extended(); delay == nil {
				return movedToBackground
			}
		case <-r.sent:
			r.isSent = true
			if limit := time.Duration(r.args.Timeout); limit > 0 {
				go r.endAfter(limit - time.Since(r.Began()))
			}
			return movedToBackground
		case <-limit:
			if limit = r.extended(); limit == nil {
				r.stop(2 * killGrace)
				return overTime
			}
		case <-changed: // output before the update does not wake the loop
			changed, live = nil, time.After(liveInterval-time.Since(r.lastUpdate))
		case <-live:
			changed, live = r.out.changed, nil
			select {
			case <-changed:
			default:
			}
			r.showOutput()
		}
	}
}

// extended returns a timer that has ended for the time more in which the command has waited for a person, nil if there is none.
func (r *runningCall) extended() <-chan time.Time {
	more := r.pause.Total() - r.counted
	if more <= 0 {
		return nil
	}
	r.counted += more
	return time.After(max(more, minExtension))
}

// showOutput shows the live output, where it is shown.
func (r *runningCall) showOutput() {
	if r.host.Output != nil {
		r.lastUpdate = time.Now()
		r.host.Output(r.out.display())
	}
}

// timers returns when the command moves to the background, and when it ends. A nil channel is never.
func (r *runningCall) timers() (delay, limit <-chan time.Time) {
	after := time.Duration(r.args.Timeout)
	switch canReadOn := r.tool.CanReadOn; {
	case r.args.Background:
		d := defaultDelay
		if r.args.Delay != nil {
			d = time.Duration(*r.args.Delay)
		}
		delay = time.After(d)
		if after > 0 {
			go r.endAfter(after)
		}
	case after > 0:
		limit = time.After(after)
	case r.tool.caller == model && r.tool.BackgroundAfter > 0 && (canReadOn == nil || canReadOn()):
		delay = time.After(r.tool.BackgroundAfter)
	}
	return delay, limit
}

// endAfter ends a background command after some time.
func (r *runningCall) endAfter(d time.Duration) {
	defer crash.Recover()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		r.isOverTime.Store(true)
		r.Terminate()
	case <-r.Exited():
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
func (r *runningCall) result(end outcome) *tool.Result {
	shown, omitted := r.out.finish()
	result := &tool.Result{Omitted: omitted}
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
		r.text.After = r.out.encodingLine() + r.outcome() + untrustedEnd + r.hints(shown)
		display = strings.TrimPrefix(shown+how, "\n")
	} else {
		why, hint := "Command was cancelled by user before it could complete.", ""
		switch end {
		case timedOut:
			why, hint = r.inactivityText()
		case overTime:
			why = "Command was automatically cancelled because it ran for longer than timeout_seconds, " + describeLimit(time.Duration(r.args.Timeout)) + "."
		}
		if end != cancelled {
			result.Data = map[string]any{"isError": true}
		}
		display = why
		if shown != "" {
			display += "\n\nOutput before cancellation:\n" + shown
		}
		r.text.Before = why + hint + " Below is the output before it was cancelled:\n" + untrustedBegin
		if r.text.Empty() {
			r.text.Before, r.text.After = why+hint+" There was no output before it was cancelled.", ""
		}
	}
	switch {
	case r.log != nil: // cancelled before it moved to the background
		r.tool.Processes.noteKnown(r.PID())
		go r.tool.Processes.watchExit(r.log)
	case end == exited && r.leaves:
		r.tool.Processes.keep(r.execution, r.args.Command)
		if r.tool.caller == model {
			r.tool.Processes.noteLeaving(r.PID(), r.args.Command)
		}
	default:
		r.tool.Processes.forget(r.execution)
	}
	if r.tool.caller == template {
		r.text.Before, r.text.After = "", ""
	}
	text, file := r.text.Text()
	if end != cancelled && r.tool.caller == model {
		text, file = r.boundTokens(text, file)
	}
	switch {
	case r.tool.caller == user:
		text = r.userText(end, shown)
		display, result.Omitted = text, 0
	case r.tool.caller == template:
		text += r.templateEnding(end)
	case r.tool.Debug:
		display, result.Omitted = text, 0
	}
	result.Display = tool.TerminalDisplay(display) // also for a silent command
	result.Content, result.Frame = []llm.Part{llm.Text(text)}, r.frame()
	result.OutputFile, result.IsOutputCut = file, r.text.IsCut()
	return result
}

// frame returns the frame of the output in the text for the model.
func (r *runningCall) frame() tool.Frame {
	return tool.Frame{Before: r.text.Before, After: r.text.After}
}

// boundTokens shortens a text with hardly any line breaks, such as base64, of which a character may be a token.
func (r *runningCall) boundTokens(text, file string) (string, string) {
	const perToken, longLine = 4, 1000 // characters
	units, most := tool.Units(text), r.host.Limit/perToken
	if most == 0 || units < most || units < longLine*(strings.Count(text, "\n")-4) { // 4 lines are the frame
		return text, file
	}
	size := llm.EstimateTokens([]llm.Part{llm.Text(text)})
	if size <= most {
		return text, file
	}
	whole := text
	text = tool.Shorten(text, int(int64(units)*int64(most)/int64(size)), func() string {
		if file == "" {
			file = tool.Save(whole, r.host.Spill)
		}
		return tool.WhereWhole(file)
	})
	return text, file
}

// backgroundResult returns the tool result of a command that continues in the background.
func (r *runningCall) backgroundResult() *tool.Result {
	if r.args.Background || r.isSent {
		r.Disown() // it may be silent
	}
	if !r.args.Background {
		r.log = r.tool.Processes.addToHistory(r.execution, r.args.Command)
	}
	initial, logged := r.out.moveToBackground(r.log.file)
	if !r.args.Background {
		r.tool.Processes.noteMove(r.log, logged)
	}
	go r.tool.Processes.watchExit(r.log)
	data := map[string]any{"pid": r.PID(), "command": r.args.Command, "initialOutput": initial}
	result := &tool.Result{Data: data}
	shown := fmt.Sprintf("Command moved to background (PID: %d).", r.PID())
	if r.tool.caller == user { // and the model gets the same text
		if initial != "" {
			shown += "\nOutput so far:\n" + initial
		}
		result.Content, result.Display = []llm.Part{llm.Text(shown)}, tool.TerminalDisplay(shown)
		return result
	}
	hasEnded := r.hasEnded()
	text, file := r.boundTokens(r.backgroundText(initial, hasEnded))
	if hasEnded {
		shown = strings.TrimPrefix(fmt.Sprintf("%s\nCommand %s (PID: %d).", initial, r.how().verb(), r.PID()), "\n")
		_, how := r.ending()
		maps.Copy(data, how)
	}
	result.Content, result.Display = []llm.Part{llm.Text(text)}, tool.TerminalDisplay(shown)
	result.OutputFile, result.IsOutputCut, result.Frame = file, r.text.IsCut(), r.frame()
	return result
}

// hasEnded reports whether the command itself has ended; others that it has started may run.
func (r *runningCall) hasEnded() bool {
	select {
	case <-r.Exited():
		return true
	default:
		return false
	}
}

func joinInts(ns []int) string {
	s := make([]string, len(ns))
	for i, n := range ns {
		s[i] = strconv.Itoa(n)
	}
	return strings.Join(s, ", ")
}
