package config

import (
	"encoding/json"
	"maps"
	"slices"

	"pollux/internal/exit"
)

// ServerEntry is an entry of the setting mcpServers.
type ServerEntry struct {
	Name string
	// Scope is the file that the entry is in.
	Scope Scope
	// File is the name of the other agent's file that the entry is in, "" for a settings file.
	File string
	// Entry is the entry as JSON, with variables in place of references to them.
	Entry json.RawMessage
	// Withheld are the variables that hold secrets and to which the entry of a project refers. They are
	// not inserted, because a project could send them anywhere.
	Withheld []string
}

// Servers is a key whose value describes MCP servers.
type Servers string

// In returns the entries, sorted by name. env has the variables, nil none. References to variables that are not
// set stay, except in env and headers, where they become empty.
func (k Servers) In(s *Settings, env *FolderEnv) []ServerEntry {
	withholds := env.withholder()
	merged, _ := s.Lookup(string(k))
	entries, _ := merged.(map[string]any)
	var list []ServerEntry
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		from := SystemDefaults
		for scope, layer := range s.layers {
			theirs, _ := at(layer, string(k))
			if servers, _ := theirs.(map[string]any); servers[name] != nil {
				from = Scope(scope)
			}
		}
		e := NewExpander(nil, env.Lookup)
		file := ""
		if from == Workspace {
			e.withholds = withholds
			file = s.OtherServerFile(name)
			e.isOther = file != ""
		}
		entry := e.serverEntry(name, from, entries[name])
		entry.File = file
		list = append(list, entry)
	}
	return list
}

// ExpandServer returns a server that is described outside of the settings, in the same way. isProject
// withholds variables with secrets.
func ExpandServer(name string, entry json.RawMessage, isProject bool, env *FolderEnv) ServerEntry {
	e := NewExpander(nil, env.Lookup)
	if isProject {
		e.withholds = env.withholder()
	}
	return e.serverEntry(name, SystemDefaults, entry)
}

func (e *Expander) serverEntry(name string, scope Scope, entry any) ServerEntry {
	expanded := e.Server(entry)
	return ServerEntry{Name: name, Scope: scope, Entry: expanded, Withheld: slices.Sorted(slices.Values(e.withheld))}
}

// Server returns an entry of mcpServers as expanded JSON. Variables that are not set are empty in env and
// headers, and stay elsewhere.
func (e *Expander) Server(entry any) json.RawMessage {
	raw, err := json.Marshal(entry)
	if err != nil {
		return nil
	}
	var copied map[string]any // the expander changes its argument
	if json.Unmarshal(raw, &copied) != nil {
		return raw
	}
	for key, value := range copied {
		e.dropsUnset = key == "env" || key == "headers"
		copied[key] = e.Value(value)
	}
	if raw, err = json.Marshal(copied); err != nil {
		return nil
	}
	return raw
}

// SetServer writes an entry of mcpServers into the settings file of a scope, in place of the one with this
// name. It reports whether there was one. Its errors are those of [Paths.Set].
func (p *Paths) SetServer(scope Scope, name string, entry map[string]any) (replaced bool, err error) {
	if isUnsafe(name) || name == "" {
		return false, exit.Errorf(exit.Input, "An MCP server cannot be called %q. Choose another name.", name)
	}
	return p.setEntry(scope, string(MCPServers), name, entry)
}

// SetProvider is [Paths.SetServer] for an entry of modelProviders in the settings of the user.
func (p *Paths) SetProvider(name string, entry map[string]any) error {
	if isUnsafe(name) || name == "" {
		return exit.Errorf(exit.Input, "A provider cannot be called %q. Choose another name.", name)
	}
	_, err := p.setEntry(User, string(ModelProviders), name, entry)
	return err
}

// setEntry writes a member of an object in the settings file of a scope. Its name may have dots.
func (p *Paths) setEntry(scope Scope, key, name string, entry map[string]any) (replaced bool, err error) {
	err = p.edit(scope, func(text []byte) ([]byte, error) {
		d, err := openDocument(text)
		if err != nil {
			return nil, err
		}
		path := []string{key, name}
		_, replaced = d.unset(path)
		edited, err := d.set(path, entry)
		if err != nil {
			return nil, err
		}
		return edited, verify(text, edited, func(tree map[string]any) {
			members, _ := tree[key].(map[string]any)
			if members == nil {
				members = map[string]any{}
				tree[key] = members
			}
			members[name] = entry
		})
	})
	return replaced, err
}

// UnsetServer removes an entry of mcpServers from the settings file of a scope, and reports whether there
// was one. Its errors are those of [Paths.Set].
func (p *Paths) UnsetServer(scope Scope, name string) (found bool, err error) {
	return p.unset(scope, []string{string(MCPServers), name})
}
