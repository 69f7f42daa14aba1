package plain

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"pollux/internal/crash"
	"pollux/internal/exit"
	"pollux/internal/terminal"
)

// ReadKey reads an API key for a provider from standard input. On a terminal it prints a prompt, hides the input
// and reads one line. Otherwise it reads all of standard input. It trims white space from both ends. name is the
// provider as the person named it.
func ReadKey(ctx context.Context, t *terminal.Terminal, label, name string) (string, error) {
	if t.InTTY {
		show, err := t.HideInput()
		if err != nil {
			return "", exit.Errorf(exit.General, "Cannot hide the key while you type: %w. Use standard input.", err)
		}
		defer show()
		fmt.Fprint(t.Err, t.WrapErr(fmt.Sprintf("API key for %s (not shown): ", terminal.Visible(label))))
	}
	input := t.Input()
	defer input.Close()
	type line struct {
		text []byte
		err  error
	}
	lines := make(chan line, 1)
	go func() {
		defer crash.Recover()
		limit := t.LineLimit()
		text, err := readInput(input, t.InTTY)
		if limit > 0 && len(text) >= limit {
			err = fmt.Errorf("the terminal cuts lines at %d bytes; give the key as standard input, as in: pollux auth set < key.txt", limit)
		}
		lines <- line{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case got := <-lines:
		key := strings.TrimSpace(string(got.text))
		switch {
		case got.err != nil:
			return "", exit.Errorf(exit.Input, "Cannot read the key: %w.", got.err)
		case key == "":
			return "", exit.Errorf(exit.Input, "No key was entered. Type it, or use standard input: pollux auth set %s < key.txt", terminal.Visible(cmp.Or(name, "PROVIDER")))
		}
		return key, nil
	}
}

// maxTyped is the maximum size of the input for a key, in bytes. The
// store of keys checks the key itself.
const maxTyped = 64 << 10

// readInput reads r to its end, or only the first line if the input is typed. It returns an
// error for an input larger than maxTyped.
func readInput(r io.Reader, typed bool) ([]byte, error) {
	var all []byte
	buf := make([]byte, 4096)
	for len(all) <= maxTyped {
		n, err := r.Read(buf)
		all = append(all, buf[:n]...)
		if end := bytes.IndexByte(all, '\n'); typed && end >= 0 {
			return all[:end], nil
		}
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("it is larger than %d KB", maxTyped>>10)
}
