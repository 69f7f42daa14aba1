// Package exit holds the ways in which Pollux ends badly: the exit codes that
// scripts rely on (spec/cli.md §6.7) and the error that carries one. Packages
// that know why a run cannot go on return an [*Error]; internal/cli, and no
// one else, turns it into the end of the process.
package exit

import (
	"context"
	"errors"
	"fmt"
)

// Code is a process exit status.
type Code int

// The exit codes.
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
	Terminated  Code = 143
)

// Error is an error that ends the run with a code of its own.
type Error struct {
	Code Code
	// Type is what machine-readable output calls it; "" for the usual name of
	// the code (spec/cli.md §6.5).
	Type string
	// Message is for the user, whole: what, why, what next.
	Message string
	Err     error // the cause, if any
}

// Errorf returns an [*Error] with this code.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Err: errors.Unwrap(err)}
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the exit code for err: its own, if it has one.
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

// TypeOf returns the name of err's class in machine-readable output.
func TypeOf(err error) string {
	var e *Error
	if errors.As(err, &e) && e.Type != "" {
		return e.Type
	}
	switch CodeOf(err) {
	case Auth:
		return "FatalAuthenticationError"
	case Input:
		return "FatalInputError"
	case Sandbox:
		return "FatalSandboxError"
	case Config:
		return "FatalConfigError"
	case TurnLimit:
		return "FatalTurnLimitedError"
	case Tool:
		return "FatalToolExecutionError"
	case Untrusted:
		return "FatalUntrustedWorkspaceError"
	case HungUp, Interrupted, Terminated:
		return "FatalCancellationError"
	}
	return "Error"
}
