package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

type named struct{ spec Spec }

func (n *named) Spec() *Spec { return &n.spec }

func (n *named) Build(json.RawMessage) (Invocation, error) { return nil, nil }

// toolNamed returns a tool with this name and these aliases.
func toolNamed(name string, aliases ...string) Tool {
	return &named{Spec{Name: name, Aliases: aliases, Description: "long " + name, Brief: "short " + name}}
}

// active returns the names of the tools in a snapshot.
func active(s *Snapshot) string {
	var list []string
	for _, t := range s.Tools() {
		list = append(list, t.Spec().Name)
	}
	return strings.Join(list, " ")
}

// A tool that replaces another of its owner takes over its names, but not those of other
// owners.
func TestRegistryReplaces(t *testing.T) {
	t.Parallel()
	newer := toolNamed("grep_search", "search_file_content")
	r := NewRegistry(toolNamed("grep_search", "search_file_content"), toolNamed("other", "search_file_content"), newer)
	for _, name := range []string{"grep_search", "search_file_content"} {
		if got, ok := r.Lookup(name); !ok || got != newer {
			t.Errorf("%s is %v, want the newer tool", name, got)
		}
	}
	if got := active(r.Snapshot()); got != "grep_search other" {
		t.Errorf("tools: %s", got)
	}
}

// Owners stay in the order in which they were first added, even if their tools are added
// later, removed and added again.
func TestRegistryOrder(t *testing.T) {
	t.Parallel()
	r := NewRegistry(toolNamed("read"))
	r.Add("first")
	r.Add("second", toolNamed("s1"))
	for _, step := range []struct {
		change func()
		want   string
	}{
		{func() {}, "read s1"},
		{func() { r.Add("first", toolNamed("f1"), toolNamed("f2")) }, "read f1 f2 s1"},
		{func() { r.Remove("first") }, "read s1"},
		{func() { r.Add("first", toolNamed("f3")) }, "read f3 s1"},
		{func() { r.Add("first", toolNamed("f4")) }, "read f3 f4 s1"},
		{func() { r.Add("", toolNamed("write")) }, "read write f3 f4 s1"},
		{func() { r.Set("first", toolNamed("f4"), toolNamed("f5")) }, "read write f4 f5 s1"},
		{func() { r.Set("third", toolNamed("t1")) }, "read write f4 f5 s1 t1"},
		{func() { r.Set("first", toolNamed("f5"), toolNamed("f4")) }, "read write f5 f4 s1 t1"},
		{func() { r.Set("third") }, "read write f5 f4 s1"},
		{func() { r.Remove("unknown") }, "read write f5 f4 s1"},
	} {
		step.change()
		if got := active(r.Snapshot()); got != step.want {
			t.Errorf("tools: %s, want %s", got, step.want)
		}
	}
}

// The first owner of a name keeps it, aliases included, until it is removed.
func TestRegistryConflicts(t *testing.T) {
	t.Parallel()
	r := NewRegistry(toolNamed("run", "Shell"), toolNamed("read"))
	mine := toolNamed("mine")
	conflicts := r.Add("server", toolNamed("read"), toolNamed("Shell"), toolNamed("exec", "run"), mine)
	var got []string
	for _, c := range conflicts {
		got = append(got, fmt.Sprintf("%s: %s of %q", c.Tool.Spec().Name, c.Name, c.Owner))
	}
	want := []string{`read: read of ""`, `Shell: Shell of ""`, `exec: run of ""`}
	if !slices.Equal(got, want) || active(r.Snapshot()) != "run read mine" {
		t.Errorf("conflicts %q, tools %s", got, active(r.Snapshot()))
	}
	if c := r.Add("server", mine); c != nil {
		t.Errorf("an owner conflicts with itself: %v", c)
	}
	if c := r.Add("late", toolNamed("mine")); len(c) != 1 || c[0].Owner != "server" {
		t.Errorf("conflicts = %v", c)
	}
	r.Remove("server")
	if c := r.Add("late", toolNamed("mine")); c != nil {
		t.Errorf("a name that was removed is still taken: %v", c)
	}
}

