package headless

import (
	"testing"

	"pollux/internal/sandbox"
)

// TestRefused checks that the line about refused permissions names the settings which can allow them, and no others.
func TestRefused(t *testing.T) {
	t.Parallel()
	display := func(path string) string { return path }
	wish := func(kind sandbox.DenialKind, path string) sandbox.Wish {
		d := sandbox.Denial{Kind: kind, Path: path, Exists: path, Hosts: []string{path}}
		return d.Wish(display)
	}
	for _, test := range []struct {
		wishes []sandbox.Wish
		want   string
	}{
		{[]sandbox.Wish{wish(sandbox.NotListed, "a.example, b.example")}, "to reach a.example, b.example. pollux.sandboxHosts can allow hosts, --no-sandbox all"},
		{[]sandbox.Wish{wish(sandbox.HasNoNetwork, "")}, "the network. tools.sandboxNetworkAccess can allow the network, --no-sandbox all"},
		{[]sandbox.Wish{wish(sandbox.HidesFile, "~/.ssh/id"), wish(sandbox.KeepsDirectory, "~/x")}, "to read ~/.ssh/id; to create ~/x. tools.sandboxAllowedPaths can allow paths that exist, --no-sandbox all"},
		{[]sandbox.Wish{wish(sandbox.HasNoRights, ""), wish(sandbox.HasNoMemory, "")}, "more privileges; more memory (pollux.sandboxMemory). --no-sandbox allows all"},
		{
			[]sandbox.Wish{wish(sandbox.KeepsFile, "/a"), wish(sandbox.KeepsFile, "/b"), wish(sandbox.KeepsFile, "/c"), wish(sandbox.KeepsFile, "/d"), wish(sandbox.KeepsFile, "/e"), wish(sandbox.NotListed, "a.example"), wish(sandbox.HasNoNamespaces, "")},
			"to change /a; to change /b; to change /c; to change /d; to change /e; and 2 more. tools.sandboxAllowedPaths can allow paths that exist, pollux.sandboxHosts hosts, --no-sandbox all",
		},
		{[]sandbox.Wish{wish(sandbox.HidesFile, "/\x1b[2J")}, "to read /. tools.sandboxAllowedPaths can allow paths that exist, --no-sandbox all"},
	} {
		if got, want := refused(test.wishes), "The sandbox refused commands: "+test.want+"; see pollux sandbox log."; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
