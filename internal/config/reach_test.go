package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A home directory that is none of ours, or none at all, is as good as empty.
func TestLoadWithoutHome(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		home func(t *testing.T, p *place) string
		told string
	}{
		"a file":       {func(t *testing.T, p *place) string { write(t, p.home+"/x", ""); return p.home + "/x" }, ""},
		"nothing":      {func(t *testing.T, p *place) string { return p.home + "/none" }, ""},
		"out of reach": {outOfReachHome, "/.gemini cannot be entered: permission denied."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			env := p.env.With("GEMINI_CLI_HOME=" + tt.home(t, p))
			_, warnings, err := Load(Sources{Paths: NewPaths(env, p.work), Env: env})
			if err != nil {
				t.Fatal(err)
			}
			if tt.told == "" && len(warnings) > 0 || tt.told != "" && (len(warnings) != 1 || !strings.Contains(string(warnings[0]), tt.told)) {
				t.Errorf("warnings %q, want %q", warnings, tt.told)
			}
		})
	}
}

func outOfReachHome(t *testing.T, p *place) string {
	t.Helper()
	write(t, filepath.Join(p.home, "closed", ".gemini", "settings.json"), "{}")
	dir := filepath.Join(p.home, "closed")
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	if _, err := os.Stat(filepath.Join(dir, ".gemini")); err == nil {
		t.Skip("nothing is out of reach for this user")
	}
	return dir
}
