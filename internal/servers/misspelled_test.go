package servers

import (
	"slices"
	"testing"

	"pollux/internal/guard/policy"
	"pollux/internal/mcp"
)

// A rule for a tool that a server does not have is reported if it looks like a mistake.
func TestMisspelledTools(t *testing.T) {
	t.Parallel()
	st := mcp.Status{Config: mcp.Config{Name: "my docs"}, Tools: []mcp.ToolInfo{{Name: "search"}, {Name: "read page"}}}
	for _, c := range []struct {
		rule string
		want []string
	}{
		{"mcp_my_docs_search", nil},
		{"mcp_my_docs_read_page", nil},
		{"mcp_my_docs_serch", []string{`Unrecognized MCP tool "serch" for server "my docs" (from mine.toml). Did you mean "search"?`}},
		{"mcp_my_docs_delete_everything", nil},
		{"mcp_my_docs_*", nil},
		{"mcp_other_serch", nil},
		{"serch", nil},
	} {
		got := misspelledTools(st, []policy.Rule{{Tools: []string{c.rule}, Source: "mine.toml"}})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
	if got := misspelledTools(st, []policy.Rule{{Tools: []string{"search", "serch"}, Server: "my docs"}}); len(got) != 1 {
		t.Errorf("a rule with mcpName: %q", got)
	}
	if got := misspelledTools(mcp.Status{Config: st.Config}, []policy.Rule{{Tools: []string{"mcp_my_docs_serch"}}}); got != nil {
		t.Errorf("a server without tools: %q", got)
	}
}
