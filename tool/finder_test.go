package tool

import (
	"strings"
	"testing"

	"pollux/llm"
)

// far is a tool of a server whose declaration has about 100 tokens.
type far struct{ named }

func (*far) Server() string              { return "shop" }
func (f *far) RemoteName() string        { return f.spec.Name }
func (*far) Annotations() map[string]any { return nil }

func farTool(name string) Tool {
	return &far{named{Spec{Name: name, Description: strings.Repeat("x", 400-len(name))}}}
}

// declaredNames returns the names of the tools that a request declares.
func declaredNames(set *llm.ToolSet) string {
	var list []string
	for _, f := range set.Functions {
		list = append(list, f.Name)
	}
	return strings.Join(list, " ")
}

// TestFinder checks which tools of servers are declared, and where.
func TestFinder(t *testing.T) {
	t.Parallel()
	r := NewRegistry(toolNamed("read"))
	left := ""
	finder := &Finder{Tool: toolNamed("search"), Describe: func(_ Form, tools []Tool) string {
		left = active(&Snapshot{tools: tools})
		return "finds"
	}}
	r.SetFinder(finder)
	if _, found := r.Lookup("search"); found {
		t.Error("there is a finder and nothing to find")
	}
	r.Add("shop", farTool("a"), farTool("b"), farTool("c"), farTool("d"), farTool("e"))
	r.Add("late", toolNamed("write"))
	check := func(room int, want string) {
		t.Helper()
		if got := declaredNames(r.Snapshot().Fitting(Full, room)); got != want {
			t.Errorf("declared in %d tokens: %s, want %s", room, got, want)
		}
	}
	const all = "read a b c d e write"
	check(-1, all)
	check(500, all)
	check(499, "read write search")
	if left != "a b c d e" || active(r.Snapshot()) != all {
		t.Errorf("left out are %s, active are %s", left, active(r.Snapshot()))
	}
	before := r.Version()
	r.Load("d", "gone", "a", "d")
	check(499, "read write search d a")
	check(0, "read write search d a")
	check(500, all)
	if r.Version() != before+1 {
		t.Error("one change makes several versions")
	}
	if r.Load("a"); r.Version() != before+1 {
		t.Error("nothing has changed, but the version")
	}
	r.Load("b", "c", "e")
	check(100, "read write search b c e") // the newest that take three times the room
	check(20, "read write search e")
	s := r.Snapshot()
	if first := s.Fitting(Full, 100); s.Fitting(Full, 100) != first || s.Fitting(Full, 99) == first {
		t.Error("the same declarations are another value, or others the same")
	}
	if got, found := r.Lookup("b"); !found || !s.IsFindable("b") || s.IsFindable("read") || s.IsFindable("search") || got.Spec().Name != "b" {
		t.Error("the finder finds other tools")
	}
	// A tool that comes later is declared in the place in which it was loaded.
	r.Unload()
	check(100, "read write search")
	r.Load("z")
	r.Add("more", farTool("z"))
	check(100, "read write search z")
	// Where the finder is hidden or its name is taken, nothing is left out.
	r.Hide(func(t Tool) bool { return t.Spec().Name == "search" })
	check(0, all+" z")
	r.Hide(nil)
	check(0, "read write search z")
	r.Add("taken", toolNamed("other", "search"))
	check(0, all+" z other")
}
