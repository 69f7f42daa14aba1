package config

import (
	"testing"

	"pollux/internal/exit"
)

// A server that no program would read is not added.
func TestReservedNamesOfServers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, name := range []string{"__proto__", "constructor", "prototype", ""} {
		if _, err := p.paths().SetServer(User, name, map[string]any{"command": "x"}); exit.CodeOf(err) != exit.Input {
			t.Errorf("%q: %v", name, err)
		}
	}
	if s, _ := p.mustLoad(t); len(MCPServers.In(s, nil)) > 0 {
		t.Error("a server is added")
	}
}
