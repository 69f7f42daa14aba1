package extension

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Server is an MCP server of an extension.
type Server struct {
	Name string
	// Entry is the entry of mcpServers as JSON, with variables in place of references to them. It has no trust:
	// an extension cannot decide that its tools run without a question.
	Entry json.RawMessage
}

// Servers returns the MCP servers of the extension, sorted by name. Their programs get the values of the
// settings as variables.
func (e *Extension) Servers() (list []Server) {
	expander := e.ofManifest()
	for _, name := range slices.Sorted(maps.Keys(e.MCPServers)) {
		entry, ok := e.MCPServers[name].(map[string]any)
		if !ok {
			list = append(list, Server{name, expander.Server(e.MCPServers[name])})
			continue
		}
		entry = maps.Clone(entry)
		maps.DeleteFunc(entry, func(key string, _ any) bool { return strings.EqualFold(key, "trust") }) // JSON ignores case
		var expanded map[string]any
		if json.Unmarshal(expander.Server(entry), &expanded) != nil {
			continue
		}
		own, isObject := expanded["env"].(map[string]any)
		if environ := e.Environ(); len(environ) > 0 && (isObject || expanded["env"] == nil) {
			merged := map[string]any{}
			for name, value := range environ {
				merged[name] = value
			}
			maps.Copy(merged, own)
			expanded["env"] = merged
		}
		if raw, err := json.Marshal(expanded); err == nil {
			list = append(list, Server{name, raw})
		}
	}
	return list
}
