package shell

import (
	"io"

	"pollux/internal/process"
)

// Console shows commands in pseudo-terminals to a person, who can type into them. [Processes.SetConsole] connects it.
type Console interface {
	// Open returns the screen of a command that is about to start, nil to run the command on pipes.
	Open(command string) Screen
}

// Screen shows a person the pseudo-terminal of one command. Its methods may be called from any goroutine.
type Screen interface {
	// Write takes output of the terminal, as the command has written it.
	io.Writer
	// Size returns the size of the terminal at the start of the command.
	Size() process.TerminalSize
	// Started connects the screen with the running command. Output may come before it.
	Started(p *process.Process)
	// Hide notes that the command runs on in the background, where the person looks at it only on request.
	Hide()
	// Close ends the screen, because the command has ended. It may be called again.
	Close()
}

// shownOutput passes the output of a terminal on to the result and to the screen.
type shownOutput struct {
	*output
	screen Screen
}

// Write implements [io.Writer]. It never fails. Binary output closes the screen.
func (o *shownOutput) Write(p []byte) (int, error) {
	_, _ = o.output.Write(p)
	if o.binarySize() > 0 {
		o.screen.Close()
	} else {
		_, _ = o.screen.Write(p)
	}
	return len(p), nil
}
