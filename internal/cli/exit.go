package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"pollux/internal/exit"
	"pollux/internal/face/headless"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
)

// finish prints the error of a run in the output format of the run and returns the
// exit code. If a signal cancelled ctx, finish returns the exit code of the signal, and
// prints the signal's message instead of an error that the user has not seen. finish
// prints nothing if standard output is closed.
func (p *program) finish(ctx context.Context, err error) exit.Code {
	if p.closed.isClosed.Load() {
		return exit.OK // standard output has no reader
	}
	if err == nil {
		if writeErr := p.closed.writeErr.Load(); writeErr != nil {
			err = exit.Errorf(exit.General, "Cannot write the answer: %w", *writeErr)
			p.line(err.Error())
			return exit.General
		}
		return exit.OK
	}
	var signalled *exit.Error
	stopped := errors.As(context.Cause(ctx), &signalled)
	if stopped && !exit.WasShown(err) {
		err = signalled
	}
	code := exit.CodeOf(err)
	if stopped {
		code = signalled.Code
	}
	if !exit.WasShown(err) {
		p.report(err)
	}
	return code
}

// report prints an error in the output format of the run.
func (p *program) report(err error) {
	if p.id == "" {
		p.id = uuid.NewString()
	}
	headless.RenderError(headless.Options{
		Format: headless.Format(p.format), Out: p.term.Out, Err: p.term.Err, ErrWidth: p.term.ErrWidth, Color: p.term.ErrColor(), SessionID: p.id,
	}, err, isForPeople(err))
}

// isForPeople reports whether Gemini CLI prints an error as a line to stderr even if the format
// is json: a wrong command line, a configuration error or a trust error.
func isForPeople(err error) bool {
	var usage *usageError
	code := exit.CodeOf(err)
	return errors.As(err, &usage) || code == exit.Config || code == exit.Untrusted
}

// line prints a message to stderr, wrapped if stderr is a terminal, and in red if it supports
// color.
func (p *program) line(message string) {
	message = p.term.WrapErr(terminal.Visible(message))
	if p.term.ErrColor() {
		fmt.Fprintln(p.term.Err.Styled(), terminal.Style(terminal.Red, message))
		return
	}
	fmt.Fprintln(p.term.Err, message)
}

// printNote prints a warning or a note to standard error, in a length that people read. It ignores write
// errors.
func printNote(t *terminal.Terminal, text string) { printWhole(t, terminal.Brief(text)) }

// printWhole prints a text that the user must see as a whole to standard error, such as a consent text.
func printWhole(t *terminal.Terminal, text string) {
	fmt.Fprintln(t.Err, t.WrapErr(terminal.Visible(text)))
}

// printJSON prints a value as indented JSON to standard output.
func printJSON(t *terminal.Terminal, v any) error {
	return outcome.Encode(t.Out.JSON(), v)
}
