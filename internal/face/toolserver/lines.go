package toolserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxMessage limits a message of the client, in bytes.
const maxMessage = 32 << 20

// input is the client's messages, one on each line. It answers lines that are no messages with an error, and
// goes on behind them: they would end the connection. The messages of a batch become lines of their own. The
// end of the input is reported after finish.
type input struct {
	from     io.Reader
	lines    *bufio.Reader
	answers  io.Writer
	rest     []byte // messages that have not been read
	finish   func()
	hasEnded atomic.Bool
}

func newInput(from io.Reader, answers io.Writer, finish func()) *input {
	return &input{from: from, lines: bufio.NewReaderSize(from, 64<<10), answers: answers, finish: finish}
}

// Read implements [io.Reader].
func (i *input) Read(b []byte) (int, error) {
	for len(i.rest) == 0 {
		line, err := i.readLine()
		i.take(bytes.TrimSpace(line))
		if err != nil && len(i.rest) == 0 {
			i.hasEnded.Store(true)
			i.finish()
			return 0, err
		}
	}
	n := copy(b, i.rest)
	i.rest = i.rest[n:]
	return n, nil
}

// readLine returns the next line, nil for one that is too long, which it answers.
func (i *input) readLine() ([]byte, error) {
	var line []byte
	isLong := false
	for {
		part, err := i.lines.ReadSlice('\n')
		if isLong = isLong || len(line)+len(part) > maxMessage; !isLong {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if isLong {
			line = nil
			i.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("Invalid Request: the message has more than %d MiB", maxMessage>>20))
		}
		return line, err
	}
}

// take adds the messages of a line to those that are read, and answers invalid ones.
func (i *input) take(line []byte) {
	messages := []json.RawMessage{line}
	switch {
	case len(line) == 0:
		return
	case !json.Valid(line):
		i.refuse(jsonrpc.CodeParseError, "Parse error: the line is no JSON")
		return
	case line[0] == '[':
		if json.Unmarshal(line, &messages) != nil || len(messages) == 0 {
			i.refuse(jsonrpc.CodeInvalidRequest, "Invalid Request: the batch is empty")
			return
		}
	}
	for _, m := range messages {
		if _, err := jsonrpc.DecodeMessage(m); err != nil {
			i.refuse(jsonrpc.CodeInvalidRequest, "Invalid Request: this is no message of JSON-RPC 2.0")
			continue
		}
		i.rest = append(append(i.rest, m...), '\n')
	}
}

// refuse answers an invalid message, which has no id. An answer that cannot be sent ends nothing: the
// next one of a call will.
func (i *input) refuse(code int64, why string) {
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": why}})
	if err == nil {
		_, _ = i.answers.Write(append(answer, '\n'))
	}
}

// Close closes the input if it can be closed, which ends a Read that waits.
func (i *input) Close() error {
	if c, ok := i.from.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// output is where messages go, one at a time. It stays open.
type output struct {
	mu sync.Mutex
	io.Writer
}

// Write implements [io.Writer].
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.Writer.Write(b)
}

// Close implements [io.Closer].
func (*output) Close() error { return nil }
