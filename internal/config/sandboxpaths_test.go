package config

import (
	"slices"
	"testing"
)

// Paths for the sandbox are in two settings, of which a project's own do not count.
func TestSandboxPaths(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user(t, `{"tools": {"sandbox": {"enabled": true, "allowedPaths": ["/a", 5, "/b"], "networkAccess": false}, "sandboxAllowedPaths": ["/c"]}}`)
	p.workspace(t, `{"tools": {"sandbox": {"enabled": true, "allowedPaths": ["/theirs"]}, "sandboxAllowedPaths": ["/theirs"]}}`)
	s, _ := p.mustLoad(t)
	if got, want := SandboxPaths(s), []string{"/c", "/a", "/b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	p = newPlace(t)
	p.workspace(t, `{"tools": {"sandbox": {"enabled": true, "allowedPaths": ["/theirs"]}}}`)
	if s, _ = p.mustLoad(t); len(SandboxPaths(s)) > 0 {
		t.Errorf("%q", SandboxPaths(s))
	}
	p = newPlace(t)
	p.user(t, `{"tools": {"sandbox": {"enabled": true, "allowedPaths": "/one"}}}`)
	if s, _ = p.mustLoad(t); !slices.Equal(SandboxPaths(s), []string{"/one"}) {
		t.Errorf("%q", SandboxPaths(s))
	}
}
