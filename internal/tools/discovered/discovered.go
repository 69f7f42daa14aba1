// Package discovered makes tools of a project's own programs: one command lists
// them, another runs them (spec/tools.md §2.5).
package discovered

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"pollux/tool"
)

// Options say what to run, and where.
type Options struct {
	// Discovery is the command that lists the tools (tools.discoveryCommand),
	// Call the one that runs a tool (tools.callCommand). Neither goes through a
	// shell. Both are the user's: whoever sets them in a folder that is not
	// trusted is somebody else.
	Discovery, Call string
	Dir             string   // to run them in
	Environ         []string // of both, "NAME=value"

	// Timeout bounds the listing; 0 is a minute.
	Timeout time.Duration
}

// maxListing is how much a listing may print, in bytes.
const maxListing = 10 << 20

// Discover runs the command that lists tools and returns them in its order. Of
// several tools of one name each comes: the last is meant.
func Discover(ctx context.Context, o Options) ([]tool.Tool, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	listing, err := o.list(ctx)
	if err != nil {
		return nil, err
	}
	declarations, err := parse(listing)
	if err != nil {
		return nil, err
	}
	tools := make([]tool.Tool, len(declarations))
	for i, d := range declarations {
		tools[i] = newTool(o, d)
	}
	return tools, nil
}

// Check says what keeps the options from being of any use, without running anything.
func (o Options) Check() error {
	if strings.TrimSpace(o.Call) == "" {
		return errors.New("tools.callCommand is not set: the tools of tools.discoveryCommand could not be called")
	}
	_, err := o.lister()
	return err
}

// lister returns the words of the discovery command.
func (o Options) lister() ([]string, error) {
	argv, err := o.words(o.Discovery)
	if err != nil {
		return nil, fmt.Errorf("tools.discoveryCommand: %w", err)
	}
	if len(argv) == 0 {
		//lint:ignore ST1005 scripts know the text
		return nil, errors.New("Tool discovery command is empty or contains only whitespace.")
	}
	return argv, nil
}

// list returns what the discovery command prints. The texts of its errors are
// known to scripts, up to a colon.
func (o Options) list(ctx context.Context) ([]byte, error) {
	argv, err := o.lister()
	if err != nil {
		return nil, err
	}
	timeout := o.Timeout
	if timeout == 0 {
		timeout = time.Minute
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("it had not ended after %v", timeout))
	defer cancel()
	ctx, tooMuch := context.WithCancelCause(ctx)
	defer tooMuch(nil)
	//lint:ignore ST1005 scripts know the text
	errTooMuch := fmt.Errorf("Tool discovery command output exceeded size limit of %d bytes.", maxListing)
	stdout := &limited{over: func() { tooMuch(errTooMuch) }}
	stderr := &limited{over: func() { tooMuch(errTooMuch) }}

	end := o.run(ctx, program{argv: argv, stdout: stdout, stderr: stderr})
	switch {
	case stdout.full || stderr.full:
		return nil, errTooMuch
	case ctx.Err() != nil:
		//lint:ignore ST1005 of one kind with the others
		return nil, fmt.Errorf("Tool discovery command failed: %w", context.Cause(ctx))
	case end.err != nil:
		//lint:ignore ST1005 of one kind with the others
		return nil, fmt.Errorf("Tool discovery command failed: %w", end.err)
	case end.signal != "":
		//lint:ignore ST1005 of one kind with the others
		return nil, fmt.Errorf("Tool discovery command failed: killed by %s%s", end.signal, lastLine(stderr.buf))
	case end.code != 0:
		//lint:ignore ST1005 scripts know the text
		return nil, fmt.Errorf("Tool discovery command failed with exit code %d%s", end.code, lastLine(stderr.buf))
	}
	return stdout.buf, nil
}

// lastLine is the last thing that a command complained about, as the rest of
// an error.
func lastLine(stderr []byte) string {
	text := strings.TrimSpace(tool.Last(string(stderr), 500))
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	if text == "" {
		return ""
	}
	return ": " + strings.ToValidUTF8(text, "\uFFFD")
}

// limited takes what a listing may print, and says so once if there is more.
type limited struct {
	buf  []byte
	full bool
	over func()
}

func (l *limited) Write(p []byte) (int, error) {
	room := maxListing - len(l.buf)
	l.buf = append(l.buf, p[:min(room, len(p))]...)
	if len(p) > room && !l.full {
		l.full = true
		l.over()
	}
	return len(p), nil
}
