package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"pollux/internal/terminal"
	"pollux/llm/httpwire"
)

// clean returns a text of others as one short line that is safe to print.
func clean(text string) string { return terminal.Cut(terminal.Line(text), 400) }

// decodeError returns the reason why JSON cannot be decoded, without any of its text. err is nil
// for null.
func decodeError(what string, err error) error {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && e.Field != "" {
		return fmt.Errorf("%s is not valid: %s is a %s", what, clean(e.Field), e.Value)
	}
	return fmt.Errorf("%s is not a JSON object", what)
}

// statusError is the error of a response whose status is not one of success.
type statusError struct {
	status int
	url    *url.URL
	header http.Header
	code   int    // of the server's own error, 0 for none
	text   string // of the server, "" for none
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("%s answers with status %d %s", shown(e.url), e.status, http.StatusText(e.status))
	if to, err := e.url.Parse(e.header.Get("Location")); err == nil && e.status/100 == 3 {
		text += ", a redirect to " + shown(to)
	}
	if e.text != "" {
		text += ": " + e.text
	}
	return text
}

// isRefusal reports whether a status asks for other credentials.
func isRefusal(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// loadError is the error of a card that cannot be loaded, a sentence for the user.
type loadError struct {
	text string
	err  error
}

func (e *loadError) Error() string { return e.text }

func (e *loadError) Unwrap() error { return e.err }

// newLoadError words why the card at an address cannot be loaded as Gemini CLI does.
func newLoadError(u *url.URL, err error) error {
	e, ok := errors.AsType[*statusError](err)
	_, isOurs := errors.AsType[*authError](err)
	switch {
	case isOurs:
		return err
	case ok && e.status == http.StatusNotFound:
		return &loadError{fmt.Sprintf("Agent card not found (404) at %s. Verify the agent_card_url in your agent definition.", shown(u)), err}
	case ok && isRefusal(e.status):
		return &loadError{fmt.Sprintf("Authentication failed (%d %s) at %s. Check the %q configuration in your agent definition.",
			e.status, http.StatusText(e.status), shown(u), "auth"), err}
	}
	return &loadError{fmt.Sprintf("Connection failed for %s: %v", shown(u), err), err}
}

// ErrSignIn is the error for an agent to which a person has to sign in, if no person is there.
var ErrSignIn = errors.New("it requires a sign-in. Call it once in an interactive session")

// authError is the error for credentials that cannot be had.
type authError struct{ err error }

func (e *authError) Error() string { return "cannot authenticate: " + e.err.Error() }

func (e *authError) Unwrap() error { return e.err }

// unreachableError is the error of a server that does not answer.
type unreachableError struct{ text string }

func (e *unreachableError) Error() string { return e.text }

// networkError describes why a request has failed, without the query of its address.
func networkError(ctx context.Context, host string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return &unreachableError{fmt.Sprintf("cannot reach %s: %s", clean(host), clean(httpwire.Reason(err)))}
}
