package tool

import (
	"iter"
	"slices"
	"sync"
	"sync/atomic"
)

// Registry holds the tools of a session. Tools may be added, removed and hidden
// at any time and from any goroutine: an MCP server connects while a model is
// answering, a person switches the approval mode.
//
// A Registry is read through its [Snapshot], which never changes.
type Registry struct {
	current atomic.Pointer[Snapshot]

	mu     sync.Mutex // held while the fields below, or current, change
	owners []*owner   // in the order in which they were first added
	hide   func(Tool) bool
	spare  func(Form, *Spec) bool
	finder *Finder
	loaded []string // names, see Load
}

// owner is one source of tools, such as an MCP server. It keeps its place in
// the registry when all its tools are removed.
type owner struct {
	name  string
	tools []*registered
}

// registered is a tool in the registry. Its address is its identity, because
// the type of a Tool need not be comparable.
type registered struct{ Tool }

// builtin is the owner of the tools that a registry starts with.
const builtin = ""

// NewRegistry returns a registry that starts with these tools. They come
// before all that are added later, and their owner is "".
func NewRegistry(tools ...Tool) *Registry {
	r := &Registry{}
	r.current.Store(&Snapshot{})
	r.Add(builtin, tools...)
	return r
}

// Conflict is a tool that [Registry.Add] did not add, because one of its names
// belongs to another owner.
type Conflict struct {
	Tool  Tool
	Name  string // the name or alias that is taken
	Owner string // of the tool that has it
}

// Add adds tools to those of an owner, and returns those it did not add. The
// owner is a name that the caller chooses, such as the name of an MCP server.
//
// Owners are in the order in which they were first added, and the tools of an
// owner in the order in which they were added. To make the order of owners that
// start side by side predictable, add each without tools first.
//
// A name or alias belongs to the owner that was first to use it. A tool of
// another owner with that name or alias is not added. A tool of the same owner
// with the same name replaces the former one in its place.
func (r *Registry) Add(ownerName string, tools ...Tool) []Conflict {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.add(r.owner(ownerName), tools)
}

// Set makes these the only tools of an owner. It is like [Registry.Remove] and [Registry.Add] in one
// step: no [Snapshot] is without the tools that stay.
func (r *Registry) Set(ownerName string, tools ...Tool) []Conflict {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.owner(ownerName)
	o.tools = nil
	return r.add(o, tools)
}

// owner returns an owner, which it creates if there is none with this name. The caller holds r.mu.
func (r *Registry) owner(name string) *owner {
	if i := slices.IndexFunc(r.owners, func(o *owner) bool { return o.name == name }); i >= 0 {
		return r.owners[i]
	}
	o := &owner{name: name}
	r.owners = append(r.owners, o)
	return o
}

// add adds tools to those of an owner, or puts them in the place of those with the same name. The
// caller holds r.mu.
func (r *Registry) add(o *owner, tools []Tool) (conflicts []Conflict) {
	taken := map[string]*owner{} // of the names and aliases of the tools, besides o; nil for none
	for _, t := range tools {
		for name := range names(t) {
			taken[name] = nil
		}
	}
	places := map[string]int{} // of the owner's own tools
	for _, other := range r.owners {
		for i, t := range other.tools {
			if other == o {
				places[t.Spec().Name] = i
				continue
			}
			for name := range names(t) {
				if _, asked := taken[name]; asked {
					taken[name] = other
				}
			}
		}
	}
	for _, t := range tools {
		if name, other := firstTaken(t, taken); other != nil {
			conflicts = append(conflicts, Conflict{Tool: t, Name: name, Owner: other.name})
			continue
		}
		name := t.Spec().Name
		if i, found := places[name]; found {
			o.tools[i] = &registered{t}
			continue
		}
		places[name] = len(o.tools)
		o.tools = append(o.tools, &registered{t})
	}
	r.update()
	return conflicts
}

// firstTaken returns the first of a tool's names that another owner has, and that owner; nil for none.
func firstTaken(t Tool, taken map[string]*owner) (name string, other *owner) {
	for name := range names(t) {
		if other := taken[name]; other != nil {
			return name, other
		}
	}
	return "", nil
}

// names are the name of a tool and its aliases, as [Spec.Names] has them. They make no list: each start asks for those of all tools.
func names(t Tool) iter.Seq[string] {
	return func(yield func(string) bool) {
		s := t.Spec()
		if !yield(s.Name) {
			return
		}
		for _, alias := range s.Aliases {
			if !yield(alias) {
				return
			}
		}
	}
}

// Remove removes all tools of an owner. The owner keeps its place: tools that
// it adds later are declared where the removed ones were.
func (r *Registry) Remove(ownerName string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range r.owners {
		if o.name == ownerName {
			o.tools = nil
		}
	}
	r.update()
}

// Hide makes hide decide which tools the model does not see; nil hides none.
// A hidden tool is neither declared nor found by its names. The registry asks
// hide about each tool at once and at each later change, so hide must not use
// the registry. If its answers depend on something else, call [Registry.Refresh]
// when that has changed.
func (r *Registry) Hide(hide func(Tool) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hide = hide
	r.update()
}

// Spare makes spare decide which tools the declarations in a form leave out; nil leaves out
// none. A call of such a tool still runs. The answers must always be the same.
func (r *Registry) Spare(spare func(Form, *Spec) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spare = spare
	r.replace(r.current.Load().registered)
}

// Refresh asks the function given to [Registry.Hide] about each tool again.
func (r *Registry) Refresh() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.update()
}

// update replaces the snapshot if the active tools have changed. The caller
// holds r.mu.
func (r *Registry) update() {
	var active []*registered
	for _, o := range r.owners {
		for _, t := range o.tools {
			if r.hide == nil || !r.hide(t.Tool) {
				active = append(active, t)
			}
		}
	}
	if before := r.current.Load(); !slices.Equal(active, before.registered) || r.findable(active) != before.finder {
		r.replace(active)
	}
}

// replace replaces the snapshot by one with these tools. The caller holds r.mu.
func (r *Registry) replace(active []*registered) {
	s := &Snapshot{
		version: r.current.Load().version + 1, registered: active, tools: make([]Tool, len(active)),
		spare: r.spare, finder: r.findable(active), loaded: r.loaded,
	}
	for i, t := range active {
		s.tools[i] = t.Tool
	}
	r.current.Store(s)
}

// Snapshot returns the tools that the model may use now.
func (r *Registry) Snapshot() *Snapshot { return r.current.Load() }

// Version returns the version of the current [Snapshot].
func (r *Registry) Version() uint64 { return r.Snapshot().Version() }

// All returns the tools in the order of their declaration, those that are hidden too.
func (r *Registry) All() []Tool {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []Tool
	for _, o := range r.owners {
		for _, t := range o.tools {
			all = append(all, t.Tool)
		}
	}
	return all
}

// Hidden returns the tool that the model does not see under a name or alias.
func (r *Registry) Hidden(name string) (Tool, bool) {
	if _, found := r.Lookup(name); found {
		return nil, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range r.owners {
		for _, t := range o.tools {
			if t.Spec().IsNamed(name) {
				return t.Tool, true
			}
		}
	}
	return nil, false
}

// Lookup returns the tool that the model may use now under a name or alias.
func (r *Registry) Lookup(name string) (Tool, bool) { return r.Snapshot().Lookup(name) }

// Find returns the tool with a name or alias, hidden from the model or not.
func (r *Registry) Find(name string) (Tool, bool) {
	if t, ok := r.Lookup(name); ok {
		return t, true
	}
	return r.Hidden(name)
}
