// Package discovered makes tools from a project's own programs: one configured command lists
// the tools, and another runs them.
package discovered

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"pollux/internal/charset"
	"pollux/internal/process"
	"pollux/internal/secret"
	"pollux/tool"
)

// Options configure which commands run, and where.
type Options struct {
	// Discovery is the command that lists the tools (tools.discoveryCommand), Call the
	// command that runs a tool (tools.callCommand). Neither runs in a shell. Callers must
	// not take them from the settings of an untrusted folder.
	Discovery, Call string
	Dir             string   // working directory of both commands
	Environ         []string // environment of both commands, as "NAME=value"
	// Secrets, if set, returns the variables of Environ that the discovery command does not get.
	Secrets func() []string

	// Launcher starts both commands, which Origin has configured.
	Launcher process.Launcher
	Origin   process.Origin

	// Timeout limits the duration of Discovery; 0 means one minute.
	Timeout time.Duration
}

// maxListing limits the output of the discovery command, in bytes.
const maxListing = 10 << 20

// Discover runs o.Discovery and returns the tools in the order of the listing. If several
// tools have the same name, it returns all of them, and the caller must use the last.
func Discover(ctx context.Context, o Options) ([]tool.Tool, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	listing, err := o.list(ctx)
	if err != nil {
		return nil, err
	}
	declarations, err := parseListing(listing)
	if err != nil {
		return nil, err
	}
	tools := make([]tool.Tool, len(declarations))
	for i, d := range declarations {
		tools[i] = newTool(o, d)
	}
	return tools, nil
}

// Check returns an error if one of the commands is missing or malformed. It runs nothing.
func (o Options) Check() error {
	if strings.TrimSpace(o.Call) == "" {
		return errors.New("tools.callCommand is not set: the tools of tools.discoveryCommand could not be called")
	}
	_, err := o.discoveryWords()
	return err
}

func (o Options) discoveryWords() ([]string, error) {
	argv, err := o.splitWords(o.Discovery)
	if err != nil {
		return nil, fmt.Errorf("tools.discoveryCommand: %w", err)
	}
	if len(argv) == 0 {
		//lint:ignore ST1005 scripts depend on the text
		return nil, errors.New("Tool discovery command is empty or contains only whitespace.")
	}
	return argv, nil
}

// list runs the discovery command and returns its output. Scripts depend on the texts of the
// errors, up to a colon.
func (o Options) list(ctx context.Context) ([]byte, error) {
	argv, err := o.discoveryWords()
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
	//lint:ignore ST1005 scripts depend on the text
	errTooMuch := fmt.Errorf("Tool discovery command output exceeded size limit of %d bytes.", maxListing)
	stdout := &limitedBuffer{onOverflow: func() { tooMuch(errTooMuch) }}
	stderr := &limitedBuffer{onOverflow: func() { tooMuch(errTooMuch) }}

	lists := o
	if o.Secrets != nil {
		lists.Environ = secret.Without(o.Environ, o.Secrets())
	}
	end := lists.run(ctx, program{argv: argv, stdout: stdout, stderr: stderr})
	switch {
	case stdout.isFull || stderr.isFull:
		return nil, errTooMuch
	case ctx.Err() != nil:
		//lint:ignore ST1005 starts like the other errors
		return nil, fmt.Errorf("Tool discovery command failed: %w", context.Cause(ctx))
	case end.err != nil:
		//lint:ignore ST1005 starts like the other errors
		return nil, fmt.Errorf("Tool discovery command failed: %w", end.err)
	case end.signal != "":
		//lint:ignore ST1005 starts like the other errors
		return nil, fmt.Errorf("Tool discovery command failed: killed by %s%s", end.signal, lastLine(stderr.buf))
	case end.code != 0:
		//lint:ignore ST1005 scripts depend on the text
		return nil, fmt.Errorf("Tool discovery command failed with exit code %d%s", end.code, lastLine(stderr.buf))
	}
	return stdout.buf, nil
}

// lastLine returns ": " and the last line of stderr, or "" if stderr is empty.
func lastLine(stderr []byte) string {
	text := strings.TrimSpace(tool.Last(string(stderr), 500))
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	if text == "" {
		return ""
	}
	return ": " + charset.Text([]byte(text))
}

// limitedBuffer keeps the first maxListing bytes. It calls onOverflow once if there are more.
type limitedBuffer struct {
	buf        []byte
	isFull     bool
	onOverflow func()
}

func (l *limitedBuffer) Write(p []byte) (int, error) {
	room := maxListing - len(l.buf)
	l.buf = append(l.buf, p[:min(room, len(p))]...)
	if len(p) > room && !l.isFull {
		l.isFull = true
		l.onOverflow()
	}
	return len(p), nil
}
