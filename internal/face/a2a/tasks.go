package a2a

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"pollux/internal/crash"
)

// tasks are the tasks of all clients. Their number is limited, and so is the number of their open sessions: the session of a
// task that does nothing ends when another task needs one, and opens again with the next message.
type tasks struct {
	server *server
	limits

	mu       sync.Mutex
	byID     map[string]*task
	seats    int // sessions that are open, open or end
	isClosed bool
	closing  sync.WaitGroup // of tasks that are forgotten
}

// limits are the numbers of tasks that the server keeps and of sessions that are open at the same time, and the size of the events that wait for
// a client, in bytes.
type limits struct{ tasks, sessions, waiting int }

const (
	// maxTasks is the number of tasks that the server keeps in memory. Beyond it, it forgets the ones that have ended, then
	// those that have done nothing for the longest time. Their sessions stay on disk.
	maxTasks = 500
	// maxSessions is the number of tasks that work at the same time, or wait for an answer.
	maxSessions = 32
)

func newTasks(s *server) *tasks {
	l := s.limits
	return &tasks{server: s, limits: limits{cmp.Or(l.tasks, maxTasks), cmp.Or(l.sessions, maxSessions), cmp.Or(l.waiting, maxWaiting)}, byID: map[string]*task{}}
}

// find returns a task.
func (l *tasks) find(id string) (*task, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.byID[id]; t != nil {
		return t, nil
	}
	return nil, taskNotFound(id)
}

// all returns the tasks, the oldest first.
func (l *tasks) all() []*task {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.SortedFunc(maps.Values(l.byID), func(a, b *task) int { return cmp.Or(a.began.Compare(b.began), cmp.Compare(a.id, b.id)) })
}

// add adds a task. If there are too many, it forgets one that does nothing.
func (l *tasks) add(t *task) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isClosed {
		return errClosing
	}
	if len(l.byID) >= l.tasks {
		idle := l.idle()
		if len(idle) == 0 {
			return errTooMany(l.tasks)
		}
		l.drop(idle[0])
	}
	l.byID[t.id] = t
	return nil
}

// forget removes a task, and ends its session.
func (l *tasks) forget(t *task) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID[t.id] == t {
		l.drop(t)
	}
}

// drop removes a task, and ends its session in the background. The caller holds l.mu.
func (l *tasks) drop(t *task) {
	delete(l.byID, t.id)
	if l.isClosed {
		return // closeAll ends it
	}
	l.closing.Go(func() {
		defer crash.Recover()
		t.close()
		t.goroutines.Wait()
	})
}

// idle returns the tasks that do nothing: those that have ended, then the others, the one that has done nothing for the longest
// time first.
func (l *tasks) idle() []*task {
	type row struct {
		*task
		idleness
	}
	var rows []row
	for _, t := range l.byID {
		if i := t.idleness(); i.isIdle {
			rows = append(rows, row{t, i})
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		if a.hasEnded != b.hasEnded {
			return map[bool]int{true: -1, false: 1}[a.hasEnded]
		}
		return a.since.Compare(b.since)
	})
	list := make([]*task, len(rows))
	for i, r := range rows {
		list[i] = r.task
	}
	return list
}

// takeSeat makes room for another open session. It ends that of a task that does nothing, if there are too many.
func (l *tasks) takeSeat() error {
	for {
		l.mu.Lock()
		hasRoom, isClosed, idle := l.seats < l.sessions, l.isClosed, l.idle()
		if hasRoom && !isClosed {
			l.seats++
		}
		l.mu.Unlock()
		switch {
		case isClosed:
			return errClosing
		case hasRoom:
			return nil
		case !slices.ContainsFunc(idle, (*task).park):
			return errBusy(l.sessions)
		}
	}
}

// leaveSeat says that a session has ended.
func (l *tasks) leaveSeat() {
	l.mu.Lock()
	l.seats--
	l.mu.Unlock()
}

// closeAll ends all tasks.
func (l *tasks) closeAll() {
	l.mu.Lock()
	l.isClosed = true
	list := slices.Collect(maps.Values(l.byID))
	l.mu.Unlock()
	var closing sync.WaitGroup
	for _, t := range list {
		closing.Go(func() {
			defer crash.Recover()
			t.close()
			t.goroutines.Wait()
		})
	}
	closing.Wait()
	l.closing.Wait()
}
