package web

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

const (
	hostRequests = 10 // requests to one host within hostWindow
	hostWindow   = time.Minute
	hostsKnown   = 1000
)

// limiter limits the rate of requests to the same host.
type limiter struct {
	mu    sync.Mutex
	hosts *lru.Cache[string, []time.Time]
	now   func() time.Time
}

func newLimiter() *limiter { return &limiter{now: time.Now} }

// allow reports whether a request to a host is permitted now, and counts it.
func (l *limiter) allow(host string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts == nil {
		l.hosts, _ = lru.New[string, []time.Time](hostsKnown) // fails for sizes below 1 only
	}
	now := l.now()
	times, _ := l.hosts.Get(host)
	for len(times) > 0 && now.Sub(times[0]) >= hostWindow {
		times = times[1:]
	}
	if len(times) >= hostRequests {
		return false
	}
	l.hosts.Add(host, append(times[:len(times):len(times)], now))
	return true
}
