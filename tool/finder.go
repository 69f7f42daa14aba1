package tool

import (
	"slices"

	"pollux/llm"
)

// Finder is the way to the tools of servers ([Remote]) where a request has no room for all of them. The request
// then leaves them out, and declares Tool instead, which finds them and loads them with [Registry.Load]. A call
// of a tool that was left out runs as any other.
type Finder struct {
	Tool Tool
	// Describe returns the description of Tool for requests that leave these tools out.
	Describe func(form Form, left []Tool) string
}

// SetFinder sets the finder of the registry. The registry has its tool while it has tools of servers and
// no other tool of that name, unless the tool is hidden.
func (r *Registry) SetFinder(f *Finder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.finder = f
	r.replace(r.current.Load().registered)
}

// Load makes requests that leave out tools of servers declare those with these names, behind all others and in
// the order in which they were loaded. A name may be that of a tool that is not there yet.
func (r *Registry) Load(names ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := len(r.loaded)
	for _, name := range names {
		if !slices.Contains(r.loaded, name) {
			r.loaded = append(slices.Clip(r.loaded), name)
		}
	}
	if len(r.loaded) > before {
		r.replace(r.current.Load().registered)
	}
}

// Unload undoes all calls of [Registry.Load].
func (r *Registry) Unload() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.loaded != nil {
		r.loaded = nil
		r.replace(r.current.Load().registered)
	}
}

// findable returns the finder for these tools, nil if there is none.
func (r *Registry) findable(active []*registered) *Finder {
	if r.finder == nil || !slices.ContainsFunc(active, func(t *registered) bool { return isRemote(t.Tool) }) {
		return nil
	}
	own := r.finder.Tool.Spec().Name
	isTaken := slices.ContainsFunc(active, func(t *registered) bool { return t.Spec().IsNamed(own) })
	if isTaken || r.hide != nil && r.hide(r.finder.Tool) {
		return nil
	}
	return r.finder
}

func isRemote(t Tool) bool {
	_, is := As[Remote](t)
	return is
}

// fitting identifies declarations.
type fitting struct {
	form Form
	room int
}

// loadedShare is the size of the tools that were loaded, in the room for all tools of servers, up to which
// none of them is left out again.
const loadedShare = 3

// Fitting is like [Snapshot.Declarations], but has the [Finder] in place of the tools of servers if they take
// more than room tokens. Of those that were loaded, it has the newest that take at most three times the room, and the
// newest one in any case. All calls return the same value for the same arguments. A negative room is unlimited.
func (s *Snapshot) Fitting(form Form, room int) *llm.ToolSet {
	d := s.declared(form)
	if s.finder == nil || room < 0 || d.remote <= room {
		return d.set
	}
	s.fit.Lock()
	defer s.fit.Unlock()
	key := fitting{form, room}
	set := s.fitted[key]
	if set == nil {
		set = s.declareFitting(d.set, key)
		if s.fitted == nil {
			s.fitted = map[fitting]*llm.ToolSet{}
		}
		s.fitted[key] = set
	}
	return set
}

func (s *Snapshot) declareFitting(all *llm.ToolSet, key fitting) *llm.ToolSet {
	set := &llm.ToolSet{}
	byName := map[string]*llm.FunctionDeclaration{}
	for i := range all.Functions {
		f := &all.Functions[i]
		if s.IsFindable(f.Name) {
			byName[f.Name] = f
		} else {
			set.Functions = append(set.Functions, *f)
		}
	}
	var loaded []llm.FunctionDeclaration // the newest first
	left := key.room * loadedShare
	for _, name := range slices.Backward(s.loaded) {
		f := byName[name]
		if f == nil {
			continue
		}
		if left -= f.Tokens(); left < 0 && len(loaded) > 0 && key.room > 0 {
			break
		}
		loaded = append(loaded, *f)
		delete(byName, name)
	}
	slices.Reverse(loaded)
	spec := s.finder.Tool.Spec()
	finder := llm.FunctionDeclaration{Name: spec.Name, Description: s.finder.Describe(key.form, s.Findable()), Parameters: spec.Schema}
	set.Functions = append(append(set.Functions, finder), loaded...)
	return set
}

// Findable returns the tools that requests may leave out, in the order of their declaration.
func (s *Snapshot) Findable() []Tool {
	if s.finder == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.tools), func(t Tool) bool { return !isRemote(t) })
}

// IsFindable reports whether a name is that of a tool that requests may leave out.
func (s *Snapshot) IsFindable(name string) bool {
	if s.finder == nil {
		return false
	}
	t, found := s.index()[name]
	return found && isRemote(t)
}

// remoteTokens estimates the tokens of the declarations of tools of servers.
func (s *Snapshot) remoteTokens(all *llm.ToolSet) (n int) {
	for i := range all.Functions {
		if s.IsFindable(all.Functions[i].Name) {
			n += all.Functions[i].Tokens()
		}
	}
	return n
}
