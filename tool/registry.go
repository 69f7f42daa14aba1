package tool

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/agnivade/levenshtein"

	"pollux/llm"
)

// Registry holds the tools of a session in the order of their declaration,
// which is the order they were added in. Tools are added before the first
// call; after that it may be used, and tools be hidden, from several goroutines
// at once.
type Registry struct {
	tools  []Tool
	byName map[string]Tool                 // names and aliases
	hidden atomic.Pointer[map[string]bool] // by name; never changed, but replaced
}

// NewRegistry returns a registry of these tools.
func NewRegistry(tools ...Tool) *Registry {
	r := &Registry{byName: map[string]Tool{}}
	r.hidden.Store(&map[string]bool{})
	for _, t := range tools {
		r.Add(t)
	}
	return r
}

// Add adds a tool; one of the same name is replaced in its place.
func (r *Registry) Add(t Tool) {
	s := t.Spec()
	if i := slices.IndexFunc(r.tools, func(o Tool) bool { return o.Spec().Name == s.Name }); i >= 0 {
		r.tools[i] = t
	} else {
		r.tools = append(r.tools, t)
	}
	r.byName[s.Name] = t
	for _, a := range s.Aliases {
		if o, taken := r.byName[a]; !taken || o.Spec().Name == s.Name {
			r.byName[a] = t
		}
	}
}

// Hide keeps the tools that hide says yes to from the model: they are not
// declared, and a call to one is a call to an unknown tool (spec/tools.md §2.3).
// What was hidden before no longer is.
func (r *Registry) Hide(hide func(*Spec) bool) {
	hidden := map[string]bool{}
	for _, t := range r.tools {
		if s := t.Spec(); hide(s) {
			hidden[s.Name] = true
		}
	}
	r.hidden.Store(&hidden)
}

func (r *Registry) hides(t Tool) bool { return (*r.hidden.Load())[t.Spec().Name] }

// Lookup returns the tool that the model may call by this name or alias.
func (r *Registry) Lookup(name string) (Tool, bool) {
	t, ok := r.byName[name]
	if !ok || r.hides(t) {
		return nil, false
	}
	return t, true
}

// Active returns the tools that the model may call, in order.
func (r *Registry) Active() []Tool {
	hidden := *r.hidden.Load() // once: a change in between must not mix two modes
	var active []Tool
	for _, t := range r.tools {
		if !hidden[t.Spec().Name] {
			active = append(active, t)
		}
	}
	return active
}

// Declare returns the declarations of the active tools. brief selects the
// shorter descriptions, for model families that need fewer words.
func (r *Registry) Declare(brief bool) []llm.FunctionDeclaration {
	var out []llm.FunctionDeclaration
	for _, t := range r.Active() {
		s := t.Spec()
		d := llm.FunctionDeclaration{Name: s.Name, Description: s.Description, Parameters: s.Schema}
		if brief && s.Brief != "" {
			d.Description = s.Brief
		}
		out = append(out, d)
	}
	return out
}

// Unknown returns the text for a call to a tool that does not exist, with the
// three nearest names (spec/tools.md §6).
func (r *Registry) Unknown(name string) string {
	var names []string
	for _, t := range r.Active() {
		names = append(names, t.Spec().Name)
	}
	// A name of megabytes must not cost a comparison of megabytes.
	short := name[:min(len(name), 256)]
	slices.SortStableFunc(names, func(a, b string) int {
		return levenshtein.ComputeDistance(short, a) - levenshtein.ComputeDistance(short, b)
	})
	names = names[:min(3, len(names))]
	text := fmt.Sprintf("Tool %q not found.", name)
	for i, n := range names {
		names[i] = `"` + n + `"`
	}
	switch len(names) {
	case 0:
		return text
	case 1:
		return text + " Did you mean " + names[0] + "?"
	}
	return text + " Did you mean one of: " + strings.Join(names, ", ") + "?"
}
