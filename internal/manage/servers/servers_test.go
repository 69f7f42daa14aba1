package servers

import (
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage/managetest"
)

func TestServers(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Check(Command(), []managetest.Case{
		{Line: "list", Want: "No MCP servers configured.", JSON: "[]"},
		{Line: "add a", Want: "Not enough non-option arguments: got 1, need at least 2", Code: exit.General},
		{Line: "add --scope", Want: "Not enough arguments following: scope", Code: exit.Input},
		{Line: "add -t moon a x", Want: `There is no transport "moon".`, Code: exit.Input},
		{Line: "add -s moon a x", Want: `There is no scope "moon".`, Code: exit.Input},
		{Line: "add -e NAME a x", Want: "--env NAME is not of the form NAME=value.", Code: exit.Input},
		{Line: "add --timeout=-1 a x", Want: "--timeout -1 is not a number of milliseconds.", Code: exit.Input},
		{Line: "add -t http a https://x.example y", Want: "A server with a URL takes no arguments: y", Code: exit.Input},
		{Line: "add -e K=v --trust my-server /nowhere/x --flag", Want: `MCP server "my-server" added to project settings. (stdio)`},
		{Line: "add my-server https://x.example", Want: "Note: https://x.example will be started as a program."},
		{Line: "add my-server /nowhere/x", Want: `MCP server "my-server" updated in project settings.`},
		{Line: "list", Want: "✗ my-server: /nowhere/x (stdio)"},
		{Line: "test my-server", Want: `MCP server "my-server": `, Code: exit.General},
		{Line: "test none", Want: `There is no MCP server "none".`, Code: exit.General},
		{Line: "enable --session my-server", Want: "There, use /mcp enable my-server --session.", Code: exit.Input},
		{Line: "disable MY-server", Want: "MCP server 'my-server' disabled."},
		{Line: "list", Want: "○ my-server: /nowhere/x (stdio) - Disabled"},
		{Line: "/", Want: "my-server - Disabled"},
		{Line: "/list moon", Want: `There is no MCP server with "moon" in its name.`, Code: exit.Input},
		{Line: "/disable none", Want: `There is no MCP server "none". /mcp lists the servers.`, Code: exit.Input},
		{Line: "/disable", Want: "Usage: /mcp disable <name> [--session]", Code: exit.Input},
		{Line: "/disable my-server --session", Want: "MCP server 'my-server' disabled for this session."},
		{Line: "/auth", Want: "No MCP server asks for a sign-in."},
		{Line: "remove none", Want: `Server "none" not found in project settings.`},
		{Line: "remove my-server", Want: `Server "my-server" removed from project settings.`},
		{Line: "list", Want: "No MCP servers configured."},
	})
}
