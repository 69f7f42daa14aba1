package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/durable"
)

// OtherServers describes a file of another agent in the project with MCP servers, which Pollux reads beside the project's settings.
type OtherServers struct {
	Name string // relative to the project
	File string // the path
	// Servers are the names of the servers that join those of the project's settings, Replaced of those that another file of the
	// project replaces, and Disabled of those that the file disables.
	Servers, Replaced, Disabled []string
	// Unused names the parts that Pollux cannot use, each with the reason.
	Unused []string
	Err    error // why the file cannot be used, else nil
}

// serverFormat is the format of such a file.
type serverFormat struct {
	name      string
	translate ServerTranslator
}

// serverFormats are the files, the one with priority first. All have less priority than the project's settings.
var serverFormats = [...]serverFormat{
	{".agents/mcp_config.json", AntigravityServer},
	{".mcp.json", ClaudeServer},
}

// ServerTranslator turns the entry of a server in a file of another agent into one of mcpServers. It removes the keys that it uses from the
// entry.
type ServerTranslator func(entry map[string]any) (translated map[string]any, isDisabled bool, err error)

// TranslateServers translates the servers in a file of another agent to entries of mcpServers. Its errors are in the result's Unused.
func TranslateServers(servers map[string]any, translate ServerTranslator) (o OtherServers, entries map[string]any) {
	entries = (&serverFormat{translate: translate}).entries(&o, servers)
	return o, entries
}

// OtherServers returns the files of other agents with MCP servers that were found in the project, the one with priority first.
func (s *Settings) OtherServers() []OtherServers { return s.others }

// otherFile returns the file of another agent that has the value of the project at a path in mcpServers, nil for none.
func (s *Settings) otherFile(path string) *OtherServers {
	below, ok := strings.CutPrefix(path, string(MCPServers)+".")
	if !ok {
		return nil
	}
	for i := range s.others {
		if slices.ContainsFunc(s.others[i].Servers, func(name string) bool { return below == name || strings.HasPrefix(below, name+".") }) {
			return &s.others[i]
		}
	}
	return nil
}

// OtherServerFile returns the name of the file of another agent that has a server of the project, "" if it is in no such file.
func (s *Settings) OtherServerFile(server string) string {
	for _, o := range s.others {
		if slices.Contains(o.Servers, server) {
			return o.Name
		}
	}
	return ""
}

// OtherPlace returns the name of the file of another agent that has a server, "" for none. The argument begins with the server as
// questions name it: "mcpServers.NAME: ".
func (s *Settings) OtherPlace(text string) string {
	below, ok := strings.CutPrefix(text, string(MCPServers)+".")
	for _, o := range s.others {
		if ok && slices.ContainsFunc(o.Servers, func(name string) bool { return strings.HasPrefix(below, name+": ") }) {
			return o.Name
		}
	}
	return ""
}

// readsOtherServers reports whether the merged settings of the other layers, and those of the workspace, let Pollux read such files.
func readsOtherServers(s *Settings, workspace map[string]any) bool {
	theirs, _ := at(workspace, string(ForeignServers))
	return ForeignServers.In(s) && theirs != false
}

// readOtherServers adds the servers in files of other agents to those of the workspace's settings, which win.
func (l *loader) readOtherServers(s *Settings, paths *Paths) {
	for i := range serverFormats {
		format := &serverFormats[i]
		o, entries := format.read(paths.Dir())
		if o == nil {
			continue
		}
		l.join(s, o, entries)
		s.others = append(s.others, *o)
		switch {
		case o.Err != nil:
			l.warnings = append(l.warnings, Warning(fmt.Sprintf("Warning: Ignoring the MCP servers in %s: %v.", o.File, o.Err)))
		case len(o.Unused) > 0:
			l.warnings = append(l.warnings, Warning(fmt.Sprintf("Warning: Pollux cannot use all of %s: %s.", o.File, enumerate(slices.Clone(o.Unused)))))
		}
	}
}

// join adds entries to the workspace's servers.
func (l *loader) join(s *Settings, o *OtherServers, entries map[string]any) {
	layer := s.layers[Workspace]
	servers, _ := layer[string(MCPServers)].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if _, isTaken := servers[name]; isTaken {
			o.Replaced = append(o.Replaced, name)
			continue
		}
		if layer == nil {
			layer = map[string]any{}
			s.layers[Workspace] = layer
		}
		if servers == nil {
			servers = map[string]any{}
			layer[string(MCPServers)] = servers
		}
		servers[name] = entries[name]
		o.Servers = append(o.Servers, name)
	}
}

