package shell

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"
)

// ErrNoProcess is the error about a number that is not that of a background command.
var ErrNoProcess = errors.New("no such background process")

// Phase describes for people whether a background command runs or how it has ended, as "running" or "exited with 1".
func (p *Process) Phase() string {
	switch {
	case !p.Exited:
		return "running"
	case p.IsOrphan:
		return "ended after Pollux had"
	}
	return p.how().phase()
}

// Ended returns how a background command has ended, as "has ended with exit code 1" or "was ended by SIGTERM". It is for commands that have ended,
// and of which that is known.
func (p *Process) Ended() string { return p.how().verb() }

// HasWorked reports whether a background command that has ended did so by itself and without an error, also in a pipe.
func (p *Process) HasWorked() bool { return p.how().isSuccess() }

// ending is how a command has ended.
type ending struct {
	code   int
	signal syscall.Signal // the signal that has ended it, 0 for none
	pipe   []string       // the exit codes of a pipe in which a command has failed, although the last one worked
	reason string         // why Pollux has ended it, "" if it has not
}

// isSuccess reports whether the command has ended by itself and without an error.
func (e ending) isSuccess() bool {
	return e.code == 0 && e.signal == 0 && len(e.pipe) == 0 && e.reason == ""
}

// verb returns the ending as the verb of a sentence about the command.
func (e ending) verb() string {
	switch {
	case e.reason != "":
		return "was ended because " + e.reason
	case e.signal != 0:
		return "was ended by " + signalName(e.signal)
	case len(e.pipe) > 0:
		return "has ended with exit codes " + strings.Join(e.pipe, ", ") + " in the pipe"
	}
	return "has ended with exit code " + describeCode(e.code)
}

// label returns the ending as a few words in parentheses, for a list.
func (e ending) label() string {
	switch {
	case e.reason != "":
		return "(ended because " + e.reason + ")"
	case e.signal != 0:
		return fmt.Sprintf("(Signal: %d)", e.signal)
	case len(e.pipe) > 0:
		return "(" + pipeText(e.pipe) + ")"
	}
	return fmt.Sprintf("(Exit Code: %d)", e.code)
}

// phase returns the ending in a few words for people.
func (e ending) phase() string {
	switch {
	case e.reason != "":
		return "ended because " + e.reason
	case e.signal != 0:
		return "ended by " + e.signal.String()
	case len(e.pipe) > 0:
		return "exited with " + strings.Join(e.pipe, ", ") + " in the pipe"
	}
	return "exited with " + strconv.Itoa(e.code)
}

// describeCode returns an exit code, with the signal that it stands for, if it does.
func describeCode(code int) string {
	if name := signalName(syscall.Signal(code - 128)); code > 128 && name != "" {
		return fmt.Sprintf("%d (128 + %s)", code, name)
	}
	return strconv.Itoa(code)
}

// pipeText returns a few words about the exit codes of a pipe.
func pipeText(codes []string) string { return "Exit Codes in the pipe: " + strings.Join(codes, ", ") }
