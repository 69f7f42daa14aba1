package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/crash"
	"pollux/internal/process"
	"pollux/internal/process/lastwords"
	"pollux/internal/secret"
	"pollux/internal/terminal"
)

// maxMessage limits a message of a server, in bytes. It also limits other output between two
// messages.
const maxMessage = 32 << 20

// endGrace is how long a program has to end after its input has ended, and again after SIGTERM.
const endGrace = 500 * time.Millisecond

// program is a server that is a program. Messages are lines of JSON on its standard input and output.
// It implements [sdk.Transport] and, once it runs, [sdk.Connection].
type program struct {
	launcher process.Launcher
	command  *process.Command
	log      *slog.Logger
	conceal  func(string) string // of its entry
	heard    Heard               // takes the notifications of a [Peer], nil for none

	isUp    atomic.Bool // it has been of use
	running *process.Process
	output  io.ReadCloser
	lines   *bufio.Reader
	errors  lastwords.Tail
	queue   []jsonrpc.Message // the rest of a batch

	writing chan struct{} // holds a token while a message is sent
	rest    []byte        // of a message that was cut off, which the next one follows
	input   *os.File
	closing sync.Once
	isOver  atomic.Bool   // Close was called
	hasLeft atomic.Bool   // the program has ended its side of the connection before that
	ended   chan struct{} // closed when the program has ended after Close
	status  process.Status
}

func newProgram(c *Config, o *Options) (*program, error) {
	var environ []string
	if o.Environ != nil {
		environ = o.Environ(c.origin(o))
	}
	environ = c.environ(environ)
	name, dir := c.place(o.Dir)
	path, err := process.LookPath(c.path(o), name)
	if err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", c.Command, rootCause(err))
	}
	return &program{
		launcher: o.Launcher, log: o.Log, conceal: c.conceal, ended: make(chan struct{}), writing: make(chan struct{}, 1),
		errors: lastwords.Tail{Log: errorLog(c, o)},
		command: &process.Command{
			For:  process.Purpose{Kind: process.KindServer, Origin: c.origin(o), Name: c.Name},
			Name: name, Path: path, Args: c.Args, Env: environ, Dir: dir, Grace: endGrace,
		},
	}, nil
}

// environ returns the environment of the entry's program. base is that of all servers.
func (c *Config) environ(base []string) []string {
	environ := append(secret.Without(base, slices.Collect(maps.Keys(c.Env))), "GEMINI_CLI=1")
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		environ = append(environ, name+"="+c.Env[name])
	}
	return environ
}

// path returns the variable PATH, in which the program is looked for.
func (c *Config) path(o *Options) string {
	if own, isSet := c.Env["PATH"]; isSet {
		return own
	}
	return o.Path
}

// place returns the name of the entry's program, as it is looked for, and the directory in which it runs. A
// path is relative to that directory, which is relative to workspace.
func (c *Config) place(workspace string) (name, dir string) {
	name, dir = c.Command, c.Dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(workspace, dir)
	}
	if name != filepath.Base(name) && !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return name, dir
}

// Connect starts the program.
func (p *program) Connect(ctx context.Context) (sdk.Connection, error) {
	stdin, input, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	p.command.Stdin, p.command.Stderr = stdin, &p.errors
	p.output, err = p.command.StdoutPipe()
	if err == nil {
		p.running, err = p.launcher.Start(ctx, p.command)
	}
	if err != nil {
		_ = input.Close()
		return nil, err
	}
	p.input, p.lines = input, bufio.NewReaderSize(p.output, 64<<10)
	return p, nil
}

// SessionID returns "": a program has one session.
func (*program) SessionID() string { return "" }

