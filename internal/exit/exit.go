// Package exit defines the exit codes that scripts rely on, and the error that carries one. A
// package that knows why a run must end returns an [*Error]; only internal/cli turns it into
// the end of the process.
package exit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// Code is a process exit status.
type Code int

// The exit codes. They are those of Gemini CLI, and 128 plus the signal number for signals.
const (
	OK          Code = 0
	General     Code = 1
	Auth        Code = 41
	Input       Code = 42
	Sandbox     Code = 44
	Config      Code = 52
	TurnLimit   Code = 53
	Tool        Code = 54
	Untrusted   Code = 55
	HungUp      Code = 129
	Interrupted Code = 130
	Quit        Code = 131
	Aborted     Code = 134
	Terminated  Code = 143
)

// Error is an error that ends the run with a given exit code.
type Error struct {
	Code Code
	// Type is the error's type in machine-readable output. If it is empty, [TypeOf] derives it
	// from Code.
	Type string
	// Message is the complete text for the user: the problem, its cause and the next step.
	Message string
	// Summary is Message on one line, for machine-readable output and within other sentences.
	// It is empty if Message is one line itself.
	Summary string
	Err     error // the cause, if any
}

// Errorf returns an [*Error] with this code and a formatted message. An error formatted with
// %w becomes its Err.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Err: errors.Unwrap(err)}
}

// Error returns the summary, or the message if there is none.
func (e *Error) Error() string { return cmp.Or(e.Summary, e.Message) }

func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the exit code for err: the code of an [*Error] in its chain, [Interrupted]
// for [context.Canceled], [General] for other errors, [OK] for nil.
func CodeOf(err error) Code {
	var e *Error
	switch {
	case err == nil:
		return OK
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, context.Canceled):
		return Interrupted
	}
	return General
}

// TypeOf returns the name of err's type in machine-readable output, such as "FatalInputError";
// "Error" for errors without a special type. As in Gemini CLI, [Auth] has none.
func TypeOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok && e.Type != "" {
		return e.Type
	}
	return cmp.Or(map[Code]string{
		Input: "FatalInputError", Sandbox: "FatalSandboxError", Config: "FatalConfigError", TurnLimit: "FatalTurnLimitedError",
		Tool: "FatalToolExecutionError", Untrusted: "FatalUntrustedWorkspaceError",
		HungUp: "FatalCancellationError", Interrupted: "FatalCancellationError", Terminated: "FatalCancellationError",
	}[CodeOf(err)], "Error")
}

// Shown is an error that the user has been shown: only its exit code counts from
// there on.
type Shown struct{ Err error }

func (e *Shown) Error() string { return e.Err.Error() }

// Unwrap returns the error itself.
func (e *Shown) Unwrap() error { return e.Err }

// WasShown reports whether the user has been shown err.
func WasShown(err error) bool {
	var shown *Shown
	return errors.As(err, &shown)
}