// read reads the file of a project. It returns nil if there is none.
func (f *serverFormat) read(dir string) (*OtherServers, map[string]any) {
	file := filepath.Join(dir, filepath.FromSlash(f.name))
	if durable.IsMissing(file) {
		return nil, nil
	}
	o := &OtherServers{Name: f.name, File: file}
	data, err := durable.ReadInside(dir, filepath.FromSlash(f.name), maxSettings)
	if durable.IsAbsent(err) {
		if err = durable.CheckLink(o.File); err == nil {
			return nil, nil // it has just been removed
		}
	}
	var tree map[string]any
	if err == nil {
		tree, err = ParseObject(data)
	}
	if errors.Is(err, errNotObject) {
		err = errors.New("it is not a JSON object")
	}
	servers, isObject := tree[string(MCPServers)].(map[string]any)
	if err == nil && !isObject {
		err = fmt.Errorf("it has no object %q", MCPServers)
	}
	if o.Err = err; err != nil {
		return o, nil
	}
	delete(tree, string(MCPServers))
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		if name != "$schema" {
			o.Unused = append(o.Unused, Printable(name))
		}
	}
	return o, f.entries(o, servers)
}

// entries translates the servers of a file.
func (f *serverFormat) entries(o *OtherServers, servers map[string]any) map[string]any {
	entries := map[string]any{}
	leave := func(name, format string, args ...any) {
		o.Unused = append(o.Unused, Printable(name)+" ("+fmt.Sprintf(format, args...)+")")
	}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		entry, isObject := servers[name].(map[string]any)
		switch {
		case isUnsafe(name) || name == "":
			leave(name, "the name is reserved")
			continue
		case !isObject:
			leave(name, "it is not an object")
			continue
		}
		translated, isDisabled, err := f.translate(entry)
		switch {
		case err != nil:
			leave(name, "%v", err)
			continue
		case isDisabled:
			o.Disabled = append(o.Disabled, name)
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(entry)) {
			o.Unused = append(o.Unused, Printable(name+"."+key)+whyUnused(key))
		}
		if mentions(translated, "${CLAUDE_PLUGIN_ROOT") {
			leave(name, "only plugins have CLAUDE_PLUGIN_ROOT")
		}
		entries[name] = translated
	}
	return entries
}

// whyUnused returns the reason why a key of a server has no effect, in parentheses; "" for a key that Pollux does not know.
func whyUnused(key string) string {
	if key == "headersHelper" {
		return " (it runs a program)"
	}
	return ""
}

// mentions reports whether a text is in a string of a JSON value.
func mentions(v any, text string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, text)
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return mentions(item, text) })
	case map[string]any:
		for _, item := range v {
			if mentions(item, text) {
				return true
			}
		}
	}
	return false
}

// ClaudeServer is the [ServerTranslator] of Claude Code: of an entry of .mcp.json, in which the type decides how the server is reached.
func ClaudeServer(entry map[string]any) (map[string]any, bool, error) {
	kind, isText := entry["type"].(string)
	if _, isSet := entry["type"]; isSet && !isText {
		return nil, false, errors.New("its type is not a string")
	}
	delete(entry, "type")
	_, hasCommand := entry["command"]
	switch {
	case kind == "stdio", kind == "" && hasCommand:
		return TakeServer(entry, "command", "", "args", "env")
	case kind == "streamable-http":
		kind = "http"
	case kind != "" && kind != "http" && kind != "sse":
		return nil, false, fmt.Errorf("its type is %q, not stdio, http or sse", Printable(kind))
	}
	return TakeServer(entry, "url", kind, "headers")
}

// AntigravityServer is the [ServerTranslator] of Antigravity CLI: of an entry of mcp_config.json. The key serverUrl wins over a command.
func AntigravityServer(entry map[string]any) (map[string]any, bool, error) {
	isOff, isBool := entry["disabled"].(bool)
	if _, isSet := entry["disabled"]; isSet && !isBool {
		return nil, false, errors.New("disabled is neither true nor false")
	}
	delete(entry, "disabled")
	if isOff {
		return nil, true, nil
	}
	common := map[string]any{}
	for from, to := range map[string]string{"disabledTools": "excludeTools", "oauth": "oauth", "authProviderType": "authProviderType"} {
		if v, isSet := entry[from]; isSet {
			common[to] = v
			delete(entry, from)
		}
	}
	kind := "http"
	if v, isSet := entry["serverUrl"]; isSet {
		entry["url"] = v
		delete(entry, "serverUrl")
	} else if kind, _ = entry["type"].(string); kind != "http" && kind != "sse" {
		kind = ""
	}
	if kind != "" || entry["url"] != nil {
		delete(entry, "type")
	}
	var translated map[string]any
	var err error
	if _, hasURL := entry["url"]; hasURL {
		translated, _, err = TakeServer(entry, "url", kind, "headers")
	} else {
		translated, _, err = TakeServer(entry, "command", "", "args", "env", "cwd")
	}
	maps.Copy(common, translated)
	return common, false, err
}

// TakeServer moves the keys with which a server is reached from an entry to a new one: main, which must be there, and others. kind is the
// type of the new entry, "" for none.
func TakeServer(entry map[string]any, main, kind string, others ...string) (map[string]any, bool, error) {
	if text, _ := entry[main].(string); strings.TrimSpace(text) == "" {
		return nil, false, fmt.Errorf("it has no %s", main)
	}
	taken := map[string]any{}
	if kind != "" {
		taken["type"] = kind
	}
	for _, key := range append([]string{main}, others...) {
		if v, isSet := entry[key]; isSet {
			taken[key] = v
			delete(entry, key)
		}
	}
	return taken, false, nil
}