// Read returns the next message. It skips lines that are no messages, such as a greeting.
func (p *program) Read(context.Context) (jsonrpc.Message, error) {
	for skipped := 0; ; {
		if len(p.queue) > 0 {
			msg := p.queue[0]
			p.queue = p.queue[1:]
			return msg, nil
		}
		line, err := p.readLine()
		if err != nil {
			p.noteEnd(err)
			return nil, err
		}
		if err := p.parse(line); err != nil {
			p.log.Debug("MCP server printed a line that is no message", "server", p.command.Name, "error", err)
			if skipped += len(line); skipped > maxMessage {
				return nil, errors.New("the server prints text instead of messages")
			}
		}
	}
}

// parse adds the messages of a line to the queue: one, or a batch.
func (p *program) parse(line []byte) error {
	messages := []json.RawMessage{line}
	if bytes.HasPrefix(line, []byte("[")) {
		if err := json.Unmarshal(line, &messages); err != nil {
			return err
		}
	}
	for _, m := range messages {
		msg, err := jsonrpc.DecodeMessage(m)
		if response := unreadable(m, err); response != nil {
			msg, err = response, nil
		}
		if err != nil {
			return err
		}
		if tell(msg, p.heard) {
			continue
		}
		keepOrder(msg)
		p.queue = append(p.queue, msg)
	}
	return nil
}

// readLine returns the next line that is not empty, without white space around it.
func (p *program) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := p.lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxMessage:
			return nil, fmt.Errorf("the server sent a message of more than %d MiB", maxMessage>>20)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return nil, err
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			return text, nil
		}
		line = line[:0]
	}
}

// Write sends a message. If ctx ends while the program does not read, the rest of the message is sent before the next one: half a
// message would spoil that.
func (p *program) Write(ctx context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(toWire(msg))
	if err != nil {
		return err
	}
	select {
	case p.writing <- struct{}{}:
		defer func() { <-p.writing }()
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err = p.send(ctx, append(data, '\n'))
	p.noteEnd(err)
	return err
}

// send sends the rest of the message before, and a line.
func (p *program) send(ctx context.Context, line []byte) error {
	n, err := process.Write(ctx, p.input, p.rest)
	if err != nil {
		p.rest = p.rest[n:]
		return err
	}
	p.rest = nil
	if n, err = process.Write(ctx, p.input, line); err != nil && n > 0 {
		p.rest = line[n:]
	}
	return err
}

// noteEnd notes that the program has ended its side of the connection, if err of a read or a write says so.
func (p *program) noteEnd(err error) {
	if (errors.Is(err, io.EOF) || terminal.IsClosedPipe(err)) && !p.isOver.Load() {
		p.hasLeft.Store(true)
	}
}

// Close ends the input of the program, which asks it to end, and kills it if it does not.
func (p *program) Close() error {
	p.closing.Do(func() {
		p.isOver.Store(true)
		_ = p.input.Close() // unsent messages are not needed any more
		go func() {
			defer close(p.ended)
			defer crash.Recover()
			select {
			case <-p.running.Closed():
			case <-time.After(endGrace):
				p.running.Terminate()
			}
			_ = p.output.Close()
			p.status, _ = p.running.Wait() // the error is that of the context
		}()
	})
	return nil
}

func (p *program) wait() { <-p.ended }

// endPause is how long explain waits for the end of a program whose connection has broken.
const endPause = 200 * time.Millisecond

// explain ends the program, and returns why its connection has ended with err: that the program has ended by itself,
// if so, and the line of its standard error that says why.
func (p *program) explain(err error) error {
	hasEnded := false
	if p.running != nil {
		select {
		case <-p.running.Closed():
			hasEnded = p.hasLeft.Load() && p.running.Cause() == nil
		case <-time.After(endPause):
		}
		_ = p.Close()
		p.wait()
	}
	switch {
	case hasEnded && p.status.Signal != 0:
		err = fmt.Errorf("it was ended by %s", p.status.SignalName())
	case hasEnded:
		err = fmt.Errorf("it ended with exit code %d", p.status.Code)
	}
	if line := p.errors.Cause(p.conceal, p.isUp.Load()); line != "" {
		return fmt.Errorf("%w: %s", err, line)
	}
	return err
}

// rootCause returns the innermost error of err, such as that of a system call.
func rootCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
