package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"pollux/internal/charset"
	"pollux/internal/durable"
)

// maxAnswer is how much [Launcher.Ask] keeps of each stream, in bytes.
const maxAnswer = 64 << 10

// Ask runs a program that answers a short question, such as its version, and returns its
// output, at most 64 KiB of it, without surrounding white space. It sets Stdout and Stderr, and
// Dir to the directory of the program if it is empty. Processes that the program leaves running
// are killed.
//
// If the program fails, the error is the first line of its error output that begins with "Error:", else the first
// that is no warning. When ctx ends, the error is its cause.
func (l Launcher) Ask(ctx context.Context, c *Command) (string, error) {
	own := *c
	stdout, stderr := &Head{Max: maxAnswer}, &Head{Max: maxAnswer}
	own.Stdout, own.Stderr, own.sweep = stdout, stderr, true
	if own.Dir == "" {
		own.Dir = filepath.Dir(own.Path) // not one that a repository fills
	}
	status, err := l.Run(ctx, &own)
	text := stdout.Text()
	switch {
	case ctx.Err() != nil:
		return text, context.Cause(ctx)
	case err != nil:
		return text, fmt.Errorf("run %s: %w", &own, durable.Cause(err))
	case status == Status{}:
		return text, nil
	}
	if why := complaint(stderr.Text()); why != "" {
		return text, errors.New(why)
	}
	return text, fmt.Errorf("run %s: %s", &own, status)
}

// complaint returns the first line of an error output that says that it is an error, else the first one that is no warning.
func complaint(text string) string {
	first := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch lower := strings.ToLower(line); {
		case strings.HasPrefix(lower, "error:"):
			return line
		case first == "" && !strings.HasPrefix(lower, "warning"):
			first = line
		}
	}
	return cmp.Or(first, text)
}

// Head is a writer that keeps the beginning of its input. It is not safe for concurrent use.
type Head struct {
	Max   int // bytes to keep
	kept  []byte
	isCut bool
}

// Write keeps the beginning of p, as far as it fits, and reports all of p as written.
func (h *Head) Write(p []byte) (int, error) {
	n := min(max(h.Max-len(h.kept), 0), len(p))
	h.kept, h.isCut = append(h.kept, p[:n]...), h.isCut || n < len(p)
	return len(p), nil
}

// Bytes returns the kept bytes.
func (h *Head) Bytes() []byte { return h.kept }

// IsCut reports whether something did not fit.
func (h *Head) IsCut() bool { return h.isCut }

// Text returns the kept text as valid UTF-8, without surrounding white space.
func (h *Head) Text() string {
	return strings.TrimSpace(charset.Text(h.kept))
}
