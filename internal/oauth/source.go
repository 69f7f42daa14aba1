package oauth

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pollux/internal/crash"
)

// Source has the tokens of one server. Its methods may be called from several goroutines at once.
type Source struct {
	name, endpoint string
	config         Config
	o              *Options

	// turn holds a value while a goroutine reads, refreshes or replaces the sign-in.
	turn   chan struct{}
	asks   atomic.Bool // Authorize runs
	unread sync.Once   // for the warning that the store cannot be read

	mu      sync.Mutex
	current *credential // nil if there is none
	isRead  bool        // current is up to date with the store
	refused bool        // the server has asked for a sign-in that there is not
	retry   time.Time   // when a refresh that has failed may be tried again
	failed  error       // why it has failed
}

// New returns the source of a server's tokens. endpoint is the server's address.
func New(server, endpoint string, c Config, o Options) *Source {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Noun = cmp.Or(o.Noun, "MCP server")
	o.ClientIDKey = cmp.Or(o.ClientIDKey, "oauth.clientId in the settings of the server")
	if o.Transport != nil {
		o.Transport = sync.OnceValues(o.Transport)
	}
	return &Source{name: server, endpoint: endpoint, config: c, o: &o, turn: make(chan struct{}, 1)}
}

// begin waits until no other goroutine changes the sign-in. The caller calls s.end then.
func (s *Source) begin(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Source) end() { <-s.turn }

// Sign adds a token to the header of a request, if there is one.
func (s *Source) Sign(ctx context.Context, header http.Header) error {
	c, err := s.usable(ctx, "")
	if err == nil && c != nil {
		header.Set("Authorization", "Bearer "+c.Access)
	}
	return err
}

// Renew reports whether there is another token than the one in a header that the server has refused. It
// refreshes the refused one, once.
func (s *Source) Renew(ctx context.Context, header http.Header) (bool, error) {
	s.mu.Lock()
	s.isRead = false // another process may have signed in
	s.mu.Unlock()
	c, err := s.usable(ctx, strings.TrimPrefix(header.Get("Authorization"), "Bearer "))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused = s.refused || c == nil && err == nil
	return c != nil, err
}

// State returns the last known state of the sign-in. It does not read the store.
func (s *Source) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch c := s.current; {
	case c != nil && (c.isValid(s.o.Now()) || c.canRefresh()):
		return SignedIn
	case c != nil:
		return Expired
	case s.refused || s.config.Enabled:
		return SignedOut
	}
	return None
}

// SignOut removes the sign-in from this machine.
func (s *Source) SignOut(ctx context.Context) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.end()
	if err := s.o.Store.remove(ctx, s.name); err != nil {
		return err
	}
	s.set(nil)
	return nil
}

// set replaces the sign-in.
func (s *Source) set(c *credential) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current, s.isRead, s.retry, s.failed = c, true, time.Time{}, nil
}

// usable returns a sign-in whose access token can be sent and is not the refused one, nil if there is none.
func (s *Source) usable(ctx context.Context, refused string) (*credential, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	s.read(ctx)
	now := s.o.Now()
	s.mu.Lock()
	c, retry, failed := s.current, s.retry, s.failed
	s.mu.Unlock()
	usable := without(c, refused, now)
	switch {
	case ctx.Err() != nil:
		s.end()
		return nil, context.Cause(ctx)
	case c == nil, !c.canRefresh(), usable != nil && (c.isFresh(now) || now.Before(retry)):
		s.end()
		return usable, nil
	case now.Before(retry):
		s.end()
		return nil, failed
	}
	return s.awaitRefresh(ctx, c, refused)
}

// awaitRefresh refreshes a sign-in and returns the result as usable does. It ends the turn of the caller. The
// refresh goes on when ctx ends, because its reply may have the only valid refresh token.
func (s *Source) awaitRefresh(ctx context.Context, c *credential, refused string) (*credential, error) {
	done := make(chan error, 1)
	go func() {
		defer s.end()
		defer crash.Recover()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreshTimeout)
		defer cancel()
		done <- s.refresh(ctx, c)
	}()
	select {
	case err := <-done:
		s.mu.Lock()
		defer s.mu.Unlock()
		if usable := without(s.current, refused, s.o.Now()); usable != nil {
			return usable, nil
		}
		return nil, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// without returns c if its access token is valid and not the refused one, else nil.
func without(c *credential, refused string, now time.Time) *credential {
	if c == nil || c.Access == refused || !c.isValid(now) {
		return nil
	}
	return c
}

// read reads the store unless that was done before. The caller has the turn.
func (s *Source) read(ctx context.Context) {
	s.mu.Lock()
	isRead := s.isRead
	s.mu.Unlock()
	if isRead {
		return
	}
	c, err := s.stored(ctx)
	if ctx.Err() != nil {
		return
	}
	if err == nil || c != nil {
		s.set(c)
		return
	}
	s.unread.Do(func() { s.warn("Cannot read the sign-in to %s %q: %v.", s.o.Noun, s.name, err) })
}

// stored returns the stored sign-in to the server's address, nil if there is none.
func (s *Source) stored(ctx context.Context) (*credential, error) {
	if _, err := checkURL("its URL", s.endpoint); err != nil {
		return nil, nil // others could read the token
	}
	c, err := s.o.Store.get(ctx, s.name)
	switch {
	case c == nil:
		return nil, err
	case c.ServerURL == "" && s.config.IsOwn:
		c.ServerURL = s.endpoint
	case !c.isFor(s.endpoint):
		return nil, err
	}
	c.ClientID = cmp.Or(c.ClientID, s.config.ClientID)
	return c, err
}
