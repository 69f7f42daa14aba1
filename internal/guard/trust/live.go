package trust

import (
	"sync"
	"sync/atomic"
)

// Live is the trust in a folder while Pollux works in it, which a person can change. A nil Live is not trusted. It is
// safe for concurrent use.
type Live struct {
	state    atomic.Uint32
	mu       sync.Mutex
	watchers []func(trusted bool)
}

// NewLive returns the trust of a folder that begins in a state.
func NewLive(s State) *Live {
	l := &Live{}
	l.state.Store(uint32(s))
	return l
}

// State returns the state now.
func (l *Live) State() State {
	if l == nil {
		return Untrusted
	}
	return State(l.state.Load())
}

// IsTrusted reports whether the folder is trusted now.
func (l *Live) IsTrusted() bool { return l.State() == Trusted }

// Set changes the state, and then calls the watchers.
func (l *Live) Set(s State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.Store(uint32(s))
	for _, watch := range l.watchers {
		watch(s == Trusted)
	}
}

// Watch has f called after each change. f must not change the trust.
func (l *Live) Watch(f func(trusted bool)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watchers = append(l.watchers, f)
}
