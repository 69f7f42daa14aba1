package a2a

import (
	"encoding/json"
	"sync"

	"pollux/internal/face/a2a/schema"
)

// maxWaiting is the size of the events that wait for a client, in bytes. One that reads more slowly is left.
const maxWaiting = 16 << 20

// follower is a client that follows a task, until an event after which nothing happens without another message.
type follower struct {
	id      json.RawMessage // of the request
	isNew   bool            // the client speaks version 1.0
	isQuiet bool            // the client gets no events, but the task at the end
	most    int             // bytes of waiting events

	wake chan struct{} // holds a token if there is something to take

	mu      sync.Mutex
	waiting [][]byte
	size    int
	isOver  bool // nothing follows
	isSlow  bool // events are missing
}

func newFollower(id json.RawMessage, isNew, isQuiet bool, most int) *follower {
	return &follower{id: id, isNew: isNew, isQuiet: isQuiet, most: most, wake: make(chan struct{}, 1)}
}

// add adds an event, see [schema.NewEvent]. It never waits.
func (f *follower) add(e any) {
	if f.isQuiet {
		return
	}
	if f.isNew {
		e = schema.NewEvent(e)
	}
	data, err := json.Marshal(schema.NewResponse(f.id, e, nil))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.size += len(data)
	if err != nil || f.size > f.most {
		f.isSlow, f.waiting = true, nil
	}
	if !f.isSlow {
		f.waiting = append(f.waiting, data)
	}
	f.rouse()
}

// end says that nothing follows.
func (f *follower) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.isOver = true
	f.rouse()
}

func (f *follower) rouse() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// take returns the events that wait. isOver reports whether none follows, isSlow whether some are missing.
func (f *follower) take() (events [][]byte, isOver, isSlow bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	events, f.waiting, f.size = f.waiting, nil, 0
	return events, f.isOver, f.isSlow
}
