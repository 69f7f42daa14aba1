// Package projecttest opens projects for tests.
package projecttest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/extension"

	"pollux/internal/guard/trust"
	"pollux/internal/project"
)

// New returns a trusted project in a new directory, whose user has these settings and environment. A warning is an
// error of the test.
func New(t testing.TB, settings string, env ...string) *project.Project {
	t.Helper()
	u := NewUser(t, env...)
	u.Write("~/.gemini/settings.json", settings)
	return u.Load(func(o *project.Options) {
		o.Folder, o.Warn = trust.Trusted, func(text string) { t.Error(text) }
	})
}

// AddExtension writes an extension of the user: these files, and a manifest with the name and more keys.
func AddExtension(t testing.TB, p *project.Project, name, keys string, files map[string]string) {
	t.Helper()
	all := map[string]string{extension.ManifestName: fmt.Sprintf(`{"name": %q, "version": "1"%s}`, name, keys)}
	maps.Copy(all, files)
	for file, text := range all {
		path := filepath.Join(p.ExtensionsDir(), name, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Getenv returns a variable of the environment of a project, "" if it is not set.
func Getenv(p *project.Project, name string) string { return p.Env().Get(name) }
