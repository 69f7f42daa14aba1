package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/repository"
	"pollux/internal/guard/trust"
	"pollux/internal/mcp"
	"pollux/internal/workspace"
	"pollux/tool"
)

// rules are what policy files say, and where answers go that count in all future
// sessions.
type rules struct {
	policy.Files
	saved *policy.Saved // nil where none would be read again
}

// loadRules reads the policy files, and asks the person about those of the project.
func (s *Session) loadRules(ctx context.Context) (rules, error) {
	return s.Setup.policyFiles(func(project policy.Integrity) bool { return s.acceptsPolicies(ctx, project) })
}

// policyFiles reads the policy files. Those of a project count if accepted says so.
func (p *Setup) policyFiles(accepted func(project policy.Integrity) bool) (rules, error) {
	var r rules
	src := policy.Sources{
		System: config.SystemPolicies(), Foreign: config.OwnershipProblem,
		Admin: p.absolute(p.adminPaths()),
	}
	src.User, src.Project = p.policyPaths()
	p.warnOfMissing(config.PolicyPaths, "--policy")
	p.warnOfMissing(config.AdminPolicyPaths, "--admin-policy")
	own := p.Paths.UserPolicies()
	if p.userReplaces() {
		// What is saved must be read again.
		if slices.Contains(src.User, own) || slices.Contains(src.User, filepath.Join(own, policy.SavedName)) {
			r.saved = &policy.Saved{File: filepath.Join(own, policy.SavedName), Tier: policy.TierUser}
		}
	} else {
		// Reading the settings has warned of a home directory that cannot be entered.
		if _, err := os.Stat(own); !errors.Is(err, fs.ErrPermission) {
			src.User = append([]string{own}, src.User...)
		}
		r.saved = &policy.Saved{File: filepath.Join(own, policy.SavedName), Tier: policy.TierUser}
	}
	if project := (policy.Integrity{File: filepath.Join(p.Paths.RuntimeDir(), "policy_integrity.json"), Dir: p.Paths.Dir()}); accepted(project) {
		src.Workspace = project.Policies()
		if info, err := os.Stat(src.Workspace); err == nil && info.IsDir() {
			r.saved = &policy.Saved{
				File: filepath.Join(src.Workspace, policy.SavedName), Tier: policy.TierWorkspace,
				Integrity: &project,
			}
		}
	} else if p.takesPolicies() && (p.policies == nil || *p.policies) { // no person has refused them
		src.Project = append(src.Project, project.Policies())
	}
	src.Extensions = p.extensionPolicies()
	var err error
	r.Files, err = policy.Load(src)
	for _, w := range r.Warnings {
		p.Options.Warn(w)
	}
	return r, err
}

// policyPaths returns the policy files of the user, and those that a project's settings add. The
// latter may only restrict, unless the user trusts projects with their safety.
func (p *Setup) policyPaths() (users, projects []string) {
	if flag := p.absolute(config.PolicyPaths.In(p.Settings.ForScope(config.CommandLine))); len(flag) > 0 {
		return flag, nil
	}
	for _, scope := range []config.Scope{config.SystemDefaults, config.User, config.System} {
		users = append(users, p.absolute(config.PolicyPaths.In(p.Settings.ForScope(scope)))...)
	}
	projects = p.absolute(config.PolicyPaths.In(p.Settings.ForScope(config.Workspace)))
	if config.TrustProjectSafety.In(p.Settings) {
		return append(users, projects...), nil
	}
	return users, projects
}

// warnOfMissing warns about paths that a flag names and that do not exist, because they are
// typos. Settings may name them: machines that share settings can lack the files.
func (p *Setup) warnOfMissing(key config.Strings, flag string) {
	for _, path := range p.absolute(key.In(p.Settings.ForScope(config.CommandLine))) {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			p.Options.Warn("Warning: " + flag + " names " + path + ", but no such file or directory exists.")
		}
	}
}

