package wire

import (
	"context"
	"errors"
	"fmt"

	"pollux/internal/face/kit/jsonrpc"
)

// The codes of errors that the protocol defines.
const (
	ParseError     = jsonrpc.ParseError
	InvalidRequest = jsonrpc.InvalidRequest
	MethodNotFound = jsonrpc.MethodNotFound
	InvalidParams  = jsonrpc.InvalidParams
	InternalError  = jsonrpc.InternalError
	Cancelled      = -32800
)

// Error is the answer to a request that has failed.
type Error = jsonrpc.Error

// Errorf returns an error with a code and a message.
func Errorf(code int, format string, args ...any) *Error {
	return jsonrpc.Errorf(code, format, args...)
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
