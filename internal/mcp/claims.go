package mcp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"pollux/tool"
)

// claims decide which server has the name of a tool, if several do: names of servers that differ only in
// characters that the names of tools cannot have lead to the same names. The user's servers come before those
// of extensions, and then they are in the order of their names, whichever connects first.
type claims struct {
	mu     sync.Mutex
	of     map[*server]*claim
	warned map[[2]*server]bool
}

// claim is the set of names that a server has declared.
type claim struct {
	tools  []tool.Tool         // nil while it is not connected
	names  map[string]struct{} // of all tools since its start: no other gets them while it is away for a moment
	active []tool.Tool         // the tools that are in the registry
}

// register sets the tools of a server, except those whose names belong to a server that comes before it, and
// takes names from servers that come after it.
func (s *Servers) register(one *server, tools []tool.Tool) {
	s.claims.mu.Lock()
	defer s.claims.mu.Unlock()
	if s.claims.of == nil {
		s.claims.of, s.claims.warned = map[*server]*claim{}, map[[2]*server]bool{}
	}
	c := s.claims.of[one]
	if c == nil {
		c = &claim{names: map[string]struct{}{}}
		s.claims.of[one] = c
	}
	c.tools = tools
	for _, t := range tools {
		c.names[t.Spec().Name] = struct{}{}
	}
	s.assign(one)
}

// withdraw removes the tools of a server from the registry. Their names stay its own.
func (s *Servers) withdraw(one *server) {
	s.claims.mu.Lock()
	defer s.claims.mu.Unlock()
	if c := s.claims.of[one]; c != nil {
		c.tools, c.active = nil, nil
	}
	s.o.Registry.Remove(Owner(one.config.Name))
}

// release removes the tools of a server from the registry, and gives their names to other servers.
func (s *Servers) release(one *server) {
	s.withdraw(one)
	s.claims.mu.Lock()
	defer s.claims.mu.Unlock()
	delete(s.claims.of, one)
	s.assign(nil)
}

// assign brings the registry up to date after the tools of a server have changed, nil for none. The servers
// that come last give their names away first. The caller holds s.claims.mu.
func (s *Servers) assign(changed *server) {
	order := slices.SortedFunc(slices.Values(s.list), precedence)
	for i, one := range slices.Backward(order) {
		c := s.claims.of[one]
		if c == nil || c.tools == nil {
			continue
		}
		active := slices.DeleteFunc(slices.Clone(c.tools), func(t tool.Tool) bool {
			return slices.ContainsFunc(order[:i], func(other *server) bool { return s.isTaken(t, one, other) })
		})
		if one != changed && slices.Equal(active, c.active) {
			continue
		}
		c.active = active
		for _, conflict := range s.o.Registry.Set(Owner(one.config.Name), active...) {
			s.o.Log.Debug("a tool of an MCP server is not used: its name is taken", "server", one.config.Name, "tool", conflict.Name, "owner", conflict.Owner)
		}
	}
}

// isTaken reports whether the name of a server's tool belongs to another one, and warns the user.
func (s *Servers) isTaken(t tool.Tool, one, other *server) bool {
	c := s.claims.of[other]
	if c == nil {
		return false
	}
	name := t.Spec().Name
	if _, isTaken := c.names[name]; !isTaken {
		return false
	}
	if pair := [2]*server{other, one}; !s.claims.warned[pair] {
		s.claims.warned[pair] = true
		s.warn(fmt.Sprintf("The MCP servers %q and %q have tools with the same name, such as %s. Those of %q are used. Rename one of the servers.",
			other.config.Name, one.config.Name, name, other.config.Name))
	}
	return true
}

// precedence orders servers that want the same name: the first one gets it.
func precedence(a, b *server) int {
	isTheirs := func(s *server) int {
		if s.config.Extension != "" {
			return 1
		}
		return 0
	}
	return cmp.Or(isTheirs(a)-isTheirs(b), strings.Compare(a.config.Name, b.config.Name))
}