// userReplaces reports whether the user, or an administrator, names files in the
// place of the user's directory. A project's settings only add to it, for they may
// not take away what the user has forbidden.
func (p *Setup) userReplaces() bool {
	for _, scope := range []config.Scope{config.CommandLine, config.System, config.User, config.SystemDefaults} {
		if len(p.absolute(config.PolicyPaths.In(p.Settings.ForScope(scope)))) > 0 {
			return true
		}
	}
	return false
}

// adminPaths returns the administrator's paths. Those of a project's settings do
// not count, unless the user trusts projects with their safety: a project must not make
// itself the administrator.
func (p *Setup) adminPaths() []string {
	if flag := p.Settings.ForScope(config.CommandLine); len(config.AdminPolicyPaths.In(flag)) > 0 {
		return config.AdminPolicyPaths.In(flag)
	}
	scopes := []config.Scope{config.SystemDefaults, config.User, config.System}
	switch theirs := config.AdminPolicyPaths.In(p.Settings.ForScope(config.Workspace)); {
	case len(theirs) == 0:
	case config.TrustProjectSafety.In(p.Settings):
		scopes = append(scopes, config.Workspace)
	default:
		p.Options.Warn("Warning: Ignoring adminPolicyPaths in workspace settings. Set it in your user settings.")
	}
	var list []string
	for _, scope := range scopes {
		list = append(list, config.AdminPolicyPaths.In(p.Settings.ForScope(scope))...)
	}
	return list
}

// absolute makes paths absolute, and drops empty ones.
func (p *Setup) absolute(list []string) []string {
	var abs []string
	for _, path := range list {
		if path = strings.TrimSpace(path); path == "" {
			continue
		}
		if path = p.Paths.Expand(path); !filepath.IsAbs(path) {
			path = filepath.Join(p.Paths.Dir(), path)
		}
		abs = append(abs, filepath.Clean(path))
	}
	return abs
}

// acceptsPolicies reports whether the project's own policy files count: the user has
// said so in settings that are not the project's, the folder is trusted, and what
// has changed since the last time was accepted. Without a person, a change counts only if the
// environment or a flag trusts the folder, whatever is in it. Files that do not count, and that no person has
// refused, still restrict: see [policy.Sources].
func (s *Session) acceptsPolicies(ctx context.Context, project policy.Integrity) bool {
	if !s.Setup.takesPolicies() {
		return false
	}
	hash, changed, err := project.Changed()
	switch {
	case err != nil:
		s.Setup.leavePolicies("Ignoring what workspace policies allow: " + err.Error())
		return false
	case !changed:
		return true
	case s.Setup.Options.Asker == nil && (s.Setup.Options.Interactive || trust.IsByFile(s.Setup.TrustOptions())):
		s.Setup.leavePolicies("Ignoring what workspace policies allow that are new or changed. To accept them, start Pollux interactively.")
		return false
	case s.Setup.Options.Interactive && !s.Setup.askPolicies(ctx, project.Policies()):
		return false
	case !s.Setup.Options.Interactive:
		s.Setup.Options.Warn("WARNING: Workspace policies changed or are new. Automatically accepting and loading them.")
	}
	if err := project.Accept(hash); err != nil {
		s.Setup.Options.Warn("Warning: " + err.Error())
	}
	return true
}

// leavePolicies warns that the project's policies only restrict in this run.
func (p *Setup) leavePolicies(text string) {
	p.Options.Warn("Warning: " + text)
	p.LeftOut = append(p.LeftOut, text)
}

// takesPolicies reports whether the project's own policy files can count at all.
func (p *Setup) takesPolicies() bool {
	return p.IsTrusted() && !p.Paths.AtHome() && p.wantsProjectPolicies()
}

// wantsProjectPolicies reports whether the user's settings, or the administrator's, let
// projects bring their own policies.
func (p *Setup) wantsProjectPolicies() bool {
	for _, scope := range []config.Scope{config.CommandLine, config.System, config.User, config.SystemDefaults} {
		layer := p.Settings.ForScope(scope)
		if _, set := layer.Lookup(string(config.WorkspacePolicies)); set {
			return config.WorkspacePolicies.In(layer)
		}
	}
	return false
}

