package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"pollux/internal/crash"
	"pollux/internal/exit"
	"pollux/internal/terminal"
)

// askConsent prints a text and asks the user to agree to it. A line without an answer agrees, and the end of
// the input does not.
func askConsent(ctx context.Context, t *terminal.Terminal, text string) (bool, error) {
	if err := printText(t, text); err != nil {
		return false, err
	}
	fmt.Fprint(t.Out, "Do you want to continue? [Y/n]: ")
	input := t.Input()
	defer input.Close()
	type line struct {
		text string
		err  error
	}
	lines := make(chan line, 1)
	go func() {
		defer crash.Recover()
		const most = 4096
		answer, err := bufio.NewReader(io.LimitReader(input, most)).ReadString('\n')
		lines <- line{answer, err}
	}()
	select {
	case <-ctx.Done():
		return false, context.Cause(ctx)
	case got := <-lines:
		if !strings.HasSuffix(got.text, "\n") || !t.InTTY {
			fmt.Fprintln(t.Out)
		}
		if got.err != nil && !errors.Is(got.err, io.EOF) {
			return false, exit.Errorf(exit.Input, "Cannot read the answer: %w.", got.err)
		}
		switch strings.ToLower(strings.TrimSpace(got.text)) {
		case "y", "yes":
			return true, nil
		case "":
			return got.err == nil, nil
		}
		return false, nil
	}
}
