package a2a

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"pollux/internal/oauth"
)

const (
	// firstPause is the time before the first question about a task that runs, and longestPause the longest time
	// between two of them.
	firstPause   = time.Second
	longestPause = 15 * time.Second
	// maxMissed is the number of questions in a row that may stay without an answer.
	maxMissed = 5
)

// poll asks for a task until the agent has finished it or waits for the user. An agent without streams may answer
// before it is done.
func (c *call) poll(ctx context.Context) error {
	c.wire.person = oauth.Person{} // the person has signed in for the message
	for missed := 0; c.isRunning; {
		select {
		case <-time.After(c.pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		c.pause = min(c.pause*3/2, longestPause)
		switch err := c.getTask(ctx); {
		case err == nil:
			missed = 0
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !isTransient(err) || missed == maxMissed:
			return fmt.Errorf("the agent has begun a task, and does not report its end: %w", err)
		default:
			missed++
		}
	}
	return nil
}

func (c *call) getTask(ctx context.Context) error {
	task := c.conversation.task
	req, err := c.link.endpoint.get(ctx, task)
	if err != nil {
		return err
	}
	resp, err := c.wire.send(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	e, err := c.readOne(resp.Body)
	switch {
	case err != nil:
		return err
	case e.Kind == "" && e.ID != "":
		e.Kind = taskEvent // version 1.0 and REST name no kind here
	}
	if e.Kind != taskEvent || e.ID != task {
		return errors.New("the agent sends something else in place of the task")
	}
	c.take(e)
	return nil
}

// isTransient reports whether a question may succeed later: the agent could not be reached, or is busy.
func isTransient(err error) bool {
	if e, ok := errors.AsType[*statusError](err); ok {
		return e.status == http.StatusTooManyRequests || e.status >= 500
	}
	_, isUnreachable := errors.AsType[*unreachableError](err)
	return isUnreachable
}
