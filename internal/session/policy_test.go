package session

import (
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/config"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
)

// A home directory of another user has no policies. Only the settings warn that it cannot be
// entered.
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
	var warnings []string
	p := project.New(project.Options{
		Dir: dir, Env: config.NewEnv("GEMINI_CLI_HOME=" + home), Folder: trust.Trusted, Warn: func(text string) {
			warnings = append(warnings, text)
		},
	})
	if err := p.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := p.ReadPolicies(func(policy.Integrity) bool { return false }); err != nil || len(warnings) != 1 {
		t.Errorf("%q, %v", warnings, err)
	}
}
