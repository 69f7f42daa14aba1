// Package wire speaks JSON-RPC 2.0 with a client, a message per line, as the Agent Client Protocol needs it: requests go
// both ways and run at the same time, messages are sent in order, ids come back as they were, and no message of the other
// side ends the connection.
//
// A [Handler] sees each message in the order of arrival. It must not wait: slow work is in the [Answer] that it
// returns, which runs on a goroutine of its own.
package wire

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"
	"time"

	"pollux/internal/crash"
)

// Handler takes the messages of the other side, one after the other.
type Handler struct {
	// Request begins to answer a request. The answer is never nil.
	Request func(method string, params json.RawMessage) Answer
	// Notify takes a message that has no answer.
	Notify func(method string, params json.RawMessage)
	// End ends long work, because the input has ended. The answers to other requests are still sent.
	End func()
}

// Answer completes a request. ctx ends when the other side cancels the request or has gone. after, if not nil, is called
// as soon as the result is sent.
type Answer func(ctx context.Context) (result any, after func(), err error)

// Result returns the answer of a request that is complete.
func Result(result any) Answer {
	return func(context.Context) (any, func(), error) { return result, nil, nil }
}

// Fail returns the answer of a request that has failed.
func Fail(err error) Answer {
	return func(context.Context) (any, func(), error) { return nil, nil, err }
}

// cancelMethod is the notification that cancels a request.
const cancelMethod = "$/cancel_request"

// Conn is a connection with a client.
type Conn struct {
	in  io.Reader
	out io.Writer

	writing sync.Mutex

	mu      sync.Mutex
	broken  error                              // of a write; nothing more is written
	waiting map[string]chan message            // requests to the other side, by their ids
	running map[string]context.CancelCauseFunc // requests of the other side, by their ids
	lastID  int
	over    chan struct{} // closed when no message comes any more
}

// New returns a connection. It does nothing before [Conn.Serve].
func New(in io.Reader, out io.Writer) *Conn {
	return &Conn{
		in: in, out: out, waiting: map[string]chan message{}, running: map[string]context.CancelCauseFunc{}, lastID: -1, over: make(chan struct{}),
	}
}

// endGrace is how long requests that are not answered yet may take after the end of the input.
const endGrace = 3 * time.Second

// Serve passes messages to a handler until the input ends, which is no error, or ctx does. It then cancels the requests that are not answered yet, those
// before the end of the input after a while, and waits for their answers.
func (c *Conn) Serve(ctx context.Context, h Handler) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	messages := make(chan func())
	ended := make(chan error, 1)
	var answering sync.WaitGroup
	go func() {
		defer crash.Recover()
		ended <- c.readAll(ctx, messages, func(m message) func() { return c.take(ctx, cancel, &answering, h, m) })
	}()
	err := func() error {
		for {
			select {
			case take := <-messages:
				take()
			case err := <-ended:
				return err
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}()
	close(c.over)
	h.End()
	answered := make(chan struct{})
	go func() {
		defer crash.Recover()
		answering.Wait()
		close(answered)
	}()
	select {
	case <-answered:
	case <-ctx.Done():
	case <-time.After(endGrace):
	}
	cancel(ErrClosed)
	<-answered
	return err
}

// readAll reads messages to the end of the input. Other lines are answered with the reason.
func (c *Conn) readAll(ctx context.Context, messages chan<- func(), take func(message) func()) error {
	input := newLines(c.in, MaxLine)
	for {
		line, err := input.next()
		var step func()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errTooLong):
			step = func() {
				c.answer(nil, nil, Errorf(InvalidRequest, "Invalid request: the line is longer than %d MiB.", MaxLine>>20))
			}
		case err != nil:
			return err
		default:
			m, problem := parse(line)
			if step = take(m); problem != nil {
				step = func() { c.answer(m.ID, nil, problem) }
			}
		}
		select {
		case messages <- step:
		case <-ctx.Done():
			return nil
		}
	}
}

// take returns the function that passes a message on.
func (c *Conn) take(ctx context.Context, stop context.CancelCauseFunc, answering *sync.WaitGroup, h Handler, m message) func() {
	method := m.method()
	switch {
	case m.Method == nil:
		return func() { c.resolve(m) }
	case m.ID != nil:
		return func() { c.begin(ctx, stop, answering, h, m.ID, method, m.Params) }
	case method == cancelMethod:
		return func() { c.cancel(m.Params) }
	}
	return func() { h.Notify(method, m.Params) }
}

