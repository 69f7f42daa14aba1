package process

import (
	"math"
	"sync"
	"time"
)

// Pause is the time in which a program waits for a person to answer a question of Pollux. Limits of its time do not count it. Its methods
// may be called from several goroutines at once; those of a nil Pause are about a program that never waits.
type Pause struct {
	mu    sync.Mutex // guards the following
	open  int        // questions without an answer
	since time.Time  // of the first one
	ended time.Time  // when the last one had its answer
	total time.Duration
}

// Begin begins a part of the pause, which end ends. Parts may overlap.
func (p *Pause) Begin() (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open++; p.open == 1 {
		p.since = time.Now()
	}
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.open--; p.open == 0 {
			p.ended = time.Now()
			p.total += p.ended.Sub(p.since)
		}
	})
}

// Total returns how long the program has waited so far.
func (p *Pause) Total() time.Duration {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open > 0 {
		return p.total + time.Since(p.since)
	}
	return p.total
}

// sinceEnd returns the time since the program has last waited: 0 while it waits, and the longest time if it never has.
func (p *Pause) sinceEnd() time.Duration {
	if p == nil {
		return math.MaxInt64
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.open > 0:
		return 0
	case p.ended.IsZero():
		return math.MaxInt64
	}
	return time.Since(p.ended)
}
