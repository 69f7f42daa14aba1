package a2a

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"time"

	"pollux/internal/oauth"
	"pollux/llm/httpwire"
)

const (
	// callTimeout limits a call. Research takes agents more than ten minutes.
	callTimeout = 30 * time.Minute
	// cancelTimeout limits the request that ends a task. Some agents reply only when it has ended.
	cancelTimeout = time.Second
	// maxStream is how much of the response to a call is read by default, in bytes.
	maxStream = 256 << 20
	// maxEvent is the maximum size of an event, in bytes.
	maxEvent = 16 << 20
	// linger is the wait for further events after the one that the agent marked as final.
	linger = 2 * time.Second
	// updatePause is the time between two updates, at least, once a result has more than smallResult bytes.
	updatePause = 200 * time.Millisecond
	smallResult = 32 << 10
)

// Send gives the agent a text and returns the text that it answers with. update receives the answer so far, from
// time to time; nil drops it. The next call continues the conversation.
//
// With an error, it returns the text received so far. When ctx ends, Send asks the agent to end
// its task.
func (a *Agent) Send(ctx context.Context, text string, update func(text string)) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, callTimeout, fmt.Errorf("it did not finish within %v", callTimeout))
	defer cancel()
	l, err := a.connect(ctx, a.o.Person)
	if err != nil {
		return "", err
	}
	c := &call{
		link: l, wire: l.wire, limit: a.maxStream, pause: a.firstPause,
		update: update, conversation: a.o.Conversations.get(a.key()), result: newResult(),
	}
	c.wire.person = a.o.Person
	err = c.run(ctx, text)
	if c.conversation.task != "" && c.result.events == 0 && isUnknownTask(err) {
		c.conversation = conversation{}
		err = c.run(ctx, text)
	}
	if err == nil && c.result.events == 0 {
		err = errors.New("no response from remote agent")
	}
	if err != nil && (ctx.Err() != nil || errors.Is(err, errTooMuch) || c.isRunning) {
		c.cancel(ctx)
	}
	a.o.Conversations.of.Store(a.key(), c.conversation)
	return c.result.String(), err
}

// key identifies the agent among others. One that moves elsewhere does not continue the conversation.
func (a *Agent) key() string { return a.o.Name + "\n" + a.o.CardURL + "\n" + a.o.CardJSON }

// errTooMuch is the error for an agent that sends more than Pollux reads.
var errTooMuch = errors.New("the agent sends too much")

type call struct {
	link         *link
	wire         wire
	limit        int64 // of a stream read, or of all events without one, in bytes
	pause        time.Duration
	update       func(text string)
	updated      time.Time
	conversation conversation
	result       *result
	isOver       bool // the agent has announced the end of the stream
	isRunning    bool // the last event is a task that the agent still works on
}

// run sends the text and reads the response.
func (c *call) run(ctx context.Context, text string) error {
	req, err := c.link.endpoint.message(ctx, text, c.conversation)
	if err != nil {
		return err
	}
	resp, err := c.wire.send(req)
	if err != nil {
		return c.explain(err)
	}
	defer resp.Body.Close()
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/event-stream" {
		err = c.readStream(&bounded{resp.Body, c.limit, fmt.Errorf("%w: more than %d MiB", errTooMuch, c.limit>>20)})
	} else {
		var e *event
		if e, err = c.readOne(resp.Body); err == nil {
			c.take(e)
			err = c.poll(ctx)
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// explain returns why the agent has refused a call.
func (c *call) explain(err error) error {
	e, ok := errors.AsType[*statusError](err)
	switch {
	case !ok:
		return err
	case isRefusal(e.status) && c.wire.credential == nil:
		return fmt.Errorf("%w. Add %q to its definition", err, "auth")
	case isRefusal(e.status):
		return fmt.Errorf("%w. Check %q in its definition", err, "auth")
	}
	return err
}

func (c *call) readOne(body io.Reader) (*event, error) {
	data, err := io.ReadAll(io.LimitReader(body, maxEvent+1))
	c.limit -= int64(len(data))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the response broke off: %s", clean(err.Error()))
	case len(data) > maxEvent:
		return nil, fmt.Errorf("%w: an event of more than %d MiB", errTooMuch, maxEvent>>20)
	case c.limit < 0:
		return nil, errTooMuch
	}
	return c.link.endpoint.decode(data)
}

func (c *call) readStream(body *bounded) error {
	frames := httpwire.NewFrames(body)
	defer frames.Release()
	frames.Limit(maxEvent)
	for {
		data, err := frames.Next()
		switch {
		case err == io.EOF, err != nil && c.isOver:
			return nil
		case errors.Is(err, httpwire.ErrTooLarge):
			return fmt.Errorf("%w: an event of more than %d MiB", errTooMuch, maxEvent>>20)
		case err != nil && body.left <= 0:
			return body.err
		case err != nil:
			return fmt.Errorf("the stream of the agent broke off: %s", clean(err.Error()))
		}
		e, err := c.link.endpoint.decode(data)
		if err != nil {
			return err
		}
		c.take(e)
		if e.isLast() && !c.isOver {
			c.isOver = true
			defer time.AfterFunc(linger, func() { _ = body.Close() }).Stop()
		}
	}
}

func (c *call) take(e *event) {
	c.result.add(e)
	c.conversation = c.conversation.follow(e)
	c.isRunning = e.isRunning() && c.conversation.task != ""
	if c.update != nil && (c.result.size() < smallResult || time.Since(c.updated) >= updatePause) {
		c.updated = time.Now()
		c.update(c.result.String())
	}
}

// cancel asks the agent to end its task. It sends the request even if ctx has ended.
func (c *call) cancel(ctx context.Context) {
	task := c.conversation.task
	if task == "" || c.result.events == 0 {
		return // the agent has not begun, as far as is known
	}
	c.conversation.task = ""
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer cancel()
	req, err := c.link.endpoint.cancel(ctx, task)
	if err != nil {
		return
	}
	c.wire.person = oauth.Person{}
	if resp, err := c.wire.send(req); err == nil {
		_ = resp.Body.Close() // nothing depends on the reply
	}
}
