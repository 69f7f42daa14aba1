package acp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"pollux/internal/face/acp/schema"
	"pollux/internal/face/acp/wire"
	"pollux/internal/terminal"
	"pollux/internal/workspace"
)

// bufferWait is how long the editor has to read or write a text.
const bufferWait = 30 * time.Second

// buffers returns the texts of the editor, nil if it does not tell them. Texts that it does not tell it must not write
// either: they could be newer than those on the disk.
func (c *chat) buffers() *workspace.Buffers {
	can := c.server.clientInfo().Capabilities.FS
	if !can.Read {
		return nil
	}
	b := &workspace.Buffers{Read: c.readText}
	if can.Write {
		b.Write = c.writeText
	}
	return b
}

// readText asks the editor for its text of a file.
func (c *chat) readText(path string) (string, error) {
	var answer schema.ReadResponse
	err := c.callForFile(schema.ReadTextFile, schema.ReadRequest{SessionID: c.id, Path: c.clientPath(path)}, &answer)
	failure, isAnswer := errors.AsType[*wire.Error](err)
	switch {
	case isAnswer && isMissing(failure):
		return "", fs.ErrNotExist
	case isAnswer:
		return "", err
	case err != nil:
		return "", fmt.Errorf("%w: %w", workspace.ErrUnknown, err)
	case answer.Content == nil:
		return "", fmt.Errorf("%w: its answer has no content", workspace.ErrUnknown)
	}
	return *answer.Content, nil
}

// writeText has the editor write a file. After an error, it may have.
func (c *chat) writeText(path, text string) error {
	err := c.callForFile(schema.WriteTextFile, schema.WriteRequest{SessionID: c.id, Path: c.clientPath(path), Content: text}, nil)
	if failure, ok := errors.AsType[*wire.Error](err); ok {
		return fmt.Errorf("the editor refuses: %s", terminal.Brief(terminal.Text(failure.Message)))
	}
	if err != nil {
		return fmt.Errorf("the editor does not confirm it: %w", err)
	}
	return nil
}

// callForFile sends a request about a file. It ends with the turn.
func (c *chat) callForFile(method string, params, result any) error {
	ctx := c.server.life
	if t := c.inTurn(); t != nil {
		ctx = t.ctx
	}
	ctx, cancel := context.WithTimeoutCause(ctx, bufferWait, fmt.Errorf("no answer for %s", bufferWait))
	defer cancel()
	return c.server.conn.Call(ctx, method, params, result)
}

// isMissing reports whether an error says that there is no such file. Clients pass it on in words, too.
func isMissing(e *wire.Error) bool {
	if e.Code == schema.NotFound {
		return true
	}
	text := strings.ToLower(e.Message + fmt.Sprint(" ", e.Data))
	for _, words := range []string{"resource not found", "enoent", "no such file", "file not found", "os error 2)"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// clientPath returns a path without links as the client knows it: below the directory that it has sent.
func (c *chat) clientPath(path string) string {
	if below, err := filepath.Rel(c.place.real, path); err == nil && filepath.IsLocal(below) {
		return filepath.Join(c.place.dir, below)
	}
	return path
}
