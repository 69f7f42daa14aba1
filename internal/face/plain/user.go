package plain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"pollux/internal/crash"
	"pollux/internal/exit"
	"pollux/internal/extension"
	"pollux/internal/terminal"
)

// User asks questions on the terminal, or on standard input that a script fills: a line for each
// answer. At the end of the input the answer to every question is no.
type User struct {
	Terminal *terminal.Terminal
	input    *terminal.Input // nil before the first answer
	rest     []byte          // read, and not used yet
}

// Confirm implements install.User. The text goes to standard error, and the question to standard output,
// as in Gemini CLI.
func (u *User) Confirm(ctx context.Context, text, question string, byDefault bool) (bool, error) {
	if text != "" {
		fmt.Fprintln(u.Terminal.Err, u.Terminal.WrapErr(terminal.Visible(text)))
	}
	fmt.Fprint(u.Terminal.Out, terminal.Visible(question))
	answer, err := u.readLine(ctx)
	switch {
	case errors.Is(err, io.EOF):
		fmt.Fprintln(u.Terminal.Out)
		return false, nil
	case err != nil:
		return false, err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "":
		return byDefault, nil
	case "y", "yes":
		return true, nil
	}
	return false, nil
}

// Value implements install.User. What is typed for a sensitive setting is not shown.
func (u *User) Value(ctx context.Context, s extension.Setting) (string, bool, error) {
	text := terminal.Line(s.Name)
	if s.Description != "" {
		text += "\n" + terminal.Line(s.Description)
	}
	if s.IsSensitive && u.Terminal.InTTY {
		show, err := u.Terminal.HideInput()
		if err != nil {
			return "", false, exit.Errorf(exit.General, "Cannot hide the value while you type: %w. Use standard input.", err)
		}
		defer show()
		text += " (not shown)"
	}
	fmt.Fprint(u.Terminal.Out, u.Terminal.WrapOut(terminal.Visible(text))+": ")
	value, err := u.readLine(ctx)
	if errors.Is(err, io.EOF) {
		fmt.Fprintln(u.Terminal.Out)
		return "", false, nil
	}
	return strings.TrimRight(value, "\r"), err == nil, err
}

// Close releases standard input.
func (u *User) Close() {
	if u.input != nil {
		u.input.Close()
	}
}

// readLine reads a line. The error is [io.EOF] if there is none, or the cause of ctx.
func (u *User) readLine(ctx context.Context) (string, error) {
	type result struct {
		text string
		err  error
	}
	if u.input == nil {
		u.input = u.Terminal.Input()
	}
	read := make(chan result, 1)
	go func() {
		defer crash.Recover()
		text, err := u.nextLine()
		read <- result{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case r := <-read:
		return r.text, r.err
	}
}

// nextLine reads the input to the end of a line.
func (u *User) nextLine() (string, error) {
	buf := make([]byte, 4096)
	for {
		if line, rest, ok := bytes.Cut(u.rest, []byte("\n")); ok {
			u.rest = rest
			return string(line), nil
		}
		if len(u.rest) > maxTyped {
			return "", fmt.Errorf("the line is longer than %d KB", maxTyped>>10)
		}
		n, err := u.input.Read(buf)
		u.rest = append(u.rest, buf[:n]...)
		switch {
		case errors.Is(err, io.EOF) && len(u.rest) > 0:
			u.rest = append(u.rest, '\n')
		case err != nil:
			return "", err
		}
	}
}
