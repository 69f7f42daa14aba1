package session

import (
	"context"
	"slices"
	"sync"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/repository"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/workspace"
	"pollux/tool"
)

// loadRules reads the policy files, and asks the person about those of the project.
func (s *Session) loadRules(ctx context.Context) (project.Rules, error) {
	return s.Project.ReadPolicies(func(project policy.Integrity) bool { return s.Project.AcceptsPolicies(ctx, project) })
}

// newPolicy makes the rules by which calls are decided on: those of files, those
// that settings and flags stand for if withSettings is set, and the built-in ones.
func (s *Session) newPolicy(r project.Rules, withSettings bool) *policy.Engine {
	var more []policy.Rule
	if withSettings {
		settings := s.Project.ToolSettings()
		s.Project.WarnOfRunners(settings.Runners())
		more = append(policy.FromSettings(settings), s.Project.ExtensionExclusions()...)
	}
	if s.plans.setting != "" {
		more = append(more, policy.PlanRule(s.plans.directory()))
	}
	if names := readOnly(s.options.Tools); len(names) > 0 {
		more = append(more, policy.ReadRule(names))
	}
	ws := s.Workspace
	return policy.New(policy.Options{
		Rules:       slices.Concat(r.Rules, more),
		Checkers:    r.Checkers,
		Mode:        s.Project.Mode,
		Interactive: s.Project.Options.Interactive,
		Trust:       s.Project.Trust,
		Dir:         ws.Root(),
		Inside:      ws.Contains,
		Resolve:     ws.Resolve,
		Git:         s.repository().RunsNothing,
		Runs:        s.runsFile(),
		BuildFiles: map[string]policy.BuildFiles{
			"always": policy.Protected, "never": policy.Unprotected,
		}[config.BuildFiles.In(s.Project.Settings())],

		DisableYolo:   config.DisableYolo.In(s.Project.Settings()),
		DisableAlways: config.DisableAlways.In(s.Project.Settings()),
		Permanent:     config.PermanentApproval.In(s.Project.Settings()),
		Saved:         r.Saved,
		SaveFirst:     config.SaveApprovalFirst.In(s.Project.Settings()),
		Report:        s.Project.Warn,
		Display:       s.Project.DisplayFile,
	})
}

// runsFile returns a function that reports whether a file of the folder is run by hooks, servers or discovery
// commands of the settings. It looks for these files when it is first called.
func (s *Session) runsFile() func(path string) bool {
	files := sync.OnceValue(func() map[string]bool {
		found := map[string]bool{}
		for _, path := range trust.Files(s.Project.Settings(), s.Project.Paths.Dir()) {
			found[path], found[workspace.RealPath(path)] = true, true
		}
		return found
	})
	return func(path string) bool { return files()[path] }
}

// readOnly returns the names of the tools that change nothing.
func readOnly(tools []tool.Tool) []string {
	var names []string
	for _, t := range tools {
		switch spec := t.Spec(); spec.Kind {
		case tool.KindRead, tool.KindSearch, tool.KindThink:
			names = append(names, spec.Name)
		}
	}
	return names
}

// repository returns the checker of the workspace's git repository.
func (s *Session) repository() *repository.Checker {
	return &repository.Checker{
		Root: s.Workspace.Root(), Environ: s.Project.Env.List(), Launcher: s.Project.Launcher,
		Git: sync.OnceValue(func() string { return s.Project.FindProgram(s.Workspace, "git") }),
	}
}

// Allowed reports whether the gate would now let a call of the main agent run without a question. It may
// be called during a run, as may what follows.
func (s *Session) Allowed(p *agent.PreparedCall) bool {
	return !p.Call().MustAsk && s.policy.Check(guard.PreparedPolicyCall(p)).Decision == policy.Allow
}

// Grants returns the lasting answers that were given in this session.
func (s *Session) Grants() []policy.Grant { return s.policy.Grants() }

// Revoke takes one of [Session.Grants] back, by its id, and reports whether there was
// one. An error says that it is still in its file.
func (s *Session) Revoke(id int) (bool, error) {
	ok, err := s.policy.Revoke(id)
	if ok {
		s.refresh() // tools that only it allowed are gone
	}
	return ok, err
}
