package process

import "context"

// HostCommand is a command for a terminal of the program around Pollux, its host.
type HostCommand struct {
	CallID string // of the tool call that it belongs to
	Path   string // of the program
	Args   []string
	Env    []string // variables beside those of the host, as NAME=value
	Dir    string
	Limit  int // bytes of output that the host keeps: the last ones
}

// HostTerminal is a terminal of a program around Pollux, such as an editor, in which that program runs a command. It is no
// process of Pollux: no launcher starts it, and nothing confines it. Its functions ask the host.
type HostTerminal struct {
	// Output returns the output so far.
	Output func(ctx context.Context) (HostOutput, error)
	// Wait waits for the end of the command.
	Wait func(ctx context.Context) (HostExit, error)
	// Kill ends the command. The terminal still has its output.
	Kill func(ctx context.Context) error
	// Release ends the command, and gives the terminal back. It is called once, as the last one.
	Release func(ctx context.Context) error
}

// HostOutput is the output of a command. IsCut reports that the host has dropped its beginning.
type HostOutput struct {
	Text  string
	IsCut bool
}

// HostExit is how a command ended: with a code, or by a signal, such as SIGTERM. Both can be unknown.
type HostExit struct {
	Code   *int
	Signal string
}
