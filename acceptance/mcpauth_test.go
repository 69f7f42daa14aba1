package acceptance

import (
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"pollux/internal/mcp/mcptest"
)

// mcpAuthWord starts an MCP server that wants a sign-in, with its authorization server. The variables
// MCP_URL and TOKEN_URL are their addresses, ACCESS and REFRESH the tokens of a person who has signed in.
func mcpAuthWord(ts *testscript.TestScript, args []string) bool {
	if len(args) > 0 {
		return false
	}
	a := mcptest.NewAuth(mcptest.AuthOptions{Lifetime: time.Hour})
	ts.Defer(a.Close)
	access, refresh := a.Grant()
	for name, value := range map[string]string{"MCP_URL": a.URL, "TOKEN_URL": a.Issuer + "/token", "ACCESS": access, "REFRESH": refresh} {
		ts.Setenv(name, value)
	}
	return true
}
