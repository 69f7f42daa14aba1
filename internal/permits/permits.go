// Package permits lets the commands of a session have permissions that the sandbox of their project refuses, as far as a person grants them:
//
//	step := permits.Open(p, engine, id)
//	log, err := permits.Log(p)
package permits

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/guard"
	"pollux/internal/guard/permit"
	"pollux/internal/guard/policy"
	"pollux/internal/project"
	"pollux/internal/sandbox/refusals"
)

// Open returns the step of the gate that asks for such permissions. session returns the id of the conversation.
func Open(p *project.Project, rules *policy.Engine, session func() string) guard.Step {
	var opening sync.Once
	var step guard.Step
	return guard.Step{Retry: func(ctx context.Context, call *agent.PreparedCall, x *agent.Execution) *guard.Retry {
		if !p.Sandbox.IsOn() {
			return nil
		}
		opening.Do(func() { step = open(p, rules, session) })
		return step.Retry(ctx, call, x)
	}}
}

func open(p *project.Project, rules *policy.Engine, session func() string) guard.Step {
	permits := permit.New(permit.Options{
		Sandbox: p.Sandbox, Tool: "run_shell_command", Warn: p.Warn, SavedIn: p.Paths.Display(p.Paths.UserSettings()),
		CanRemember: rules.CanRemember, Name: p.Paths.Display,
		CanSave: func() bool { return config.PermanentApproval.In(p.Settings()) },
		Save:    func(paths []string) error { return allow(p, paths) },
		Log: func(command, reason string, isGranted bool) {
			dir, err := p.Paths.ProjectTemp()
			if err == nil {
				err = refusals.Append(filepath.Join(dir, logName), refusals.Refusal{
					Time: time.Now().UTC(), Session: session(), Command: p.LogMasker().Text(command), Reason: reason, IsGranted: isGranted,
				})
			}
			if err != nil {
				p.Log.Debug("the log of the sandbox is not written", "error", err)
			}
		},
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

// logName is the name of the log in the project's directory of data.
const logName = "sandbox.jsonl"

// Log returns the permissions that the sandbox has refused the commands of a project, the oldest first.
func Log(p *project.Project) ([]refusals.Refusal, error) {
	return refusals.Read(filepath.Join(p.Paths.ProjectTempPath(), logName))
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
