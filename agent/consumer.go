package agent

import (
	"context"
	"errors"
)

var (
	// errLeft means that the consumer of the events broke out of its loop.
	errLeft = errors.New("the run's events are no longer read")
	// errOver means that the run has ended and an event has reported why.
	errOver = errors.New("the run is over")
)

// consumer receives the events of a run.
type consumer struct {
	yield   func(Event, error) bool
	cancel  context.CancelCauseFunc // of the run
	hasLeft bool                    // it has stopped reading
}

// emit yields an event to the consumer. It returns errLeft if the consumer has stopped
// reading.
func (c *consumer) emit(e Event) error {
	if c.hasLeft || !c.yield(e, nil) {
		c.hasLeft = true
		c.cancel(errLeft)
		return errLeft
	}
	return nil
}

// end emits the event that ends the run.
func (c *consumer) end(e Event) error {
	if err := c.emit(e); err != nil {
		return err
	}
	return errOver
}

// apply ends the run if the verdict of a hook requires it.
func (c *consumer) apply(v Verdict) error {
	switch {
	case v.Stop:
		return c.end(Stopped{Reason: v.Reason, SystemMessage: v.SystemMessage, ContextCleared: v.ClearContext})
	case v.Block:
		return c.end(Blocked{Reason: v.Reason, SystemMessage: v.SystemMessage})
	}
	return nil
}
