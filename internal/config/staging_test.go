package config_test

import (
	"path/filepath"
	"slices"
	"testing"

	"pollux/internal/config"
	"pollux/internal/workspace"
)

// TestStaging checks that commands in the sandbox see nothing of the directory for staging, and that it is none of those by which Pollux knows whether it has run before.
func TestStaging(t *testing.T) {
	t.Parallel()
	p := config.NewPaths(config.NewEnv("HOME="+t.TempDir()), t.TempDir())
	isIn := func(dir string) bool {
		return workspace.IsWithin(p.Staging(), dir) || workspace.IsWithin(dir, p.Staging())
	}
	if slices.ContainsFunc(p.Shown(), isIn) || !slices.ContainsFunc(p.Private(), isIn) || isIn(p.Scratch()) || isIn(filepath.Join(p.RuntimeDir(), "pollux")) {
		t.Errorf("%s, where %q are private, and %q shown", p.Staging(), p.Private(), p.Shown())
	}
}