// A hidden tool is not declared, not found and not suggested.
func TestRegistryHides(t *testing.T) {
	t.Parallel()
	hidden := map[string]bool{"b": true}
	r := NewRegistry(toolNamed("a"), toolNamed("b", "c"))
	r.Hide(func(t Tool) bool { return hidden[t.Spec().Name] })
	s := r.Snapshot()
	if h, ok := r.Hidden("c"); !ok || h.Spec().Name != "b" {
		t.Errorf("hidden: %v %v", h, ok)
	}
	for _, name := range []string{"a", "none"} {
		if _, ok := r.Hidden(name); ok {
			t.Errorf("%s is hidden", name)
		}
	}
	if _, ok := s.Lookup("c"); ok || active(s) != "a" || s.NotFound("b") != `Tool "b" not found. Did you mean "a"?` {
		t.Errorf("tools: %s; %s", active(s), s.NotFound("b"))
	}
	hidden["b"] = false
	if r.Snapshot() != s {
		t.Error("a snapshot without a change")
	}
	r.Refresh()
	if active(r.Snapshot()) != "a b" || active(s) != "a" {
		t.Errorf("tools: %s, and %s in the snapshot taken before", active(r.Snapshot()), active(s))
	}
	hidden["d"] = true
	r.Add("server", toolNamed("d"), toolNamed("e"))
	if active(r.Snapshot()) != "a b e" {
		t.Errorf("tools: %s", active(r.Snapshot()))
	}
}

// As long as no tool changes, the snapshot and its declarations are the same
// values, so that adapters and vendors find them in their caches.
func TestRegistryUnchanged(t *testing.T) {
	t.Parallel()
	r := NewRegistry(toolNamed("a"), toolNamed("b"))
	before := r.Snapshot()
	full, brief := before.Declarations(Full), before.Declarations(Brief)
	r.Refresh()
	r.Hide(func(Tool) bool { return false })
	r.Remove("unknown")
	r.Add("server")
	after := r.Snapshot()
	if after.Version() != before.Version() || after.Declarations(Full) != full || after.Declarations(Brief) != brief {
		t.Error("other declarations of the same tools")
	}
	if full.Functions[1].Description != "long b" || brief.Functions[1].Description != "short b" {
		t.Errorf("descriptions: %q and %q", full.Functions[1].Description, brief.Functions[1].Description)
	}
	r.Add("server", toolNamed("c"))
	if after := r.Snapshot(); after.Version() <= before.Version() || len(after.Declarations(Full).Functions) != 3 || len(full.Functions) != 2 {
		t.Errorf("after an addition: version %d, before %d", after.Version(), before.Version())
	}
}

// uncomparable is a tool that == cannot compare.
type uncomparable struct {
	*named
	_ []string
}

func TestRegistryUncomparable(t *testing.T) {
	t.Parallel()
	r := NewRegistry(uncomparable{named: &named{Spec{Name: "a"}}})
	r.Refresh()
	r.Add("", uncomparable{named: &named{Spec{Name: "a"}}})
	if active(r.Snapshot()) != "a" {
		t.Errorf("tools: %s", active(r.Snapshot()))
	}
}

// While tools change concurrently, the tools, names and declarations of each snapshot are
// consistent.
func TestRegistryConcurrently(t *testing.T) {
	t.Parallel()
	r := NewRegistry(toolNamed("read"), toolNamed("write"))
	const servers, rounds = 8, 50
	var wg sync.WaitGroup
	for i := range servers {
		owner := fmt.Sprintf("server%d", i)
		r.Add(owner)
		wg.Go(func() {
			for range rounds {
				r.Add(owner, toolNamed(owner+"_a"), toolNamed(owner+"_b"), toolNamed("shared"))
				r.Remove(owner)
			}
			r.Add(owner, toolNamed(owner))
		})
		wg.Go(func() {
			for range rounds {
				r.Hide(func(t Tool) bool { return t.Spec().Name == owner+"_b" })
				r.Refresh()
			}
		})
		wg.Go(func() {
			last := uint64(0)
			for range rounds {
				s := r.Snapshot()
				if s.Version() < last {
					t.Error("an older version after a newer one")
				}
				last = s.Version()
				set := s.Declarations(Form(i % 3))
				if len(set.Functions) != len(s.Tools()) {
					t.Errorf("%d declarations of %d tools", len(set.Functions), len(s.Tools()))
				}
				for j, d := range set.Functions {
					if got, ok := s.Lookup(d.Name); !ok || got != s.Tools()[j] {
						t.Errorf("%s is declared and is %v", d.Name, got)
					}
				}
			}
		})
	}
	wg.Wait()
	r.Hide(nil)
	if got, want := active(r.Snapshot()), "read write server0 server1 server2 server3 server4 server5 server6 server7"; got != want {
		t.Errorf("tools: %s, want %s", got, want)
	}
}

// A registry that has not changed costs no allocation in a turn.
func BenchmarkUnchangedRegistry(b *testing.B) {
	var tools []Tool
	for i := range 100 {
		tools = append(tools, toolNamed(fmt.Sprint("tool", i)))
	}
	r := NewRegistry(tools...)
	first := r.Snapshot().Declarations(Full)
	b.ReportAllocs()
	for b.Loop() {
		if r.Snapshot().Declarations(Full) != first {
			b.Fatal("other declarations of the same tools")
		}
	}
}
