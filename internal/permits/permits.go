// Package permits lets the commands of a session have permissions that the sandbox of their project refuses, as far as a person grants them:
//
//	step := permits.Open(p, engine)
package permits

import (
	"path/filepath"
	"slices"

	"pollux/internal/config"
	"pollux/internal/guard"
	"pollux/internal/guard/permit"
	"pollux/internal/guard/policy"
	"pollux/internal/project"
)

// Open returns the step of the gate that asks for such permissions.
func Open(p *project.Project, rules *policy.Engine) guard.Step {
	permits := permit.New(permit.Options{
		Sandbox: p.Sandbox, Tool: "run_shell_command", Warn: p.Warn, SavedIn: p.Paths.Display(p.Paths.UserSettings()),
		CanRemember: rules.CanRemember, Name: p.Paths.Display,
		CanSave: func() bool { return config.PermanentApproval.In(p.Settings()) },
		Save:    func(paths []string) error { return allow(p, paths) },
		RunsPrograms: func(dir string) bool {
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(p.Paths.Dir(), dir)
			}
			return !rules.GitRunsNothing(dir)
		},
	})
	p.Sandbox.Ask(permits.Granted)
	return permits.Step()
}

// allow adds paths to tools.sandboxAllowedPaths of the user, and makes the sandbox follow.
func allow(p *project.Project, paths []string) error {
	list := slices.Clone(config.SandboxAllowedPaths.In(p.Settings().ForScope(config.User)))
	for _, path := range paths {
		if path = p.Paths.Display(path); !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	values := make([]any, len(list)) // as a file of settings has them
	for i, path := range list {
		values[i] = path
	}
	if err := p.Paths.Set(config.User, string(config.SandboxAllowedPaths), values); err != nil {
		return err
	}
	if err := p.Reload(); err != nil {
		return err
	}
	p.Sandbox.Renew()
	return nil
}
