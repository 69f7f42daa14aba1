package servers

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
