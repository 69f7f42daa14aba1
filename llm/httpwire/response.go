package httpwire

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"time"
)

// MaxErrorBody is how much of an error's body is read and kept.
const MaxErrorBody = 64 << 10

// Response is an answer whose body is still to be read.
type Response struct {
	Status int
	Header http.Header
	Host   string // who answered, for messages
	Body   io.Reader

	ctx    context.Context // of the request; nil where there was none
	watch  *watchdog
	closer io.Closer
}

// Close lets go of the connection; read or not, the answer is done with.
func (r *Response) Close() {
	if r.closer != nil {
		_ = r.closer.Close() // nothing is lost by what it says
		r.watch.stop()
	}
}

// Drain reads what little follows the end of an answer, so that the connection
// can be used again. A server that says no more but does not hang up is given
// only a moment. Nothing can be read after it.
func (r *Response) Drain() {
	if r.closer == nil {
		return
	}
	defer time.AfterFunc(100*time.Millisecond, r.watch.stop).Stop()
	_, _ = io.CopyN(io.Discard, r.Body, 4<<10) // it is of no use
}

// ended returns the cause of the end of the request's context, or nil.
func (r *Response) ended() error {
	if r.ctx != nil && r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	return nil
}

// ReadAll reads an answer that is one JSON value, at most MaxFrame bytes. Whether
// it is JSON is for the caller to see, with CheckJSON.
func (r *Response) ReadAll() ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r.Body, MaxFrame+1))
	if err != nil {
		return nil, r.NetworkError("read the answer from", err)
	}
	if len(data) > MaxFrame {
		return nil, tooLarge()
	}
	return data, nil
}

// ReadJSON is ReadAll, and fails where that is not JSON.
func (r *Response) ReadJSON() ([]byte, error) {
	data, err := r.ReadAll()
	if err == nil {
		err = r.CheckJSON(data)
	}
	return data, err
}

// ReadError reads the body of an answer that is an error: MaxErrorBody bytes of
// it, and what there is where it was cut short. Only a cancelled request makes
// it fail.
func (r *Response) ReadError() ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r.Body, MaxErrorBody))
	if err != nil && r.ended() != nil {
		return nil, r.ended()
	}
	return data, nil // a body cut short says more than none
}

// CheckJSON returns the error of an answer under status 200 that is not JSON: a
// page that some proxy put there, or one that breaks off.
func (r *Response) CheckJSON(data []byte) error {
	switch data = bytes.TrimSpace(data); {
	case len(data) > 0 && data[0] == '<':
		return r.webPage(data)
	case !json.Valid(data):
		return incomplete(data)
	}
	return nil
}

// Event is a piece of a streamed answer.
type Event struct {
	// Data is good until the next event.
	Data []byte
	// Unframed says that the server does not send an event stream, or no
	// longer, and that Data is all that was left of the body, at most MaxFrame
	// bytes. It is the last event.
	Unframed bool
}

// Events yields the events of a streamed answer, each as soon as it is complete.
// An error is the last thing yielded: an [*llm.Error], or the cause of the end
// of the request's context.
func (r *Response) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		f := NewFrames(r.Body)
		defer f.Release()
		for n := 0; ; n++ {
			data, err := f.Next()
			if ended := r.ended(); ended != nil {
				yield(Event{}, ended)
				return
			}
			switch err {
			case nil:
				if !yield(Event{Data: data}, nil) {
					return
				}
			case io.EOF:
				return
			case ErrUnframed:
				data, err := f.Rest(MaxFrame)
				if err != nil {
					yield(Event{}, r.streamError(err, 0))
					return
				}
				yield(Event{Data: data, Unframed: true}, nil)
				return
			default:
				yield(Event{}, r.streamError(err, n))
				return
			}
		}
	}
}

// streamError says what went wrong with a stream after its n-th frame.
func (r *Response) streamError(err error, n int) error {
	switch err {
	case ErrLeftover:
		if n == 0 && !isEventStream(r.Header) {
			return r.notAnAnswer()
		}
		return incomplete(nil)
	case ErrHuge:
		return tooLarge()
	}
	return r.NetworkError("read the answer from", err)
}
