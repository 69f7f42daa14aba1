package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"pollux/internal/exit"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
)

// finish prints the error of a run in the output format of the run and returns the
// exit code. If a signal cancelled ctx, finish returns the exit code of the signal, and
// prints the signal's message instead of an error that the user has not seen. finish
// prints nothing if standard output is closed.
func (p *program) finish(ctx context.Context, err error) exit.Code {
	if p.closed.isClosed.Load() {
		return exit.OK // standard output has no reader
	}
	if err == nil {
		if writeErr := p.closed.writeErr.Load(); writeErr != nil {
			err = exit.Errorf(exit.General, "Cannot write the answer: %w", *writeErr)
			p.line(err.Error())
			return exit.General
		}
		return exit.OK
	}
	var signalled *exit.Error
	stopped := errors.As(context.Cause(ctx), &signalled)
	if stopped && !exit.WasShown(err) {
		err = signalled
	}
	code := exit.CodeOf(err)
	if stopped {
		code = signalled.Code
	}
	if !exit.WasShown(err) {
		p.report(err)
	}
	return code
}

// report prints an error in the output format of the run: in the JSON formats one object to
// stdout. A line for people goes to stderr. With json this is the object again if scripts for
// Gemini CLI expect it there.
func (p *program) report(err error) {
	message, summary := terminal.Brief(wording.Error(err)), terminal.Brief(wording.Summary(err))
	if p.id == "" {
		p.id = uuid.NewString()
	}
	switch p.format {
	case "json":
		object := jsonError(p.id, err, summary)
		if isForPeople(err) {
			p.line(message)
		} else {
			fmt.Fprintf(p.term.Err.JSON(), "%s\n", object)
		}
		fmt.Fprintf(p.term.Out.JSON(), "%s\n", object)
	case "stream-json":
		p.line(message)
		fmt.Fprintf(p.term.Out.JSON(), "%s\n", streamError(err, summary))
	default:
		p.line(message)
	}
}

// isForPeople reports whether Gemini CLI prints an error as a line to stderr even if the format
// is json: a wrong command line, a configuration error or a trust error.
func isForPeople(err error) bool {
	var usage *usageError
	code := exit.CodeOf(err)
	return errors.As(err, &usage) || code == exit.Config || code == exit.Untrusted
}

// line prints a message to stderr, wrapped if stderr is a terminal, and in red if it supports
// color.
func (p *program) line(message string) {
	message = p.term.WrapErr(terminal.Visible(message))
	if p.term.ErrColor() {
		fmt.Fprintln(p.term.Err.Styled(), terminal.Style(terminal.Red, message))
		return
	}
	fmt.Fprintln(p.term.Err, message)
}

// jsonError returns the object that --output-format=json prints for an error. The code is
// the HTTP status if the error is a provider's response, otherwise the exit code.
func jsonError(id string, err error, message string) []byte {
	type detail struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Code    int    `json:"code"`
		Details string `json:"details,omitempty"` // the provider's response
	}
	details := ""
	code := int(exit.CodeOf(err))
	var api *llm.Error
	if errors.As(err, &api) {
		if api.Status != 0 {
			code = api.Status
		}
		message, details = terminal.Brief(api.Error()), api.Body
	}
	return encode(struct {
		SessionID string `json:"session_id"`
		Error     detail `json:"error"`
	}{id, detail{exit.TypeOf(err), message, code, details}}, "  ")
}

// streamError returns the result event that --output-format=stream-json prints for a run
// that fails before its first request.
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

// encode returns v as JSON without HTML escapes. v must be encodable.
func encode(v any, indent string) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	_ = enc.Encode(v) // strings and numbers only
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}
