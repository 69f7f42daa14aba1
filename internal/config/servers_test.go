package config

import (
	"strings"
	"testing"

	"pollux/internal/exit"

	"github.com/google/go-cmp/cmp"
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

// A provider of the user may have dots in its name, and is replaced as a whole.
func TestSetProvider(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user(t, `{"modelProviders": {"a.b": {"headers": {"X": "y"}}, "c": {}}}`)
	if err := p.paths().SetProvider("a.b", map[string]any{"baseUrl": "https://a.example"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "__proto__"} {
		if err := p.paths().SetProvider(name, map[string]any{}); exit.CodeOf(err) != exit.Input {
			t.Errorf("%q: %v", name, err)
		}
	}
	s, _ := p.mustLoad(t)
	var got map[string]map[string]any
	if err := ModelProviders.Decode(s, &got); err != nil || len(got) != 2 || len(got["a.b"]) != 1 || got["a.b"]["baseUrl"] != "https://a.example" {
		t.Errorf("%v, %v", got, err)
	}
}

// A project could send the secrets of the user anywhere; the user's own servers get them.
func TestServersOfProjectsGetNoSecrets(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "MY_TOKEN=abcdefgh12345678")
	p.user(t, `{"mcpServers": {"own": {"url": "$MY_TOKEN"}}}`)
	p.workspace(t, `{"mcpServers": {"theirs": {"url": "$MY_TOKEN$MY_TOKEN"}}}`)
	s, _ := p.mustLoad(t)
	got := MCPServers.In(s, NewFolderEnv(p.env))
	want := []ServerEntry{
		{Name: "own", Scope: User, Entry: []byte(`{"url":"abcdefgh12345678"}`)},
		{Name: "theirs", Scope: Workspace, Entry: []byte(`{"url":"$MY_TOKEN$MY_TOKEN"}`), Withheld: []string{"MY_TOKEN"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// If a file has an entry twice, removing only the one in use would enable the other.
func TestUnsetServer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user(t, `{"mcpServers": {"a.b": {"command": "x"}, "c": {"command": "z"}, "a.b": {"command": "y"}}}`)
	if found, err := p.paths().UnsetServer(User, "a.b"); !found || err != nil {
		t.Error(found, err)
	}
	if text := read(t, p.userFile()); strings.Contains(text, "a.b") || !strings.Contains(text, `"c"`) {
		t.Errorf("left: %s", text)
	}
	if found, err := p.paths().UnsetServer(User, "a.b"); found || err != nil {
		t.Errorf("a removed server: %v %v", found, err)
	}
}

func TestLookupOfNull(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user(t, `{"model": {"name": null}}`)
	s, _ := p.mustLoad(t)
	if v, ok := s.Lookup("model.name"); v != nil || ok {
		t.Errorf("null counts as set: %v", v)
	}
}
