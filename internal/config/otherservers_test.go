package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// put writes a file of the project.
func (p *place) put(t testing.TB, name, content string) {
	t.Helper()
	write(t, filepath.Join(p.work, filepath.FromSlash(name)), content)
}

// TestOtherServers checks the translation of each kind of entry, and that the warning names the unused parts.
func TestOtherServers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.put(t, ".mcp.json", `{
  // comments are fine
  "inputs": [], "$schema": "x",
  "mcpServers": {
    "plain": {"command": "a", "args": ["$X", "${X:-d}"], "env": {"N": "${NONE}"}, "cwd": "sub", "trust": true},
    "typed": {"type": "stdio", "command": "b", "url": "http://ignored"},
    "web": {"type": "http", "url": "http://w", "headers": {"A": "b"}, "headersHelper": "./run.sh"},
    "old": {"type": "sse", "url": "http://o"},
    "open": {"url": "http://p"},
    "stream": {"type": "streamable-http", "url": "http://s"},
    "socket": {"type": "ws", "url": "ws://x"},
    "number": {"type": 5, "command": "x"},
    "empty": {"type": "http"},
    "text": "x", "__proto__": {"command": "x"},
    "plugged": {"command": "${CLAUDE_PLUGIN_ROOT}/serve"}
  }
}`)
	p.put(t, ".agents/mcp_config.json", `{"mcpServers": {
    "served": {"serverUrl": "http://s", "command": "not", "headers": {"A": "b"}, "disabledTools": ["x"], "authProviderType": "google_credentials", "oauth": {"clientId": "c"}},
    "program": {"command": "c", "args": ["1"], "env": {"A": "b"}, "cwd": "sub", "timeout": 5, "enabled": false},
    "either": {"url": "http://e", "type": "sse"},
    "off": {"command": "x", "disabled": true},
    "unsure": {"command": "x", "disabled": "yes"},
    "none": {}
  }}`)
	s, warnings := p.mustLoad(t)
	got, _ := s.Lookup("mcpServers")
	want := map[string]any{
		"plain":   map[string]any{"command": "a", "args": []any{"$X", "${X:-d}"}, "env": map[string]any{"N": "${NONE}"}},
		"typed":   map[string]any{"command": "b"},
		"web":     map[string]any{"type": "http", "url": "http://w", "headers": map[string]any{"A": "b"}},
		"old":     map[string]any{"type": "sse", "url": "http://o"},
		"open":    map[string]any{"url": "http://p"},
		"stream":  map[string]any{"type": "http", "url": "http://s"},
		"plugged": map[string]any{"command": "${CLAUDE_PLUGIN_ROOT}/serve"},
		"served": map[string]any{
			"type": "http", "url": "http://s", "headers": map[string]any{"A": "b"}, "excludeTools": []any{"x"},
			"authProviderType": "google_credentials", "oauth": map[string]any{"clientId": "c"},
		},
		"program": map[string]any{"command": "c", "args": []any{"1"}, "env": map[string]any{"A": "b"}, "cwd": "sub"},
		"either":  map[string]any{"type": "sse", "url": "http://e"},
	}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Error(diff)
	}
	text := strings.Join(texts(warnings), "\n")
	for _, part := range []string{
		"inputs", "plain.cwd", "plain.trust", "typed.url", "web.headersHelper (it runs a program)", `socket (its type is "ws", not stdio, http or sse)`,
		"number (its type is not a string)", "empty (it has no url)", "text (it is not an object)", "__proto__ (the name is reserved)",
		"plugged (only plugins have CLAUDE_PLUGIN_ROOT)", "served.command", "program.timeout", "program.enabled",
		"unsure (disabled is neither true nor false)", "none (it has no command)",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("no warning about %s in: %s", part, text)
		}
	}
	for _, part := range []string{"$schema", "off", "either.", "open"} {
		if strings.Contains(text, part) {
			t.Errorf("a warning about %s: %s", part, text)
		}
	}
	var disabled []string
	for _, o := range s.OtherServers() {
		disabled = append(disabled, o.Disabled...)
	}
	if diff := cmp.Diff([]string{"off"}, disabled); diff != "" {
		t.Error(diff)
	}
}

