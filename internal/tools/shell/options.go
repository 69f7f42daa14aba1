package shell

import (
	"context"
	"time"

	"pollux/internal/process"
	"pollux/internal/secret"
)

// Workspace resolves and checks the directories that commands run in.
type Workspace interface {
	// Root returns the absolute path of the default directory.
	Root() string
	// Resolve returns the absolute form of a path from a tool call.
	Resolve(path string) string
	// CheckWrite returns an error if commands may not run in the directory.
	CheckWrite(abs string) error
}

// Options configure the shell tool. Workspace and Processes are required.
type Options struct {
	Workspace Workspace
	// Environ is the environment that commands inherit, as "NAME=value". Redact removes
	// secret variables from it.
	Environ []string
	Redact  secret.Redaction
	// Trusted reports whether the folder is trusted, so that git uses the user's
	// configuration and the project's hooks. nil means that it is not.
	Trusted func() bool
	// InactivityTimeout ends a command that prints nothing for this long. Zero or less
	// means no limit.
	InactivityTimeout time.Duration
	// BackgroundAfter moves a model's command to the background that runs for this long, if the model can read on.
	// Zero or less moves none.
	BackgroundAfter time.Duration
	// CanReadOn reports whether read_background_output is declared to the model; nil means that it
	// is. If it is not, the result names the file with the output.
	CanReadOn func() bool
	// Keys, if set, returns the variables of Environ that hold secrets. A call
	// that neither the user nor a rule of theirs has allowed does not get them.
	Keys func() []string
	// EndsWithAnswer tells the model that what it starts in the background ends with its answer: no person goes on with the session.
	EndsWithAnswer bool
	// Debug shows the user the text that the model gets.
	Debug bool
	// Parallel returns the beginnings of commands that may run beside other calls although they are not known to
	// only read; nil returns none.
	Parallel func() []string
	// RefuseSubstitution refuses a model's commands with a substitution, as Gemini CLI does.
	RefuseSubstitution bool
	// Advise returns advice about the end of the output of a command that was refused something by a sandbox, "" for none.
	// nil is for no sandbox.
	Advise func(ctx context.Context, output string, hasFailed bool) string
	// AsksForMore gives calls the parameter additional_permissions.
	AsksForMore bool
	// AnyOutput leaves out the advice to keep the output of commands small.
	AnyOutput bool
	// Pager is the value of PAGER and GIT_PAGER for the commands of a person; "" is cat.
	Pager string
	// Outside, if set, starts a command in a terminal of the program around Pollux, beside the launcher, the sandbox and the
	// environment of commands. It is for calls that the user has allowed, while MayRunOutside returns true.
	Outside       func(ctx context.Context, c process.HostCommand) (*process.HostTerminal, error)
	MayRunOutside func() bool
	// Launcher starts commands.
	Launcher process.Launcher
	// Processes is the table of the session's commands.
	Processes *Processes
}
