package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Programs that download themselves first, such as those of npx, take each other's time. So only some start at once.
// One that takes long lets the next begin.
const (
	maxStarts = 3
	slowStart = 15 * time.Second
)

// enter waits until the server's program may start. The caller calls leave when it has.
func (s *server) enter(ctx context.Context) (leave func(), err error) {
	if s.config.Kind() != Stdio {
		s.hasBegun()
		return func() {}, nil
	}
	s.note("it waits for others to start")
	select {
	case s.all.starts <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	s.hasBegun()
	free := sync.OnceFunc(func() { <-s.all.starts })
	slow := time.AfterFunc(slowStart, free)
	return func() {
		slow.Stop()
		free()
	}, nil
}

// hasBegun records that the start of the server begins.
func (s *server) hasBegun() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.began = time.Now()
}

// LastStart returns when the last of some servers began to start: now, if one of them still waits for others.
func (s *Servers) LastStart(names []string) (last time.Time) {
	for _, name := range names {
		one := s.find(name)
		if one == nil {
			continue
		}
		one.mu.Lock()
		began := one.began
		one.mu.Unlock()
		if began.IsZero() {
			return time.Now()
		}
		if began.After(last) {
			last = began
		}
	}
	return last
}

// note records what a person waits for while the server connects.
func (s *server) note(doing string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doing = doing
}

// Progress describes what a server does that a person waits for, and the last line that its program has printed.
func (s *Servers) Progress(name string) string {
	one := s.find(name)
	if one == nil {
		return ""
	}
	one.mu.Lock()
	doing, program := one.doing, one.program
	one.mu.Unlock()
	if program != nil {
		if line := program.errors.LastLine(one.config.conceal); line != "" {
			doing += fmt.Sprintf(", its last words: %s", line)
		}
	}
	return doing
}
