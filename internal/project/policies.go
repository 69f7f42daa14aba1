package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/mcp"
)

// Rules are the rules of policy files, and the file for answers that count in all future
// sessions.
type Rules struct {
	policy.Files
	Saved *policy.Saved // nil where none would be read again
}

// ReadPolicies reads the policy files. Those of a project count if accepted says so. See also [config.CheckLost].
func (p *Project) ReadPolicies(accepted func(project policy.Integrity) bool) (Rules, error) {
	var r Rules
	src := policy.Sources{
		System: config.SystemPolicies(), Foreign: config.OwnershipProblem,
		Admin: p.Paths.AbsoluteAll(p.adminPaths()),
	}
	src.User, src.Project = p.policyPaths()
	p.warnOfMissing(config.PolicyPaths, "--policy")
	p.warnOfMissing(config.AdminPolicyPaths, "--admin-policy")
	own := p.Paths.UserPolicies()
	r.Saved = &policy.Saved{File: filepath.Join(own, policy.SavedName), Tier: policy.TierUser}
	if config.ToolSandboxing.In(p.Settings()) {
		src.Sandbox, src.Display = filepath.Join(own, policy.SandboxName), p.Paths.Display
	}
	if !p.userReplaces() {
		// Reading the settings has warned of a home directory that cannot be entered.
		if _, err := os.Stat(own); !errors.Is(err, fs.ErrPermission) {
			src.User = append([]string{own}, src.User...)
		}
	} else if !slices.Contains(src.User, own) && !slices.Contains(src.User, r.Saved.File) {
		r.Saved = nil // saved rules must be read again
	}
	if project := (policy.Integrity{File: filepath.Join(p.Paths.RuntimeDir(), "policy_integrity.json"), Dir: p.Paths.Dir()}); accepted(project) {
		src.Workspace = project.Policies()
		if info, err := os.Stat(src.Workspace); err == nil && info.IsDir() {
			r.Saved = &policy.Saved{
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
		p.Warn(w)
	}
	if err == nil {
		err = config.CheckLost(r.Lost, p.Options.Asker != nil)
	}
	return r, err
}

// policyPaths returns the policy files of the user, and those that a project's settings add. The
// latter may only restrict, unless the user trusts projects with their safety.
func (p *Project) policyPaths() (users, projects []string) {
	if flag := p.Paths.AbsoluteAll(config.PolicyPaths.In(p.Settings().ForScope(config.CommandLine))); len(flag) > 0 {
		return flag, nil
	}
	for _, scope := range []config.Scope{config.SystemDefaults, config.User, config.System} {
		users = append(users, p.Paths.AbsoluteAll(config.PolicyPaths.In(p.Settings().ForScope(scope)))...)
	}
	projects = p.Paths.AbsoluteAll(config.PolicyPaths.In(p.Settings().ForScope(config.Workspace)))
	if config.TrustProjectSafety.In(p.Settings()) {
		return append(users, projects...), nil
	}
	return users, projects
}

// warnOfMissing warns about paths that a flag names and that do not exist, because they are
// typos. Settings may name them: machines that share settings can lack the files.
func (p *Project) warnOfMissing(key config.Strings, flag string) {
	for _, path := range p.Paths.AbsoluteAll(key.In(p.Settings().ForScope(config.CommandLine))) {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			p.Warn("Warning: " + flag + " names " + path + ", but no such file or directory exists.")
		}
	}
}

// userReplaces reports whether the user, or an administrator, names files in the
// place of the user's directory. A project's settings only add to it, for they may
// not take away the user's prohibitions.
func (p *Project) userReplaces() bool {
	scopes := []config.Scope{config.CommandLine, config.System, config.User, config.SystemDefaults}
	return slices.ContainsFunc(scopes, func(scope config.Scope) bool {
		return len(p.Paths.AbsoluteAll(config.PolicyPaths.In(p.Settings().ForScope(scope)))) > 0
	})
}

// adminPaths returns the administrator's paths. Those of a project's settings do
// not count, unless the user trusts projects with their safety: a project must not make
// itself the administrator.
func (p *Project) adminPaths() []string {
	if flag := p.Settings().ForScope(config.CommandLine); len(config.AdminPolicyPaths.In(flag)) > 0 {
		return config.AdminPolicyPaths.In(flag)
	}
	scopes := []config.Scope{config.SystemDefaults, config.User, config.System}
	switch theirs := config.AdminPolicyPaths.In(p.Settings().ForScope(config.Workspace)); {
	case len(theirs) == 0:
	case config.TrustProjectSafety.In(p.Settings()):
		scopes = append(scopes, config.Workspace)
	default:
		p.Warn("Warning: Ignoring adminPolicyPaths in workspace settings. Set it in your user settings.")
	}
	var list []string
	for _, scope := range scopes {
		list = append(list, config.AdminPolicyPaths.In(p.Settings().ForScope(scope))...)
	}
	return list
}

// AcceptsPolicies reports whether the project's own policy files count: the user has
// said so in settings that are not the project's, the folder is trusted, and the user has accepted the changes
// since the last time. Without a person, a change counts only if the
// environment or a flag trusts the folder, whatever is in it. Files that do not count, and that no person has
// refused, still restrict: see [policy.Sources].
func (p *Project) AcceptsPolicies(ctx context.Context, project policy.Integrity) bool {
	if !p.takesPolicies() {
		return false
	}
	hash, changed, err := project.Changed()
	switch {
	case err != nil:
		p.LeaveOut("Ignoring what workspace policies allow: " + err.Error())
		return false
	case !changed:
		return true
	case p.Options.Asker == nil && (p.Options.Interactive || trust.IsByFile(p.TrustOptions())):
		p.LeaveOut("Ignoring what workspace policies allow that are new or changed. To accept them, start Pollux interactively.")
		return false
	case p.Options.Interactive && !p.askPolicies(ctx, project.Policies()):
		return false
	case !p.Options.Interactive:
		p.Warn("WARNING: Workspace policies changed or are new. Automatically accepting and loading them.")
	}
	if err := project.Accept(hash); err != nil {
		p.Warn("Warning: " + err.Error())
	}
	return true
}

// takesPolicies reports whether the project's own policy files can count at all.
func (p *Project) takesPolicies() bool {
	return p.IsTrusted() && !p.Paths.AtHome() && wantsProjectPolicies(p.Settings())
}

// wantsProjectPolicies reports whether the user's settings, or the administrator's, let
// projects bring their own policies.
func wantsProjectPolicies(s *config.Settings) bool {
	for _, scope := range []config.Scope{config.CommandLine, config.System, config.User, config.SystemDefaults} {
		layer := s.ForScope(scope)
		if _, set := layer.Lookup(string(config.WorkspacePolicies)); set {
			return config.WorkspacePolicies.In(layer)
		}
	}
	return false
}

// WarnOfRunners warns about settings that allow more than they seem to.
func (p *Project) WarnOfRunners(names []string) {
	if len(names) > 0 {
		p.Warn(fmt.Sprintf("Warning: Allowed tools include programs that run others: %s. "+
			`Allow single subcommands, such as "run_shell_command(git status)".`, strings.Join(names, ", ")))
	}
}

// DisplayFile returns the path of a policy file in the form that people read: below the working
// directory relative to it.
func (p *Project) DisplayFile(path string) string {
	if below, err := filepath.Rel(p.Paths.Dir(), path); err == nil && filepath.IsLocal(below) {
		return below
	}
	return p.Paths.Display(path)
}

// PolicyFiles returns the policy files in force.
func (p *Project) PolicyFiles() ([]policy.File, error) {
	r, err := p.WithWarn(nil).ReadPolicies(p.HasAccepted)
	if len(r.Read) > 0 {
		err = nil // a mistake in a file, which checking it reports
	}
	return r.Read, err
}

// HasAccepted reports whether the user has accepted the project's policy files as they are.
func (p *Project) HasAccepted(project policy.Integrity) bool {
	if !p.takesPolicies() {
		return false
	}
	_, changed, err := project.Changed()
	if changed {
		p.Warn("Warning: Ignoring what workspace policies allow that are new or changed. To accept them, start Pollux interactively.")
	}
	return err == nil && !changed
}

// ToolSettings are the settings about which tools there are and may be used.
func ToolSettings(s *config.Settings) policy.Settings {
	var trusted []string
	for _, entry := range config.MCPServers.In(s, nil) {
		c, err := mcp.Parse(entry.Name, entry.Entry)
		if c.Trust && (err == nil || IsAdjustment(entry, err)) {
			trusted = append(trusted, c.Name)
		}
	}
	confirmed, confirmedByProject := config.ToolsConfirm.ByProject(s)
	return policy.Settings{
		ExcludedServers:      config.MCPExcluded.In(s),
		AllowedServers:       config.MCPAllowed.In(s),
		TrustedServers:       trusted,
		Exclude:              config.ToolsExclude.In(s),
		ConfirmationRequired: confirmed,
		ProjectConfirmations: confirmedByProject,
		Allowed:              config.ToolsAllowed.In(s),
		Core:                 config.ToolsCore.In(s),
	}
}

// ToolSettings returns the settings about which tools there are and may be used, with the trust in the servers of the
// program.
func (p *Project) ToolSettings() policy.Settings {
	s := ToolSettings(p.Settings())
	for _, c := range p.Options.Host.Servers {
		s.TrustedServers = slices.DeleteFunc(s.TrustedServers, func(name string) bool { return name == c.Name })
		if c.Trust {
			s.TrustedServers = append(s.TrustedServers, c.Name)
		}
	}
	return s
}

// IsAdjustment reports whether an entry of the settings, which parses with err, may change the server of an
// extension. One of a project may not: it could send the secrets of the extension elsewhere.
func IsAdjustment(entry config.ServerEntry, err error) bool {
	return errors.Is(err, mcp.ErrNoTransport) && entry.Scope != config.Workspace
}
