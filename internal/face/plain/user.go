package plain

import (
	"bufio"
	"cmp"
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
	lines    *bufio.Reader
}

// maxTyped is the maximum size of an answer, in bytes.
const maxTyped = 64 << 10

// Confirm implements install.User. As in Gemini CLI, the text goes to Err, and the question to Out.
func (u *User) Confirm(ctx context.Context, text, question string, byDefault bool) (bool, error) {
	if text != "" {
		fmt.Fprintln(u.Terminal.Err, u.Terminal.WrapErr(terminal.Visible(text)))
	}
	fmt.Fprint(u.Terminal.Out, terminal.Visible(question))
	answer, err := u.read(ctx, readTyped)
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

// Value implements install.User. It hides the input for a sensitive setting.
func (u *User) Value(ctx context.Context, s extension.Setting) (string, bool, error) {
	text := terminal.Line(s.Name)
	if s.Description != "" {
		text += "\n" + terminal.Line(s.Description)
	}
	if s.IsSensitive && u.Terminal.InTTY {
		show, err := u.hideInput("value")
		if err != nil {
			return "", false, err
		}
		defer show()
		text += " (not shown)"
	}
	fmt.Fprint(u.Terminal.Out, u.Terminal.WrapOut(terminal.Visible(text))+": ")
	value, err := u.read(ctx, readTyped)
	if errors.Is(err, io.EOF) {
		fmt.Fprintln(u.Terminal.Out)
		return "", false, nil
	}
	return strings.TrimRight(value, "\r"), err == nil, err
}

// Key reads an API key for a provider. On a terminal it prints a prompt, hides the input and reads one line. Otherwise
// it reads all of standard input. It trims white space from both ends. name is the provider as the person named it.
func (u *User) Key(ctx context.Context, label, name string) (string, error) {
	readKey := readAll
	if u.Terminal.InTTY {
		readKey = readTyped
		show, err := u.hideInput("key")
		if err != nil {
			return "", err
		}
		defer show()
		fmt.Fprint(u.Terminal.Err, u.Terminal.WrapErr(fmt.Sprintf("API key for %s (not shown): ", terminal.Visible(label))))
	}
	key, err := u.read(ctx, readKey)
	if limit := u.Terminal.LineLimit(); limit > 0 && len(key) >= limit {
		err = fmt.Errorf("the terminal cuts lines at %d bytes; give the key as standard input, as in: pollux auth set < key.txt", limit)
	}
	key = strings.TrimSpace(key)
	switch {
	case ctx.Err() != nil && err != nil:
		return "", err
	case err != nil && !errors.Is(err, io.EOF):
		return "", exit.Errorf(exit.Input, "Cannot read the key: %w.", err)
	case key == "":
		return "", exit.Errorf(exit.Input, "No key was entered. Type it, or use standard input: pollux auth set %s < key.txt", terminal.Visible(cmp.Or(name, "PROVIDER")))
	}
	return key, nil
}

func (u *User) hideInput(name string) (show func(), err error) {
	if show, err = u.Terminal.HideInput(); err != nil {
		return nil, exit.Errorf(exit.General, "Cannot hide the %s while you type: %w. Use standard input.", name, err)
	}
	return show, nil
}

// Close releases standard input.
func (u *User) Close() {
	if u.input != nil {
		u.input.Close()
	}
}

// read calls f with the input, and returns its results, or the cause of ctx if ctx ends first.
func (u *User) read(ctx context.Context, f func(*bufio.Reader) (string, error)) (text string, err error) {
	if u.input == nil {
		u.input = u.Terminal.Input()
		u.lines = bufio.NewReaderSize(u.input, maxTyped)
	}
	done := make(chan struct{})
	var got string
	var failure error
	go func() {
		defer crash.Recover()
		defer close(done)
		got, failure = f(u.lines)
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-done:
		return got, failure
	}
}

// readTyped reads a line. The error is [io.EOF] if there is none.
func readTyped(r *bufio.Reader) (string, error) {
	line, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", fmt.Errorf("the line is longer than %d KB", maxTyped>>10)
	case errors.Is(err, io.EOF) && len(line) > 0:
		err = nil
	}
	return strings.TrimSuffix(string(line), "\n"), err
}

func readAll(r *bufio.Reader) (string, error) {
	all, err := io.ReadAll(io.LimitReader(r, maxTyped+1))
	if err == nil && len(all) > maxTyped {
		err = fmt.Errorf("it is larger than %d KB", maxTyped>>10)
	}
	return string(all), err
}
