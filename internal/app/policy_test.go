package app

import (
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/config"
	"pollux/internal/guard/policy"
)

// A home directory that is none of ours has no policies; that it cannot be entered is
// told once, by the settings.
func TestPoliciesOutOfReach(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	if err := os.Chmod(home, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(home, 0o700) })
	if _, err := os.Stat(filepath.Join(home, ".gemini")); os.IsNotExist(err) {
		t.Skip("nothing is out of reach for this user")
	}
	env := config.NewEnv("GEMINI_CLI_HOME=" + home)
	paths := config.NewPaths(env, dir)
	settings, told, err := config.Load(config.Sources{Paths: paths, Env: env})
	if err != nil || len(told) != 1 {
		t.Fatal(told, err)
	}
	warn := func(text string) { t.Errorf("a warning too many: %s", text) }
	never := func(Options, policy.Integrity) bool { return false }
	if _, err := policyFiles(Options{Settings: settings, Env: env, Paths: paths, Warn: warn}, never); err != nil {
		t.Error(err)
	}
}
