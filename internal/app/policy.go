package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/workspace"
)

// rules are what policy files say, and where answers go that count in all future
// sessions.
type rules struct {
	policy.Files
	saved *policy.Saved // nil where none would be read again
}

// policyFiles reads the policy files (spec/safety.md §2.1). Those of a project count if
// accepted says so.
func policyFiles(o Options, accepted func(Options, policy.Integrity) bool) (rules, error) {
	var r rules
	src := policy.Sources{
		System: config.SystemPolicies(), Foreign: config.Foreign,
		Admin: paths(o, adminPaths(o)),
		User:  paths(o, config.PolicyPaths.In(o.Settings)),
	}
	warnOfNothing(o, config.PolicyPaths, "--policy")
	warnOfNothing(o, config.AdminPolicyPaths, "--admin-policy")
	own := o.Paths.UserPolicies()
	if userReplaces(o) {
		// What is saved must be read again.
		if slices.Contains(src.User, own) || slices.Contains(src.User, filepath.Join(own, policy.SavedName)) {
			r.saved = &policy.Saved{File: filepath.Join(own, policy.SavedName), Tier: policy.TierUser}
		}
	} else {
		// Of a home directory that cannot be entered the settings have told.
		if _, err := os.Stat(own); !errors.Is(err, fs.ErrPermission) {
			src.User = append([]string{own}, src.User...)
		}
		r.saved = &policy.Saved{File: filepath.Join(own, policy.SavedName), Tier: policy.TierUser}
	}
	if project := (policy.Integrity{File: filepath.Join(o.Paths.Runtime(), "policy_integrity.json"), Dir: o.Paths.Dir()}); accepted(o, project) {
		src.Workspace = project.Policies()
		if info, err := os.Stat(src.Workspace); err == nil && info.IsDir() {
			r.saved = &policy.Saved{
				File: filepath.Join(src.Workspace, policy.SavedName), Tier: policy.TierWorkspace,
				Integrity: &project,
			}
		}
	}
	var err error
	r.Files, err = policy.Load(src)
	for _, w := range r.Warnings {
		o.Warn(w)
	}
	return r, err
}

// warnOfNothing warns of paths that a flag names and that are not there: a slip of
// the pen must not pass for a policy. Settings may be shared by machines that do not
// all have the files.
func warnOfNothing(o Options, key config.Strings, flag string) {
	for _, path := range paths(o, key.In(o.Settings.Only(config.CommandLine))) {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			o.Warn("Warning: " + flag + " names " + path + ", and there is no such file or directory.")
		}
	}
}

// userReplaces reports whether the user, or an administrator, names files in the
// place of the user's directory. A project's settings only add to it, for they may
// not take away what the user has forbidden.
func userReplaces(o Options) bool {
	for _, scope := range []config.Scope{config.CommandLine, config.System, config.User, config.SystemDefaults} {
		if len(paths(o, config.PolicyPaths.In(o.Settings.Only(scope)))) > 0 {
			return true
		}
	}
	return false
}

// adminPaths returns the administrator's paths. Those of a project's settings do
// not count: nobody makes themselves an administrator.
func adminPaths(o Options) []string {
	if flag := o.Settings.Only(config.CommandLine); len(config.AdminPolicyPaths.In(flag)) > 0 {
		return config.AdminPolicyPaths.In(flag)
	}
	if len(config.AdminPolicyPaths.In(o.Settings.Only(config.Workspace))) > 0 {
		o.Warn("Warning: adminPolicyPaths in the workspace's settings has no effect: set it in your own.")
	}
	var list []string
	for _, scope := range []config.Scope{config.SystemDefaults, config.User, config.System} {
		list = append(list, config.AdminPolicyPaths.In(o.Settings.Only(scope))...)
	}
	return list
}

// paths makes paths absolute, and drops empty ones.
func paths(o Options, list []string) []string {
	var abs []string
	for _, path := range list {
		if path = strings.TrimSpace(path); path == "" {
			continue
		}
		if path = o.Paths.Expand(path); !filepath.IsAbs(path) {
			path = filepath.Join(o.Paths.Dir(), path)
		}
		abs = append(abs, filepath.Clean(path))
	}
	return abs
}

