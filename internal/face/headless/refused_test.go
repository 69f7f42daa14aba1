package headless

import "testing"

// TestRefused checks that the line about refused permissions names the settings which can allow them, and no others.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		wishes []string
		want   string
	}{
		{[]string{"to reach a.example, b.example"}, "to reach a.example, b.example. pollux.sandboxHosts can allow hosts, --no-sandbox all"},
		{[]string{"the network"}, "the network. tools.sandboxNetworkAccess can allow the network, --no-sandbox all"},
		{[]string{"to read ~/.ssh/id", "to create ~/x"}, "to read ~/.ssh/id; to create ~/x. tools.sandboxAllowedPaths can allow paths that exist, --no-sandbox all"},
		{[]string{"more privileges", "more memory (pollux.sandboxMemory)"}, "more privileges; more memory (pollux.sandboxMemory). --no-sandbox allows all"},
		{
			[]string{"to change /a", "to change /b", "to change /c", "to change /d", "to change /e", "to reach a.example", "namespaces"},
			"to change /a; to change /b; to change /c; to change /d; to change /e; and 2 more. tools.sandboxAllowedPaths can allow paths that exist, pollux.sandboxHosts hosts, --no-sandbox all",
		},
		{[]string{"to read /\x1b[2J"}, "to read /. tools.sandboxAllowedPaths can allow paths that exist, --no-sandbox all"},
	} {
		if got, want := refused(test.wishes), "The sandbox refused commands: "+test.want+"; see pollux sandbox log."; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
