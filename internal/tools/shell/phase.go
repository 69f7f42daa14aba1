package shell

import (
	"errors"
	"strconv"
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
	case p.Signal != 0:
		return "ended by " + p.Signal.String()
	}
	return "exited with " + strconv.Itoa(p.Code)
}