// newPolicy makes the rules by which calls are decided on: those of files, those
// that settings and flags stand for if withSettings is set, and the built-in ones.
func (s *Session) newPolicy(r rules, withSettings bool) *policy.Engine {
	var more []policy.Rule
	if withSettings {
		settings := toolSettings(s.Setup.Settings)
		s.Setup.warnOfRunners(settings.Runners())
		more = append(policy.FromSettings(settings), s.Setup.extensionExclusions()...)
	}
	if s.plans.setting != "" {
		more = append(more, policy.PlanRule(s.plans.directory()))
	}
	if names := readOnly(s.Setup.Options.Tools); len(names) > 0 {
		more = append(more, policy.ReadRule(names))
	}
	ws := s.Workspace
	return policy.New(policy.Options{
		Rules:       slices.Concat(r.Rules, more),
		Checkers:    r.Checkers,
		Mode:        s.Setup.Mode,
		Interactive: s.Setup.Options.Interactive,
		Trusted:     s.Setup.IsTrusted(),
		Dir:         ws.Root(),
		Inside:      ws.Contains,
		Resolve:     ws.Resolve,
		Git:         s.repository().RunsNothing,
		Runs:        s.runsFile(),
		BuildFiles: map[string]policy.BuildFiles{
			"always": policy.Protected, "never": policy.Unprotected,
		}[config.BuildFiles.In(s.Setup.Settings)],

		DisableYolo:   config.DisableYolo.In(s.Setup.Settings),
		DisableAlways: config.DisableAlways.In(s.Setup.Settings),
		Permanent:     config.PermanentApproval.In(s.Setup.Settings),
		Saved:         r.saved,
		SaveFirst:     config.SaveApprovalFirst.In(s.Setup.Settings),
		Report:        s.Setup.Options.Warn,
		Display:       s.Setup.DisplayFile,
	})
}

// runsFile returns a function that reports whether a file of the folder is run by hooks, servers or discovery
// commands of the settings. It looks for these files when it is first called.
func (s *Session) runsFile() func(path string) bool {
	files := sync.OnceValue(func() map[string]bool {
		found := map[string]bool{}
		for _, path := range trust.Files(s.Setup.Settings, s.Setup.Paths.Dir()) {
			found[path], found[workspace.RealPath(path)] = true, true
		}
		return found
	})
	return func(path string) bool { return files()[path] }
}

// warnOfRunners warns about settings that allow more than they seem to.
func (p *Setup) warnOfRunners(names []string) {
	if len(names) > 0 {
		p.Options.Warn(fmt.Sprintf("Warning: Allowed tools include programs that run others: %s. "+
			`Allow single subcommands, such as "run_shell_command(git status)".`, strings.Join(names, ", ")))
	}
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
		Root: s.Workspace.Root(), Environ: s.Setup.Env.List(), Launcher: s.Launcher,
		Git: sync.OnceValue(func() string { return s.Setup.findProgram(s.Workspace, "git") }),
	}
}

// toolSettings are the settings about which tools there are and may be used.
func toolSettings(s *config.Settings) policy.Settings {
	var trusted []string
	for _, entry := range config.MCPServers.In(s, nil) {
		c, err := mcp.Parse(entry.Name, entry.Entry)
		if c.Trust && (err == nil || isAdjustment(entry, err)) {
			trusted = append(trusted, c.Name)
		}
	}
	return policy.Settings{
		ExcludedServers:      config.MCPExcluded.In(s),
		AllowedServers:       config.MCPAllowed.In(s),
		TrustedServers:       trusted,
		Exclude:              config.ToolsExclude.In(s),
		ConfirmationRequired: config.ToolsConfirm.In(s),
		Allowed:              config.ToolsAllowed.In(s),
		Core:                 config.ToolsCore.In(s),
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
