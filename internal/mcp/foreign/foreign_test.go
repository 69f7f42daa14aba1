package foreign

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"pollux/internal/config"
)

// TestVariablePrefix checks that each server has variables of its own, with names that a shell can set.
func TestVariablePrefix(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"docs": "DOCS_", "db.x": "DB_X_", "21st": "MCP_21ST_", "@21st/magic": "MCP_21ST_MAGIC_", "文档": "SERVER_3_", "-": "SERVER_3_"} {
		if got := variablePrefix(name, 2); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// FuzzAgents checks that no entry makes a translation panic, grants trust, or copies a reference to a file or the output of a program.
func FuzzAgents(f *testing.F) {
	f.Add("codex", `{"command": "x", "env_vars": ["A"], "env": {"A": "b"}, "http_headers": 5, "tool_timeout_sec": 1e308}`)
	f.Add("opencode", `{"type": "local", "command": ["x", "{file:a}", "{env:A}"], "environment": []}`)
	f.Add("cursor", `{"url": "${env:A}", "headers": {"a": "${b}"}}`)
	f.Add("qwen", `{"httpUrl": "x", "trust": true, "type": "sse"}`)
	f.Add("crush", "{\"type\": \"http\", \"url\": \"$(x)`y`\", \"timeout\": -1}")
	f.Fuzz(func(t *testing.T, name, text string) {
		a := Agents(name)
		entry, err := config.ParseObject([]byte(text))
		if a == nil || err != nil {
			return
		}
		list := a.Servers(map[string]any{"s": entry}, map[string]any{})
		if len(list) != 1 || list[0].IsWritten() != (list[0].Entry != nil) || !list[0].IsWritten() && len(list[0].Notes) == 0 {
			t.Fatalf("%+v", list)
		}
		for key := range maps.Keys(list[0].Entry) {
			if !slices.Contains([]string{"command", "args", "env", "cwd", "url", "httpUrl", "type", "headers", "timeout", "includeTools", "excludeTools", "description", "oauth", "authProviderType"}, key) {
				t.Errorf("%s is copied", key)
			}
		}
		if data, _ := json.Marshal(list[0].Entry); name == "crush" && strings.Contains(string(data), "$(") || name == "opencode" && strings.Contains(string(data), "{file:") {
			t.Errorf("copied: %s", data)
		}
	})
}