func texts(warnings []Warning) (list []string) {
	for _, w := range warnings {
		list = append(list, string(w))
	}
	return list
}

// TestOtherServersPrecedence checks that the project's settings win, then .agents, then .mcp.json, then the user.
func TestOtherServersPrecedence(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user(t, `{"mcpServers": {"a": {"command": "user"}, "b": {"command": "user"}, "c": {"command": "user"}, "d": {"command": "user"}}}`)
	p.workspace(t, `{"mcpServers": {"a": {"command": "settings"}}}`)
	p.put(t, ".agents/mcp_config.json", `{"mcpServers": {"a": {"command": "agents"}, "b": {"command": "agents"}}}`)
	p.put(t, ".mcp.json", `{"mcpServers": {"a": {"command": "mcp"}, "b": {"command": "mcp"}, "c": {"command": "mcp"}}}`)
	s, _ := p.mustLoad(t)
	var got []string
	for _, e := range MCPServers.In(s, nil) {
		got = append(got, e.Name+" "+e.Scope.String()+" "+e.File+" "+string(e.Entry))
	}
	want := []string{
		`a workspace  {"command":"settings"}`, `b workspace .agents/mcp_config.json {"command":"agents"}`,
		`c workspace .mcp.json {"command":"mcp"}`, `d user  {"command":"user"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for name, file := range map[string]string{"a": ".gemini/settings.json", "b": ".agents/mcp_config.json", "c": ".mcp.json"} {
		e, err := Explain(s, p.paths(), "mcpServers."+name+".command")
		if err != nil {
			t.Fatal(err)
		}
		if l := e.Layers[Workspace]; l.File != filepath.Join(p.work, filepath.FromSlash(file)) || l.State != "read" || l.Line != 1 {
			t.Errorf("%s is explained with %s, %s, line %d", name, l.File, l.State, l.Line)
		}
	}
}

// TestOtherServersOff checks the setting: a project can turn the files off, and not on again.
func TestOtherServersOff(t *testing.T) {
	t.Parallel()
	const off, on = `{"pollux": {"foreignServers": false}}`, `{"pollux": {"foreignServers": true}}`
	for _, tt := range []struct {
		user, workspace string
		want            int
	}{{"{}", "{}", 1}, {off, "{}", 0}, {"{}", off, 0}, {off, on, 0}, {on, on, 1}} {
		p := newPlace(t)
		p.user(t, tt.user)
		p.workspace(t, tt.workspace)
		p.put(t, ".mcp.json", `{"mcpServers": {"c": {"command": "mcp"}}}`)
		s, _ := p.mustLoad(t)
		if got := len(MCPServers.In(s, nil)); got != tt.want {
			t.Errorf("user %s, project %s: %d servers", tt.user, tt.workspace, got)
		}
		peeked, err := PeekWorkspace(Sources{Paths: p.paths(), Env: p.env})
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := at(peeked.Tree(), "mcpServers.c"); (v != nil) != (tt.want > 0) {
			t.Errorf("user %s, project %s: the question about trust has %v", tt.user, tt.workspace, v)
		}
	}
}

// TestOtherServersVariables checks that only the form with braces is a variable, and that variables with secrets are not inserted.
func TestOtherServersVariables(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "HOST=h", "MY_TOKEN=abcdefgh12345678")
	p.put(t, ".mcp.json", `{"mcpServers": {"s": {
  "command": "${HOST}/$HOST", "args": ["${NONE:-d}", "${NONE}", "${MY_TOKEN}", "$MY_TOKEN"],
  "env": {"A": "${HOST}", "B": "${NONE}", "C": "${MY_TOKEN}", "D": "$NONE"}
}}}`)
	s, _ := p.mustLoad(t)
	got := MCPServers.In(s, NewFolderEnv(p.env))
	want := []ServerEntry{{
		Name: "s", Scope: Workspace, File: ".mcp.json", Withheld: []string{"MY_TOKEN"},
		Entry: []byte(`{"args":["d","${NONE}","${MY_TOKEN}","$MY_TOKEN"],"command":"h/$HOST","env":{"A":"h","B":"${NONE}","C":"","D":"$NONE"}}`),
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestOtherServersBroken checks that a file that cannot be used is named and has no servers, while all else goes on.
func TestOtherServersBroken(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "servers.json")
	if err := os.WriteFile(outside, []byte(`{"mcpServers": {"evil": {"command": "x"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		write func(t *testing.T, p *place, path string)
		want  string
	}{
		"text":    {func(t *testing.T, p *place, _ string) { p.put(t, ".mcp.json", "{") }, "unexpected EOF"},
		"empty":   {func(t *testing.T, p *place, _ string) { p.put(t, ".mcp.json", "") }, "the file is empty"},
		"list":    {func(t *testing.T, p *place, _ string) { p.put(t, ".mcp.json", "[]") }, "it is not a JSON object"},
		"other":   {func(t *testing.T, p *place, _ string) { p.put(t, ".mcp.json", `{"servers": {}}`) }, `it has no object "mcpServers"`},
		"deep":    {func(t *testing.T, p *place, _ string) { p.put(t, ".mcp.json", strings.Repeat("[", 100_000)) }, "nest more than 1000 deep"},
		"large":   {func(t *testing.T, p *place, _ string) { p.put(t, ".mcp.json", strings.Repeat(" ", maxSettings+1)) }, "it is larger than 16 MB"},
		"folder":  {func(t *testing.T, p *place, _ string) { p.put(t, ".mcp.json/x", "") }, "it is a directory"},
		"nowhere": {func(t *testing.T, _ *place, path string) { link(t, "absent", path) }, `it is a link to "absent", which does not exist`},
		"outside": {func(t *testing.T, _ *place, path string) { link(t, outside, path) }, "it is a link that leads out of the project"},
		"upwards": {func(t *testing.T, p *place, path string) { link(t, relativeTo(t, p.work, outside), path) }, "it is a link that leads out of the project"},
	} {
		p := newPlace(t)
		p.user(t, `{"mcpServers": {"own": {"command": "user"}}}`)
		path := filepath.Join(p.work, ".mcp.json")
		tt.write(t, p, path)
		s, warnings := p.mustLoad(t)
		if len(warnings) != 1 || !strings.HasPrefix(string(warnings[0]), "Warning: Ignoring the MCP servers in "+path+": ") || !strings.Contains(string(warnings[0]), tt.want) {
			t.Errorf("%s: warnings %q", name, warnings)
		}
		if list := MCPServers.In(s, nil); len(list) != 1 || list[0].Name != "own" {
			t.Errorf("%s: servers %v", name, list)
		}
		if _, err := PeekWorkspace(Sources{Paths: p.paths(), Env: p.env}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: the question about trust has the error %v", name, err)
		}
	}
	p := newPlace(t)
	p.put(t, "config/servers.json", `{"mcpServers": {"s": {"command": "x"}}}`)
	link(t, "config/servers.json", filepath.Join(p.work, ".mcp.json"))
	if s, warnings := p.mustLoad(t); len(MCPServers.In(s, nil)) != 1 || len(warnings) > 0 {
		t.Errorf("a link within the project: %q", warnings)
	}
}

// TestOtherServersUntrusted checks that nothing of a folder is read that is not trusted, or is the home directory.
func TestOtherServersUntrusted(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.put(t, ".mcp.json", `{"mcpServers": {"s": {"command": "x"}}, "wrong": 1}`)
	s, warnings, err := Load(Sources{Paths: p.paths(), Env: p.env, Trusted: func(*Settings) (bool, error) { return false, nil }})
	if err != nil || len(warnings) > 0 || len(MCPServers.In(s, nil)) > 0 || s.OtherServers() != nil {
		t.Errorf("not trusted: %v, %q, %v", err, warnings, s.OtherServers())
	}
	home := NewPaths(p.env, p.paths().Home())
	if err := os.WriteFile(filepath.Join(home.Dir(), ".mcp.json"), []byte(`{"mcpServers": {"s": {"command": "x"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, _, err = Load(Sources{Paths: home, Env: p.env}); err != nil || len(MCPServers.In(s, nil)) > 0 {
		t.Errorf("in the home directory: %v, %v", err, s.OtherServers())
	}
}

func relativeTo(t *testing.T, dir, path string) string {
	t.Helper()
	below, err := filepath.Rel(dir, path)
	if err != nil {
		t.Fatal(err)
	}
	return below
}
