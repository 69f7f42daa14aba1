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

// Getenv returns a variable of the environment of a project, "" if it is not set.
func Getenv(p *project.Project, name string) string { return p.Env.Get(name) }
