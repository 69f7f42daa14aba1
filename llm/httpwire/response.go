package httpwire

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"sync/atomic"
	"time"

	"pollux/llm"
)

// MaxErrorBody is the largest part of an error body that is read and kept, in
// bytes.
const MaxErrorBody = 64 << 10

// Response is an HTTP response whose body is not read yet. Call Close when
// done.
type Response struct {
	Status int
	Header http.Header
	Host   string // for error messages
	proxy  string // host of the client's proxy, "" if it has none
	Body   io.Reader

	ctx      context.Context // of the request; nil in some tests
	watchdog *watchdog
	closer   io.Closer

	hasWorked *atomic.Bool // of the client; nil in some tests
}

// markWorking records that the service sends streams in the right format.
func (r *Response) markWorking() {
	if r.hasWorked != nil {
		r.hasWorked.Store(true)
	}
}

// Close ends the response and releases its connection.
func (r *Response) Close() {
	if r.closer != nil {
		_ = r.closer.Close() // the response has been used
		r.watchdog.stop()
	}
}

// Drain reads the few bytes after the end of a response, so that the connection
// can be reused. It waits at most 100 ms. The body cannot be read afterwards.
func (r *Response) Drain() {
	if r.closer == nil {
		return
	}
	defer time.AfterFunc(100*time.Millisecond, r.watchdog.stop).Stop()
	_, _ = io.CopyN(io.Discard, r.Body, 4<<10) // nothing that matters follows
}

// contextErr returns the cause if the request's context has ended, or nil.
func (r *Response) contextErr() error {
	if r.ctx != nil && r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	return nil
}

// ReadAll reads the whole body, at most MaxFrame bytes. It does not check that
// the body is JSON; see [Response.CheckJSON].
func (r *Response) ReadAll() ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r.Body, MaxFrame+1))
	if err != nil {
		return nil, r.NetworkError(err)
	}
	if len(data) > MaxFrame {
		return nil, tooLargeError()
	}
	return bytes.TrimPrefix(data, []byte(byteOrderMark)), nil
}

// ReadJSON reads a body of at most MaxFrame bytes. It returns an [*llm.Error]
// if the body is not JSON.
func (r *Response) ReadJSON() ([]byte, error) {
	data, err := r.ReadAll()
	if err == nil {
		err = r.CheckJSON(data)
	}
	return data, err
}

// ReadError reads the body of an error response, at most MaxErrorBody bytes. It
// ignores network errors, and fails only if the request's context has ended.
func (r *Response) ReadError() ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r.Body, MaxErrorBody))
	if err != nil && r.contextErr() != nil {
		return nil, r.contextErr()
	}
	return bytes.TrimPrefix(data, []byte(byteOrderMark)), nil // part of a body is better than none
}

// CheckStatus returns r if its status is 200. Otherwise it closes r and returns the
// error that parse makes of its body. It returns err unchanged if that is not nil.
func CheckStatus(
	r *Response, err error, parse func(host string, status int, header http.Header, body []byte) *llm.Error,
) (*Response, error) {
	if err != nil || r.Status == http.StatusOK {
		return r, err
	}
	defer r.Close()
	body, err := r.ReadError()
	if err != nil {
		return nil, err
	}
	return nil, parse(r.Host, r.Status, r.Header, body)
}

// CheckJSON returns an error if data, a body with status 200, is not JSON: a
// web page from a proxy, or an incomplete value.
func (r *Response) CheckJSON(data []byte) error {
	switch data = bytes.TrimSpace(data); {
	case len(data) > 0 && data[0] == '<':
		return r.webPageError(data)
	case !json.Valid(data):
		return incompleteError(data)
	}
	return nil
}

// Event is an event of a stream.
type Event struct {
	// Data is valid until the next event.
	Data []byte
	// Unframed reports whether the response is not an event stream, or no
	// longer one. Data is then the rest of the body, at most MaxFrame bytes,
	// and this is the last event.
	Unframed bool
}

// Events yields the events of a stream, each as soon as it is complete. An
// error is the last value yielded: an [*llm.Error], or the cause if the
// request's context has ended.
func (r *Response) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		f := NewFrames(r.Body)
		defer f.Release()
		for n := 0; ; n++ {
			data, err := f.Next()
			if ctxErr := r.contextErr(); ctxErr != nil {
				yield(Event{}, ctxErr)
				return
			}
			switch err {
			case nil:
				r.markWorking()
				if !yield(Event{Data: data}, nil) {
					return
				}
			case io.EOF:
				return
			case ErrUnframed:
				data, err := f.Rest(MaxFrame)
				switch {
				case err != nil:
					err = r.streamError(err, n)
				case n > 0 && bytes.HasPrefix(bytes.TrimSpace(data), []byte("<")):
					err = Malformed("stream", errWebPage, data)
				}
				yield(Event{Data: data, Unframed: err == nil}, err)
				return
			default:
				yield(Event{}, r.streamError(err, n))
				return
			}
		}
	}
}

// streamError returns the error of a stream that failed with err after n
// frames.
func (r *Response) streamError(err error, n int) error {
	switch err {
	case ErrIncomplete:
		if n == 0 {
			return r.contentTypeError()
		}
		return incompleteError(nil)
	case ErrBadLine:
		if n == 0 && !isStream(r.Header) {
			return r.contentTypeError()
		}
		return Malformed("stream", err, nil)
	case ErrTooLarge:
		return tooLargeError()
	}
	return r.NetworkError(err)
}
