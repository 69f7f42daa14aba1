package slash

import "testing"

// Names of servers may have spaces.
func TestCutSession(t *testing.T) {
	t.Parallel()
	type parts struct {
		name       string
		forSession bool
	}
	for args, want := range map[string]parts{
		"":                         {},
		"--session":                {"", true},
		"docs":                     {"docs", false},
		"my server":                {"my server", false},
		`"my server"`:              {"my server", false},
		" 'my server'  --session ": {"my server", true},
		`--session my  server`:     {"my  server", true},
		"a--session":               {"a--session", false},
		"my --session server":      {"my --session server", false},
		`"`:                        {`"`, false},
	} {
		if name, forSession := cutSession(args); (parts{name, forSession}) != want {
			t.Errorf("%q: %q, %v", args, name, forSession)
		}
	}
}

func TestSwitchServerWithSpaces(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{settings: `{"mcp": {"excluded": ["my server"]}, "mcpServers": {"my server": {"command": "x"}}}`})
	d.wantText(`/mcp disable my server`, "MCP server 'my server' disabled.")
	d.wantText(`/mcp enable "My Server" --session`, "MCP server 'my server' enabled for this session.")
	d.wantFailure(`/mcp enable my`, `There is no MCP server "my".`)
	d.wantFailure(`/mcp enable`, "Usage: /mcp enable <name> [--session]")
}
