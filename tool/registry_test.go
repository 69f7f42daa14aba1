package tool

import (
	"encoding/json"
	"sync"
	"testing"
)

type named struct{ spec Spec }

func (n *named) Spec() *Spec { return &n.spec }

func (n *named) Build(json.RawMessage) (Invocation, error) { return nil, nil }

// A tool that takes the place of another takes its other names, too, but not
// those that belong to someone else.
func TestRegistryReplaces(t *testing.T) {
	t.Parallel()
	old := &named{Spec{Name: "grep_search", Aliases: []string{"search_file_content"}}}
	other := &named{Spec{Name: "other", Aliases: []string{"search_file_content"}}}
	r := NewRegistry(old, other)
	newer := &named{Spec{Name: "grep_search", Aliases: []string{"search_file_content"}}}
	r.Add(newer)
	for _, name := range []string{"grep_search", "search_file_content"} {
		if got, ok := r.Lookup(name); !ok || got != Tool(newer) {
			t.Errorf("%s is %v, want the newer tool", name, got)
		}
	}
	if n := len(r.Active()); n != 2 {
		t.Errorf("%d tools, want 2", n)
	}
}

// A change of mode hides other tools while calls of the old one are looked up.
func TestRegistryHidesWhileUsed(t *testing.T) {
	t.Parallel()
	r := NewRegistry(&named{Spec{Name: "a"}}, &named{Spec{Name: "b"}})
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		wg.Go(func() {
			for range 100 {
				r.Hide(func(s *Spec) bool { return s.Name == name })
				if n := len(r.Active()); n != 1 {
					t.Errorf("%d tools, want 1", n)
				}
				r.Lookup(name)
			}
		})
	}
	wg.Wait()
	r.Hide(func(*Spec) bool { return false })
	if _, ok := r.Lookup("a"); !ok {
		t.Error("a tool that is no longer hidden is not found")
	}
}
