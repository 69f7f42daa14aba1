// Package projecttest opens projects for tests.
package projecttest

import (
	"testing"

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

// AddExtension is [User.AddExtension] for the user of a project.
func AddExtension(t testing.TB, p *project.Project, name, keys string, files map[string]string) {
	t.Helper()
	u := &User{t: t, Home: p.Paths.Home()}
	u.AddExtension(name, keys, files)
}