// begin answers a request on a goroutine of its own.
func (c *Conn) begin(ctx context.Context, stop context.CancelCauseFunc, answering *sync.WaitGroup, h Handler, id json.RawMessage, method string, params json.RawMessage) {
	ctx, cancel := context.WithCancelCause(ctx)
	key := string(id)
	c.mu.Lock()
	_, isTaken := c.running[key]
	if !isTaken {
		c.running[key] = cancel
	}
	c.mu.Unlock()
	if isTaken {
		cancel(nil)
		c.answer(id, nil, Errorf(InvalidRequest, "Invalid request: another request with this id is not answered yet."))
		return
	}
	answer := h.Request(method, params)
	answering.Go(func() {
		defer crash.Recover()
		defer cancel(nil)
		result, after, err := answer(ctx)
		c.mu.Lock()
		delete(c.running, key)
		c.mu.Unlock()
		if err != nil {
			c.answer(id, nil, errorOf(ctx, err))
			return
		}
		if c.answer(id, result, nil) != nil {
			stop(ErrClosed)
			return
		}
		if after != nil {
			after()
		}
	})
}

// answer sends the answer to a request. The id is nil if the request has none that can be read.
func (c *Conn) answer(id json.RawMessage, result any, failure *Error) error {
	if id == nil {
		id = null
	}
	m := outgoing{ID: id, Error: failure}
	if failure == nil {
		data, err := encode(result)
		if err != nil {
			m.Error = Errorf(InternalError, "Cannot write the answer: %v.", err)
		}
		m.Result = data
	}
	return c.write(m)
}

// Over is closed when no message comes any more, while the requests are still being answered.
func (c *Conn) Over() <-chan struct{} { return c.over }

// Notify sends a message that has no answer.
func (c *Conn) Notify(method string, params any) error {
	return c.write(outgoing{Method: method, Params: params})
}

// Call sends a request and waits for its result, which it decodes. The error is an [*Error] if the other side has
// answered with one. When ctx ends, Call withdraws the request.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	answers := make(chan message, 1)
	c.mu.Lock()
	c.lastID++
	key := strconv.Itoa(c.lastID)
	c.waiting[key] = answers
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, key)
		c.mu.Unlock()
	}()
	if err := c.write(outgoing{ID: json.RawMessage(key), Method: method, Params: params}); err != nil {
		return err
	}
	select {
	case m := <-answers:
		return decode(m, result)
	case <-c.over:
		return ErrClosed
	case <-ctx.Done():
		_ = c.Notify(cancelMethod, map[string]json.RawMessage{"requestId": json.RawMessage(key)})
		return context.Cause(ctx)
	}
}

// decode returns the result in an answer, or its error.
func decode(m message, result any) error {
	if m.Error != nil && string(m.Error) != "null" {
		failure := &Error{}
		if err := json.Unmarshal(m.Error, failure); err != nil {
			failure = Errorf(InternalError, "The client has failed: %.500s", m.Error)
		}
		return failure
	}
	if result == nil || m.Result == nil {
		return nil
	}
	return json.Unmarshal(m.Result, result)
}

// resolve passes an answer to the request that waits for it, if any.
func (c *Conn) resolve(m message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := string(m.ID)
	if text := ""; key != "" && key[0] == '"' && json.Unmarshal(m.ID, &text) == nil {
		key = text // some clients return ids as strings
	}
	if answers := c.waiting[key]; answers != nil {
		delete(c.waiting, key)
		answers <- m
	}
}

// cancel cancels a request of the other side.
func (c *Conn) cancel(params json.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	cancel := c.running[string(p.ID)]
	c.mu.Unlock()
	if cancel != nil {
		cancel(errCancelled)
	}
}

// write sends a message. After an error it sends nothing more.
func (c *Conn) write(m outgoing) error {
	m.Version = "2.0"
	line, err := encode(m)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.broken == nil {
		_, c.broken = c.out.Write(line)
	}
	return c.broken
}
