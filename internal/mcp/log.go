package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/crash"
	"pollux/internal/secret"
	"pollux/internal/terminal"
)

// maxLogged limits one message or line of a server in the debug log, in bytes.
const maxLogged = 2000

// askForLogs asks the server for all that it logs, if there is a debug log. Some servers log nothing before.
func (s *server) askForLogs(ctx context.Context, session *sdk.ClientSession) {
	has := session.InitializeResult().Capabilities
	//lint:ignore SA1019 servers of today have logs
	if has == nil || has.Logging == nil || !s.all.o.Log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	s.all.wg.Go(func() {
		defer crash.Recover()
		//lint:ignore SA1019 servers of today have logs
		if err := session.SetLoggingLevel(ctx, &sdk.SetLoggingLevelParams{Level: "debug"}); err != nil {
			s.all.o.Log.Debug("MCP server does not log", "server", s.config.Name, "error", s.conceal(err))
		}
	})
}

// logMessage writes the server's log messages to the debug log.
//
//lint:ignore SA1019 servers of today have logs
func (s *server) logMessage(p *sdk.LoggingMessageParams) {
	if p == nil || !s.all.o.Log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	text, isText := p.Data.(string)
	if !isText {
		raw, _ := json.Marshal(p.Data)
		text = string(raw)
	}
	s.all.o.Log.Debug("MCP server logs", "server", s.config.Name, "level", terminal.Cut(string(p.Level), 20),
		"logger", terminal.Cut(p.Logger, 100), "text", terminal.Cut(s.config.conceal(text), maxLogged))
}

// errorLog returns a writer that copies the standard error of a program to the debug log; nil if there is none.
func errorLog(c *Config, o *Options) io.Writer {
	if o.Log == nil || !o.Log.Enabled(context.Background(), slog.LevelDebug) {
		return nil
	}
	lines := secret.Lines{Mask: c.conceal}
	return &lineLog{write: func(line string) {
		o.Log.Debug("MCP server prints", "server", c.Name, "text", lines.Text(line))
	}}
}

// lineLog splits its input into lines. It keeps the beginning of a long line.
type lineLog struct {
	write func(line string)
	begun []byte
}

func (l *lineLog) Write(b []byte) (int, error) {
	for part := range bytes.Lines(b) {
		text, isWhole := bytes.CutSuffix(part, []byte("\n"))
		l.begun = append(l.begun, text[:min(len(text), maxLogged-len(l.begun))]...)
		if !isWhole {
			break
		}
		if line := bytes.TrimSpace(l.begun); len(line) > 0 {
			l.write(string(bytes.ToValidUTF8(line, nil)))
		}
		l.begun = l.begun[:0]
	}
	return len(b), nil
}
