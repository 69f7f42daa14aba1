package servers

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"pollux/internal/config"
	"pollux/internal/extension"
	"pollux/internal/mcp"
	"pollux/internal/project"
	"pollux/internal/terminal"
)

// extensionServer is an MCP server of an extension.
type extensionServer struct {
	extension.Server
	owner string // name of the extension
}

// extensionServers are the MCP servers of extensions that no setting replaces, by name.
type extensionServers map[string]extensionServer

// extensionServers returns the MCP servers of extensions, by name. Of two with the same name, the first
// extension has it.
func findExtensionServers(p *project.Project) extensionServers {
	servers := extensionServers{}
	for _, e := range p.Extensions() {
		for _, server := range e.Servers() {
			if other, taken := servers[server.Name]; taken {
				p.Warn(terminal.Line(fmt.Sprintf("Warning: Ignoring MCP server %q of extension %s: extension %s has one with this name.", server.Name, e.Name, other.owner)))
				continue
			}
			servers[server.Name] = extensionServer{server, e.Name}
		}
	}
	return servers
}

// override returns the configuration of an entry of the settings, and removes the server of the same name. An
// entry of the user's that does not say how to reach the server adjusts that of the extension. If it cannot be used, neither can the
// server: the entry may restrict it.
func (s extensionServers) override(entry config.ServerEntry) (mcp.Config, error) {
	c, err := mcp.Parse(entry.Name, entry.Entry)
	if theirs, ok := s[entry.Name]; ok && project.IsAdjustment(entry, err) {
		c, err = theirs.adjusted(entry.Entry)
		c.Extension = theirs.owner
	}
	if err == nil || entry.Scope != config.Workspace {
		delete(s, entry.Name)
	}
	return c, err
}

// configs returns the configurations, sorted by name, and warns of invalid ones.
func (s extensionServers) configs(warn func(string)) (list []mcp.Config) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		c, err := mcp.Parse(name, s[name].Entry)
		if err != nil {
			warn(terminal.Line(fmt.Sprintf("Warning: Ignoring MCP server %q of extension %s: %v.", name, s[name].owner, err)))
			continue
		}
		c.Extension = s[name].owner
		list = append(list, c)
	}
	return list
}

// adjusted returns the configuration of the server with the changes by an entry of the user's settings:
// all but how it is reached. A list of wanted tools only gets shorter.
func (s extensionServer) adjusted(entry json.RawMessage) (mcp.Config, error) {
	var own, theirs map[string]any
	if json.Unmarshal(mcp.Plain(s.Entry), &own) != nil || json.Unmarshal(mcp.Plain(entry), &theirs) != nil || own == nil {
		return mcp.Parse(s.Name, s.Entry)
	}
	for key, value := range theirs {
		list, isList := value.([]any)
		before, wasList := own[key].([]any)
		env, isObject := value.(map[string]any)
		environ, wasObject := own[key].(map[string]any)
		switch {
		case value == nil: // it adjusts nothing
		case (key == "excludeTools" || key == "disabledTools") && isList && wasList:
			own[key] = append(before, list...)
		case key == "includeTools" && isList && wasList:
			own[key] = slices.DeleteFunc(before, func(tool any) bool { return !slices.Contains(list, tool) })
		case (key == "env" || key == "headers") && isObject && wasObject:
			maps.Copy(environ, env)
		default:
			own[key] = value
		}
	}
	raw, err := json.Marshal(own)
	if err != nil {
		return mcp.Config{}, err
	}
	return mcp.Parse(s.Name, raw)
}
