package oauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

const (
	// refreshTimeout limits a refresh with everything that belongs to it.
	refreshTimeout = time.Minute
	// refreshPause is the time after a failure before the next attempt.
	refreshPause = 30 * time.Second
)

// refresh replaces the tokens of a sign-in. Of several processes that want to, one refreshes and the others
// use its result. The caller has the turn.
func (s *Source) refresh(ctx context.Context, old *credential) error {
	unlock, err := s.o.Store.lock(ctx, s.name)
	if err != nil {
		return s.postpone(err)
	}
	defer unlock()
	for range 2 {
		c, err := s.stored(ctx)
		switch {
		case c == nil && err != nil:
			return s.postpone(err)
		case c == nil: // another process has signed out
			s.set(nil)
			return nil
		case c.Access != old.Access && c.isFresh(s.o.Now()):
			s.set(c)
			return nil
		case !c.canRefresh():
			s.set(c)
			return nil
		}
		t, err := s.exchange(ctx, c.TokenURL, s.identityOf(c), s.refreshForm(c))
		if err == nil {
			s.adopt(ctx, c, t)
			return nil
		}
		if r, ok := errors.AsType[*refusal](err); !ok || r.Code != "invalid_grant" { // the token may still be valid
			return s.postpone(err)
		}
		// Gemini CLI does not know the lock: it may have refreshed meanwhile.
		again, err := s.stored(ctx)
		if again == nil || again.Refresh == c.Refresh {
			return s.forget(ctx, again, err)
		}
	}
	return s.postpone(errors.New("the authorization server accepts none of the refresh tokens"))
}

// postpone records that a refresh has failed.
func (s *Source) postpone(err error) error {
	err = fmt.Errorf("cannot refresh the sign-in: %w", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retry, s.failed = s.o.Now().Add(refreshPause), err
	return err
}

// forget removes a sign-in that the authorization server has ended. failure is why it could not be read.
func (s *Source) forget(ctx context.Context, c *credential, failure error) error {
	if c != nil {
		failure = s.o.Store.remove(ctx, s.name)
	}
	if failure != nil {
		s.warn("Cannot remove the sign-in to %s %q, which is over: %v.", s.o.Noun, s.name, failure)
	}
	s.set(nil)
	s.mu.Lock()
	s.refused = true
	s.mu.Unlock()
	return nil
}

// adopt uses and stores new tokens. Those that cannot be stored are used until Pollux ends. The text, if any, is
// a message for the user after a sign-in.
func (s *Source) adopt(ctx context.Context, c *credential, t *tokens) (text string) {
	c = c.with(t, s.o.Now())
	text, err := s.o.Store.put(ctx, c)
	if err != nil {
		s.warn("Cannot store the sign-in to %s %q: %v. Sign in again in the next session.", s.o.Noun, s.name, err)
	}
	s.set(c)
	return text
}

// with returns the sign-in with new tokens.
func (c *credential) with(t *tokens, now time.Time) *credential {
	next := *c
	next.Access, next.Type, next.Updated, next.Expires = t.Access, t.Type, now, time.Time{}
	next.Refresh, next.Scope = cmp.Or(t.Refresh, c.Refresh), cmp.Or(t.Scope, c.Scope)
	if t.Lifetime > 0 {
		next.Expires = now.Add(t.Lifetime)
	}
	return &next
}

// identityOf returns the client that has signed in.
func (s *Source) identityOf(c *credential) identity {
	id := identity{ID: c.ClientID, Secret: c.ClientSecret}
	if c.ClientID == s.config.ClientID {
		id.Secret = cmp.Or(s.config.ClientSecret, id.Secret)
	}
	return id
}

func (s *Source) refreshForm(c *credential) url.Values {
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {c.Refresh}}
	if resource, err := resourceOf(c.ServerURL); err == nil && !s.config.NoResource {
		form.Set("resource", cmp.Or(c.Resource, resource))
	}
	if len(s.config.Scopes) > 0 {
		form.Set("scope", strings.Join(s.config.Scopes, " "))
	}
	return form
}

func (s *Source) warn(format string, args ...any) {
	s.o.Warn(clean(fmt.Sprintf(format, args...)))
}
