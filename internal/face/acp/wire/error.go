package wire

import (
	"context"
	"errors"
	"fmt"
)

// The codes of errors that the protocol defines.
const (
	ParseError     = -32700
	InvalidRequest = -32600
	MethodNotFound = -32601
	InvalidParams  = -32602
	InternalError  = -32603
	Cancelled      = -32800
)

// Error is the answer to a request that has failed. Data is any JSON value, nil for none.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// Errorf returns an error with a code and a message.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Unknown is the answer to a request whose method is not known.
func Unknown(method string) *Error {
	return &Error{Code: MethodNotFound, Message: fmt.Sprintf("Method not found: %.100s", method), Data: map[string]string{"method": method}}
}

// errCancelled is the cause of the end of a request that the other side has cancelled.
var errCancelled = errors.New("the request was cancelled")

// ErrClosed is the error of a request to the other side when that has gone.
var ErrClosed = errors.New("the connection is closed")

// errorOf returns the answer for an error of an [Answer]. ctx is that of the request.
func errorOf(ctx context.Context, err error) *Error {
	known, isKnown := errors.AsType[*Error](err)
	switch {
	case errors.Is(context.Cause(ctx), errCancelled):
		return &Error{Code: Cancelled, Message: "The request was cancelled."}
	case isKnown:
		return known
	}
	return &Error{Code: InternalError, Message: err.Error()}
}
