package mcp

import (
	"maps"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/crash"
)

// maxFollowed limits the resources of a server whose changes Pollux wants to know.
const maxFollowed = 50

// subscribe asks the server to notify Pollux of changes to a resource that was read, if the server can. Those of
// subagents are not asked: they have no later prompt for the news.
func (s *server) subscribe(session *sdk.ClientSession, uri string) {
	has := session.InitializeResult().Capabilities
	if s.all.o.Subagent != "" || has == nil || has.Resources == nil || !has.Resources.Subscribe {
		return
	}
	s.mu.Lock()
	_, isKnown := s.read[uri]
	isNew := !isKnown && s.session == session && len(s.read) < maxFollowed
	if isNew {
		if s.read == nil {
			s.read = map[string]bool{}
		}
		s.read[uri] = false
	}
	s.mu.Unlock()
	if !isNew {
		return
	}
	s.all.wg.Go(func() {
		defer crash.Recover()
		if err := session.Subscribe(s.all.ctx, &sdk.SubscribeParams{URI: uri}); err != nil {
			s.all.o.Log.Debug("MCP server does not tell when a resource changes", "server", s.config.Name, "error", s.conceal(err))
		}
	})
}

// mark records whether a resource that was read has changed since.
func (s *server) mark(uri string, hasChanged bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, isKnown := s.read[uri]; isKnown {
		s.read[uri] = hasChanged
	}
}

// TakeOutdated returns the ids of the resources that have changed since they were read, as their servers say. Each
// is returned once, until it is read again.
func (s *Servers) TakeOutdated() (ids []string) {
	for _, one := range s.list {
		one.mu.Lock()
		for _, uri := range slices.Sorted(maps.Keys(one.read)) {
			if one.read[uri] {
				delete(one.read, uri)
				ids = append(ids, (&Resource{Server: one.config.Name, URI: uri}).ID())
			}
		}
		one.mu.Unlock()
	}
	return ids
}

// greet notes that the server is connected, for TakeReturned if it was before.
func (s *server) greet(wasConnected bool) {
	if !wasConnected {
		return
	}
	s.mu.Lock()
	s.hasReturned = true
	s.mu.Unlock()
	s.all.changed()
}

// TakeReturned returns the names of the servers that are connected again after their connection had ended, each once.
func (s *Servers) TakeReturned() (names []string) {
	for _, one := range s.list {
		one.mu.Lock()
		if one.hasReturned && one.state == Connected {
			one.hasReturned = false
			names = append(names, one.config.Name)
		}
		one.mu.Unlock()
	}
	return names
}
