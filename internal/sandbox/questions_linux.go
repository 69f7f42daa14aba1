//go:build amd64 || arm64

package sandbox

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"pollux/internal/crash"
	"pollux/internal/sandbox/network"
	"pollux/internal/sandbox/seccomp"
)

// questions are those about the hosts that connections of a program wait for.
type questions struct {
	ask   Ask
	turns atomic.Uint32

	mu      sync.Mutex // guards the following
	open    map[network.Host]*question
	waiting int // connections
	// unseen are the sockets that were connected when a signal had ended the call.
	unseen map[uint64]bool
}

// question is one about a host.
type question struct {
	done     chan struct{} // closed when the answer is there
	answer   Answer
	waiting  int // connections
	withdraw context.CancelFunc
}

const (
	// maxWaiting is the number of connections of a program that wait at once.
	maxWaiting = 512
	// glance is the time between two looks at whether a program still waits.
	glance = 50 * time.Millisecond
	// linger is how long a question stays open for which no connection waits: a signal may have ended a call that begins again.
	linger = 10 * glance
	// dying limits how long a connection that gets no answer waits for the end of its program, which must not go on as if it had been refused.
	dying = 2 * time.Second
)

func newQuestions(ask Ask) *questions {
	return &questions{ask: ask, open: map[network.Host]*question{}}
}

// turn returns another number below n for each connection, so that programs which try again reach another address.
func (q *questions) turn(n int) int { return int(q.turns.Add(1)-1) % n }

// wait waits for the answer about a host as long as the program does. It asks if no other connection waits for the answer.
func (q *questions) wait(isWaiting func() bool, h network.Host) Answer {
	one := q.join(h)
	if one == nil {
		return Unasked
	}
	defer q.leave(h, one)
	look := time.NewTicker(glance)
	defer look.Stop()
	answered := one.done
	var dead <-chan time.Time
	for {
		select {
		case <-answered:
			if one.answer != Unanswered {
				return one.answer
			}
			answered, dead = nil, time.After(dying) // the call is about to end, and its program with it
		case <-dead:
			return Unanswered
		case <-look.C:
			if !isWaiting() { // the program has ended, or a signal has ended the call
				return Unanswered
			}
		}
	}
}

// join adds a connection to the question about a host, and asks it if it is new. It returns nil if too many wait.
func (q *questions) join(h network.Host) *question {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting >= maxWaiting {
		return nil
	}
	q.waiting++
	one := q.open[h]
	if one == nil {
		ctx, withdraw := context.WithCancel(context.Background())
		one = &question{done: make(chan struct{}), withdraw: withdraw}
		q.open[h] = one
		go func() {
			defer crash.Recover()
			defer withdraw()
			one.answer = q.ask(ctx, h)
			q.mu.Lock()
			defer q.mu.Unlock()
			q.close(h, one)
			close(one.done)
		}()
	}
	one.waiting++
	return one
}

// leave removes a connection from a question, which is withdrawn after the last one.
func (q *questions) leave(h network.Host, one *question) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting--
	if one.waiting--; one.waiting > 0 {
		return
	}
	time.AfterFunc(linger, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if one.waiting == 0 {
			q.close(h, one)
			one.withdraw()
		}
	})
}

// close removes a question from the open ones. The caller holds the lock.
func (q *questions) close(h network.Host, one *question) {
	if q.open[h] == one {
		delete(q.open, h)
	}
}

// seen returns the error for a call that has connected a socket. The same call may have done so before: a signal has ended it meanwhile, and it began again.
func (q *questions) seen(c *seccomp.Call, socket int, errno unix.Errno) unix.Errno {
	inode, err := inodeOf(socket)
	if err != nil || errno != 0 && errno != unix.EISCONN {
		return errno
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	wasUnseen := q.unseen[inode]
	delete(q.unseen, inode)
	switch {
	case errno == 0 && !c.IsWaiting() && len(q.unseen) < maxWaiting:
		if q.unseen == nil {
			q.unseen = map[uint64]bool{}
		}
		q.unseen[inode] = true
	case wasUnseen:
		return 0
	}
	return errno
}
