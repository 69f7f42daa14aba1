package assembly

import (
	"pollux/internal/check"
	"pollux/internal/config"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/secret"
	"pollux/internal/workspace"
)

// NewChecks returns the checks of files that the agents of a session edit.
func NewChecks(p *project.Project, ws *workspace.Workspace) *check.Checks {
	return check.New(check.Options{
		Dir:      p.Paths.Dir(),
		Setting:  func() (any, process.Origin) { return checkSetting(p.Settings()) },
		Find:     func(name string) string { return p.FindProgram(ws, name) },
		Environ:  func() []string { return secret.Without(p.Env().User().List(), p.SecretVariables()) },
		Launcher: p.Launcher,
		Warn:     func(text string) { p.Warn("Warning: " + text) },
	})
}

// checkSetting returns the value of pollux.check that the user or the administrator has set, and who of them. A
// project must not name programs, whatever else it may loosen.
func checkSetting(s *config.Settings) (any, process.Origin) {
	switch {
	case config.Check.In(s) == nil:
		return nil, process.OriginUser
	case config.Check.In(s.ForScope(config.User)) == nil:
		return config.Check.In(s.WithoutWorkspace()), process.OriginSystem
	}
	return config.Check.In(s.WithoutWorkspace()), process.OriginUser
}
