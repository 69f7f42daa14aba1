package mcp

import (
	"context"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// expire records a server's notice that a list has changed.
func (s *server) expire(list listSet) {
	s.mu.Lock()
	s.stale |= list
	if s.renewed == nil {
		s.renewed = make(chan struct{})
	}
	s.mu.Unlock()
	select {
	case s.expired <- struct{}{}:
	default:
	}
}

// refreshPause is the time after which lists are read a second time, if they are the same as before
// despite the server's notice of a change.
const refreshPause = 500 * time.Millisecond

// refresh reads the lists that have changed. key is that of [server.keep].
func (s *server) refresh(ctx context.Context, session *sdk.ClientSession, key string) {
	s.mu.Lock()
	lists, before := s.stale, s.offer
	s.stale = 0
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.endRenewal()
	}()
	for attempt := range 2 {
		o := before
		if err := s.within(ctx, func(ctx context.Context) error { return o.list(ctx, session, lists) }); err != nil {
			s.all.o.Log.Debug("MCP server does not list again", "server", s.config.Name, "error", s.conceal(err))
			return
		}
		if !o.equals(&before) {
			s.publish(&o, session)
			s.keep(&o, key)
			return
		}
		if attempt > 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(refreshPause):
		}
	}
}

// endRenewal reports that the lists that had changed have been read, unless more have since. The caller holds s.mu.
func (s *server) endRenewal() {
	if s.stale == 0 && s.renewed != nil {
		close(s.renewed)
		s.renewed = nil
	}
}

// noticePause is the time after a call in which a server may still notify of the tools that the call has changed.
const noticePause = 30 * time.Millisecond

// renew waits until the lists have been read of whose change the server has notified, or may yet notify because
// of its last call.
func (s *server) renew(ctx context.Context) {
	s.mu.Lock()
	left := noticePause - time.Since(s.called)
	mayNotify := s.session != nil && left > 0 && s.renewed == nil
	if mayNotify {
		has := s.session.InitializeResult().Capabilities
		mayNotify = has != nil && has.Tools != nil && has.Tools.ListChanged
	}
	s.mu.Unlock()
	if mayNotify {
		select {
		case <-time.After(left):
		case <-ctx.Done():
		}
	}
	s.mu.Lock()
	renewed := s.renewed
	s.mu.Unlock()
	if renewed != nil {
		select {
		case <-renewed:
		case <-ctx.Done():
		}
	}
}
