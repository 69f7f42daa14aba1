package revert

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pollux/internal/undo/state"
)

// TestTwins finds paths that differ in case only, and reads them by their exact names. See TestCaseInsensitive of package undo, too.
func TestTwins(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Name"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	found := twinsOf([]Step{{Path: path("Name")}, {Path: path("NAME")}, {Path: path("name")}, {Path: path("other")}})
	if got, want := slices.Sorted(maps.Keys(found)), []string{path("NAME"), path("Name"), path("name")}; !slices.Equal(got, want) {
		t.Errorf("twins %q, want %q", got, want)
	}
	for name, want := range map[string]state.Kind{"Name": state.Regular, "name": state.Absent, "NAME": state.Absent} {
		if now, err := found.read(path(name)); err != nil || now.Kind != want {
			t.Errorf("%s is %+v, error %v", name, now, err)
		}
		if isThere, err := isListed(path(name)); err != nil || isThere != (name == "Name") {
			t.Errorf("%s is listed: %v, error %v", name, isThere, err)
		}
	}
}
