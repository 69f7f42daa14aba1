//go:build unix

package shell

import (
	"context"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"pollux/internal/process"
)

// killGrace is the time between SIGTERM and SIGKILL.
const killGrace = 200 * time.Millisecond

// job describes a command to run.
type job struct {
	origin  process.Origin
	shell   string // path of bash or sh
	command string
	dir     string
	env     []string
	idle    time.Duration  // end the command after this time without output; 0 is never
	screen  Screen         // of its pseudo-terminal, nil for pipes
	pause   *process.Pause // nil if no call waits for it
}

// execution is a started command with all of its processes.
type execution struct {
	*process.Process
	out        *output
	screen     Screen      // of its pseudo-terminal, nil for pipes
	endsGroup  sync.Once   // see endGroup
	isOverTime atomic.Bool // it ran in the background for longer than timeout_seconds
	asked      asked

	reports   sync.Once // see report
	left      []int
	pipeCodes []string

	isAwaited bool          // a call waits for the command, and can leave it to the background; guarded by Processes.mu
	sent      chan struct{} // closed when the person sends the command to the background
}

// start starts j. Cancelling ctx does not end the command, because it may move to the
// background.
func start(ctx context.Context, launcher process.Launcher, j job, out *output) (*execution, error) {
	c := &process.Command{
		For:  process.Purpose{Kind: process.KindShell, Origin: j.origin},
		Name: name, Path: j.shell, Args: shellArgs(j), Dir: j.dir,
		Env:    append(j.env[:len(j.env):len(j.env)], "PWD="+j.dir),
		Stdout: out, Stderr: out,
		Gate: j.isBash(), Grace: killGrace, Idle: j.idle, Pause: j.pause,
	}
	if j.screen != nil {
		size := j.screen.Size()
		c.Stdout, c.Stderr, c.Terminal = &shownOutput{out, j.screen}, nil, &size
	}
	p, err := launcher.Start(context.WithoutCancel(ctx), c)
	if err != nil {
		return nil, err
	}
	if j.screen != nil {
		j.screen.Started(p)
	}
	return &execution{Process: p, out: out, screen: j.screen, sent: make(chan struct{})}, nil
}

// closeScreen closes the screen of the command, if it has one.
func (p *execution) closeScreen() {
	if p.screen != nil {
		p.screen.Close()
	}
}

// endGroup passes SIGINT, SIGTERM or SIGKILL that has ended the shell on to the processes of its group, once: the PID
// of a background command is that of the shell around it, and kill with this PID is meant for the command. Processes
// that have left the group, such as a daemon that setsid starts, go on.
func (p *execution) endGroup() {
	p.endsGroup.Do(func() {
		switch signal := p.Status().Signal; signal {
		case syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL:
			if !p.isStopped() {
				p.SignalGroup(signal)
				p.GroupStays() // else the report of the command may name processes that are about to end
			}
		}
	})
}

// Stop implements [process.Process.Stop], which itself ends the group.
func (p *execution) Stop(ctx context.Context, grace time.Duration) {
	p.endsGroup.Do(func() {})
	p.Process.Stop(ctx, grace)
}

// report returns the processes that a command which has ended left running, and the exit codes of its last pipe if it has
// worked while a part of the pipe failed. The script around the command reports them at its end.
func (p *execution) report() (left []int, pipe []string) {
	p.reports.Do(func() {
		var words []string
		p.left, words = p.Left()
		if p.Status() == (process.Status{}) {
			p.pipeCodes = pipeCodes(words)
		}
	})
	return p.left, p.pipeCodes
}

// isStopped reports whether the command was asked to end.
func (p *execution) isStopped() bool {
	select {
	case <-p.Stopped():
		return true
	default:
		return false
	}
}

func (j job) isBash() bool { return filepath.Base(j.shell) == "bash" }

// shellArgs returns the arguments of the shell. Linux limits an argument to 128 KiB, and a
// command with a here-document may be longer: the shell then joins it from several.
func shellArgs(j job) []string {
	const maxLen = 120_000
	rest := script(j)
	if len(rest) <= maxLen {
		return []string{"-c", rest}
	}
	whole := `eval "set --; `
	args := []string{"-c", "", j.shell}
	for i := 1; rest != ""; i++ {
		n := min(maxLen, len(rest))
		args = append(args, rest[:n])
		rest = rest[n:]
		whole += "${" + strconv.Itoa(i) + "}"
	}
	args[1] = whole + `"`
	return args
}

// script returns the text that the shell runs: the command in a subshell that reports its
// background processes, and in bash the exit codes of its last pipe, when it exits. The command has lines of its own, so that a
// here-document or comment in it does not swallow the closing parenthesis. Everything that
// Pollux adds before it is on the first line, which bash does not show in error messages;
// their line numbers are therefore one too high.
func script(j job) string {
	fd := strconv.Itoa(process.ReportFD)
	// The end of the shell is no hang-up for the processes that the command leaves running, as it is none without a terminal.
	prefix := ""
	if j.screen != nil {
		prefix = "trap '' HUP; "
	}
	if j.isBash() {
		text := prefix + "shopt -u promptvars nullglob extglob nocaseglob dotglob; "
		// The command waits until the launcher has made sure that it cannot outlive Pollux.
		gate := strconv.Itoa(process.GateFD)
		text += "read -r -u " + gate + " _ || exit; exec " + gate + "<&-; "
		// The exit codes of the last pipe are reported as words such as p1.
		return text + `(trap 'echo "${PIPESTATUS[@]/#/p}" >&` + fd + "; jobs -p 2>/dev/null >&" + fd + "' EXIT\n" + j.command + "\n)"
	}
	// Other shells support only descriptors of one digit.
	return prefix + "(trap 'jobs -p 2>/dev/null >/dev/fd/" + fd + "' EXIT\n" + j.command + "\n)"
}
