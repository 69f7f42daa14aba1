package acp

import (
	"errors"
	"strings"
	"time"

	"pollux/internal/exit"
	"pollux/internal/face/acp/schema"
	"pollux/internal/face/acp/wire"
	"pollux/internal/sandbox/container"
	"pollux/internal/sessions"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
)

// notFound is the error for a session that is not open or not recorded.
func notFound(id string) *wire.Error {
	return &wire.Error{
		Code: schema.NotFound, Message: "Session not found: " + terminal.Cut(terminal.Line(id), 100), Data: map[string]string{"sessionId": terminal.Cut(id, 100)},
	}
}

// details are the data of an error of a model.
type details struct {
	Kind       string  `json:"kind,omitempty"`
	Status     int     `json:"httpStatus,omitempty"`
	RetryAfter float64 `json:"retryAfter,omitempty"` // in seconds
	Details    string  `json:"details,omitempty"`
}

// needsKey is the data of an error that says how to sign in.
type needsKey struct {
	details
	Methods []schema.AuthMethod `json:"authMethods"`
}

// openError returns the answer for a session that cannot open.
func (s *server) openError(id string, err error) error {
	unknown, isUnknown := errors.AsType[*sessions.UnknownError](err)
	if isUnknown && unknown.Identifier == id || errors.Is(err, sessions.ErrNone) {
		return notFound(id)
	}
	return s.failure(err, wording.Place{})
}

// failure returns the answer for an error of a prompt or a session. at is the place of a failed request.
func (s *server) failure(err error, at wording.Place) *wire.Error {
	if known, ok := errors.AsType[*wire.Error](err); ok {
		return known
	}
	if needed, ok := errors.AsType[*container.Needed](err); ok {
		return wire.Errorf(wire.InternalError, "A session of an editor cannot move into a container, which %s asks for (%s). Set it to true for the sandbox without containers.", needed.From, needed.Name)
	}
	d := details{Details: terminal.Brief(terminal.Text(wording.Error(err)))}
	f := &wire.Error{Code: wire.InternalError, Message: d.Details}
	needs := exit.CodeOf(err) == exit.Auth
	if api, ok := errors.AsType[*llm.Error](err); ok {
		f.Message = terminal.Brief(terminal.Text(wording.Failure(api, at)))
		d = details{Kind: api.Code, Status: api.Status, RetryAfter: float64(api.RetryAfter) / float64(time.Second), Details: terminal.Brief(terminal.Text(api.Message))}
		needs = needs || api.IsBadKey()
		if s.IsGemini && api.Status != 0 {
			f.Code = api.Status // as clients of Gemini CLI know it
		}
	}
	f.Data = d
	if needs {
		problem, _, _ := strings.Cut(f.Message, "\n")
		f.Message = problem + " Sign in with one of the methods, or run 'pollux auth set' in a terminal."
		f.Code, f.Data = schema.AuthRequired, needsKey{d, s.authMethods()}
	}
	return f
}
