// Package projecttest opens projects for tests.
package projecttest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/config"
	"pollux/internal/extension"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
)

// New returns a trusted project in a new directory, whose user has these settings and environment. A warning is an
// error of the test.
func New(t testing.TB, settings string, env ...string) *project.Project {
	t.Helper()
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".gemini"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".gemini", "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	env = append(env, "HOME="+home, "GEMINI_CLI_HOME="+home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+home+"/none.json")
	p := project.New(project.Options{
		Dir: t.TempDir(), Env: config.NewEnv(env...), Folder: trust.Trusted, Warn: func(text string) { t.Error(text) },
	})
	if err := p.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.ReadEnv()
	return p
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