// accepted reports whether the project's own policy files count: the user has
// said so in settings that are not the project's, the folder is trusted, and what
// has changed since the last time was accepted.
func accepted(o Options, project policy.Integrity) bool {
	if !acceptable(o, project) {
		return false
	}
	hash, changed, err := project.Changed()
	switch {
	case err != nil:
		o.Warn("Warning: workspace policies are not used: " + err.Error())
		return false
	case !changed:
		return true
	case o.Interactive && o.AcceptPolicies == nil:
		o.Warn("Warning: workspace policies changed or are new, and are not used: there is nobody to accept them.")
		return false
	case o.Interactive && !o.AcceptPolicies(project.Policies()):
		return false
	case !o.Interactive:
		o.Warn("WARNING: Workspace policies changed or are new. Automatically accepting and loading them.")
	}
	if err := project.Accept(hash); err != nil {
		o.Warn("Warning: " + err.Error())
	}
	return true
}

// acceptable reports whether the project's own policy files can count at all.
func acceptable(o Options, _ policy.Integrity) bool {
	return o.Trusted && !o.Paths.AtHome() && wantsWorkspace(o)
}

// wantsWorkspace reports whether the user's settings, or the administrator's, let
// projects bring their own policies.
func wantsWorkspace(o Options) bool {
	for _, scope := range []config.Scope{config.CommandLine, config.System, config.User, config.SystemDefaults} {
		layer := o.Settings.Only(scope)
		if _, set := layer.Lookup(string(config.WorkspacePolicies)); set {
			return config.WorkspacePolicies.In(layer)
		}
	}
	return false
}

// newPolicy makes the rules by which calls are decided on: those of files, those
// that settings and flags stand for, and the built-in ones.
func newPolicy(o Options, ws *workspace.Workspace, r rules, more ...policy.Rule) *policy.Engine {
	return policy.New(policy.Options{
		Rules:       slices.Concat(r.Rules, policy.FromSettings(toolSettings(o.Settings)), more),
		Checkers:    r.Checkers,
		Mode:        o.Mode,
		Interactive: o.Interactive,
		Trusted:     o.Trusted,
		Dir:         ws.Root(),
		Inside:      ws.Contains,
		Resolve:     ws.Resolve,
		BuildFiles: map[string]policy.BuildFiles{
			"always": policy.Protected, "never": policy.Unprotected,
		}[config.BuildFiles.In(o.Settings)],

		DisableYolo:   config.DisableYolo.In(o.Settings),
		DisableAlways: config.DisableAlways.In(o.Settings),
		Permanent:     config.PermanentApproval.In(o.Settings),
		Saved:         r.saved,
		SaveFirst:     config.SaveApprovalFirst.In(o.Settings),
		Report:        o.Warn,
	})
}

// toolSettings are the settings about which tools there are and may be used.
func toolSettings(s *config.Settings) policy.Settings {
	return policy.Settings{
		Exclude:              config.ToolsExclude.In(s),
		ConfirmationRequired: config.ToolsConfirm.In(s),
		Allowed:              config.ToolsAllowed.In(s),
		Core:                 config.ToolsCore.In(s),
	}
}

// CanSave reports whether a person's answer may hold for all future sessions; SavedIn
// is the file it is then kept in, "" if there is none. They may be called during a run,
// as may what follows.
func (a *App) CanSave() bool { return a.modes.engine.CanSave() }

// SavedIn returns the file that [App.CanSave] speaks of.
func (a *App) SavedIn() string {
	if a.modes.saved == nil {
		return ""
	}
	return a.modes.saved.File
}

// Offers returns the lasting answers that a person may give to a call, with what
// each would permit.
func (a *App) Offers(call *agent.ToolCall) []policy.Offer {
	t, ok := a.registry.Lookup(call.Name)
	if !ok {
		return nil
	}
	return a.modes.engine.Offers(guard.PolicyCall(t, call.Args))
}

// Allowed reports whether a call would now pass without a question.
func (a *App) Allowed(call *agent.ToolCall) bool {
	t, ok := a.registry.Lookup(call.Name)
	return ok && a.modes.engine.Check(guard.PolicyCall(t, call.Args)).Decision == policy.Allow
}

// Grants returns the lasting answers that were given in this session.
func (a *App) Grants() []policy.Grant { return a.modes.engine.Grants() }

// Revoke takes one of [App.Grants] back, by its id, and reports whether there was
// one. An error says that it is still in its file.
func (a *App) Revoke(id int) (bool, error) {
	ok, err := a.modes.engine.Revoke(id)
	if ok {
		a.refresh() // tools that only it allowed are gone
	}
	return ok, err
}
