package slash

import "testing"

func TestSwitchServerWithSpaces(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{settings: `{"mcp": {"excluded": ["my server"]}, "mcpServers": {"my server": {"command": "x"}}}`})
	d.wantText(`/mcp disable my server`, "MCP server 'my server' disabled.")
	d.wantText(`/mcp enable "My Server" --session`, "MCP server 'my server' enabled for this session.")
	d.wantFailure(`/mcp enable my`, `There is no MCP server "my".`)
	d.wantFailure(`/mcp enable`, "Usage: /mcp enable <name> [--session]")
}
