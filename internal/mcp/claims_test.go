package mcp

import (
	"strings"
	"testing"
	"time"

	"pollux/tool"
)

// Of two servers whose tools get the same names, the first has them, whichever connects first: the user's
// before that of an extension, then by name. The user gets to know both.
func TestSameNamesOfTools(t *testing.T) {
	t.Parallel()
	named := func(name, extension string) Config {
		c := toy(t, name, "plain")
		c.Extension = extension
		return c
	}
	for _, c := range []struct {
		configs     []Config
		first, last string
	}{
		{[]Config{named("a_b", ""), named("a b", "")}, "a b", "a_b"},
		{[]Config{named("a b", "theirs"), named("a_b", "")}, "a_b", "a b"},
	} {
		for range 3 {
			s, r, warned := run(t, Options{Configs: c.configs})
			one, _ := r.Lookup("mcp_a_b_echo")
			if remote, ok := tool.As[tool.Remote](one); !ok || remote.Server() != c.first {
				t.Fatalf("the tool is not that of %q", c.first)
			}
			w := warned()
			if len(w) != 1 || !strings.Contains(w[0], `"`+c.first+`" and "`+c.last+`"`) {
				t.Errorf("warnings: %q", w)
			}
			s.Switch(c.first, Disabled)
			one, found := r.Lookup("mcp_a_b_echo")
			if remote, _ := tool.As[tool.Remote](one); !found || remote.Server() != c.last {
				t.Errorf("the other server does not get the names of one that is switched off")
			}
		}
	}
}

// The names of a server that is away for a moment do not go to another server.
func TestNamesStayWithServer(t *testing.T) {
	t.Parallel()
	s, r, _ := run(t, Options{Configs: []Config{toy(t, "a_b", "plain"), toy(t, "a b", "plain")}})
	_ = callTool(t.Context(), t, r, "mcp_a_b_die", `{}`, tool.Host{})
	for s.find("a b").status().State == Connected {
		time.Sleep(time.Millisecond)
	}
	if one, found := r.Lookup("mcp_a_b_echo"); found {
		if remote, _ := tool.As[tool.Remote](one); remote.Server() != "a b" {
			t.Errorf("the tool is that of %q", remote.Server())
		}
	}
}
