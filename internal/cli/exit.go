package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"pollux/internal/exit"
	"pollux/llm"
)

// finish prints the error that a run ended with, in the format of the run, and
// returns the exit code. Nothing else ends the process.
func (p *program) finish(ctx context.Context, err error) exit.Code {
	if p.closed.gone.Load() {
		return exit.OK // spec/cli.md §6.10: no one is left to tell
	}
	if err == nil {
		if lost := p.closed.lost.Load(); lost != nil {
			err = exit.Errorf(exit.General, "Cannot write the answer: %w", *lost)
			p.line(err.Error())
			return exit.General
		}
		return exit.OK
	}
	var usage *usageError
	if errors.As(err, &usage) {
		p.misused(usage)
		return exit.General
	}
	var signalled *exit.Error
	stopped := errors.As(context.Cause(ctx), &signalled)
	if stopped && !reported(err) {
		err = signalled
	}
	code := exit.CodeOf(err)
	if stopped {
		code = signalled.Code
	}
	if !reported(err) {
		p.report(err)
	}
	return code
}

// reported says that a face has already shown an error to the user.
func reported(err error) bool {
	var r interface{ Reported() bool }
	return errors.As(err, &r) && r.Reported()
}

// misused prints what is wrong with the command line, the help, and the hint.
func (p *program) misused(err *usageError) {
	cmd := err.cmd
	if cmd == nil {
		cmd = p.root
	}
	width := 0
	if p.term.ErrTTY {
		width = p.term.Width
	}
	fmt.Fprintf(p.term.Err, "%s\n\n", clean(err.message))
	printHelp(p.term.Err, cmd, width)
	if err.hint != "" {
		fmt.Fprintf(p.term.Err, "\n%s\n", err.hint) // below the help, where it is seen
	}
}

// report prints an error in the format of the run (spec/cli.md §6.5).
func (p *program) report(err error) {
	message := text(err)
	code := exit.CodeOf(err)
	plain := code == exit.Config || code == exit.Untrusted
	if p.format == "json" && !plain {
		object := jsonError(p.id, err, message)
		fmt.Fprintf(p.term.Err, "%s\n", object)
		fmt.Fprintf(p.term.Out, "%s\n", object)
		return
	}
	p.line(message)
	if p.format == "stream-json" {
		fmt.Fprintf(p.term.Out, "%s\n", streamError(err, message))
	}
}

// line prints a message to stderr, red where a person will see it.
func (p *program) line(message string) {
	message = clean(message)
	if p.term.ErrColor() {
		message = "\x1b[31m" + message + "\x1b[0m"
	}
	fmt.Fprintln(p.term.Err, message)
}

// text is what a user is told about an error.
func text(err error) string {
	var e *exit.Error
	var api *llm.Error
	switch {
	case errors.As(err, &e):
		return e.Message
	case errors.As(err, &api):
		return "[API Error: " + api.Error() + "]"
	}
	return err.Error()
}

// jsonError is the object that --output-format=json prints for an error.
func jsonError(id string, err error, message string) []byte {
	type detail struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Code    int    `json:"code"`
	}
	code := int(exit.CodeOf(err))
	var api *llm.Error
	if errors.As(err, &api) {
		if api.Status != 0 {
			code = api.Status
		}
		message = api.Error()
	}
	return encode(struct {
		SessionID string `json:"session_id"`
		Error     detail `json:"error"`
	}{id, detail{exit.TypeOf(err), message, code}}, "  ")
}

// streamError is the last event of --output-format=stream-json for a run that
// never got to its first request.
func streamError(err error, message string) []byte {
	type detail struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	type stats struct {
		TotalTokens  int      `json:"total_tokens"`
		InputTokens  int      `json:"input_tokens"`
		OutputTokens int      `json:"output_tokens"`
		Cached       int      `json:"cached"`
		Input        int      `json:"input"`
		DurationMS   int      `json:"duration_ms"`
		ToolCalls    int      `json:"tool_calls"`
		Models       struct{} `json:"models"`
		Cost         int      `json:"cost"`
	}
	return encode(struct {
		Type      string `json:"type"`
		Timestamp string `json:"timestamp"`
		Status    string `json:"status"`
		Error     detail `json:"error"`
		Stats     stats  `json:"stats"`
	}{
		"result", time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), "error",
		detail{exit.TypeOf(err), message},
		stats{},
	}, "")
}

// encode writes a value that always has an encoding, without escaping HTML.
func encode(v any, indent string) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	_ = enc.Encode(v) // strings and numbers only
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}

// clean takes control characters out of a text from outside, so that it cannot
// steer the terminal.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r >= ' ' && (r < 0x7f || r > 0x9f) {
			return r
		}
		return -1
	}, text)
}
