package hook

import (
	"slices"
	"sync"
	"time"
)

// Running is a hook that runs just now.
type Running struct {
	Name string // the beginning of its ID
	// Number and Count are the position among the hooks of an event that run one after the other; Count is 1 for others.
	Number, Count int
	// IsUsers is set unless the hook is an extension's.
	IsUsers bool
	Began   time.Time
}

// runners are the hooks that run. The zero value is ready to use.
type runners struct {
	mu   sync.Mutex // held during calls of Options.Running, so that they are in order
	list []*Running
}

// begin reports that a hook runs, number of count, until end is called.
func (s *Set) begin(p planned, number, count int) (end func()) {
	if s.o.Running == nil {
		return func() {}
	}
	r := &Running{Name: brief(p.ID()), Number: number, Count: count, IsUsers: p.Source != Extensions, Began: time.Now()}
	s.running.change(s.o.Running, func(list []*Running) []*Running { return append(list, r) })
	return func() {
		s.running.change(s.o.Running, func(list []*Running) []*Running {
			return slices.DeleteFunc(list, func(other *Running) bool { return other == r })
		})
	}
}

// change changes the list, and reports the new one.
func (r *runners) change(report func([]Running), f func([]*Running) []*Running) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = f(r.list)
	now := make([]Running, len(r.list))
	for i, one := range r.list {
		now[i] = *one
	}
	report(now)
}
