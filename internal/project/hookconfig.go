package project

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"pollux/internal/config"
	"pollux/internal/guard/hook"
	"pollux/internal/process"
	"pollux/internal/terminal"
)

// ReadHooks returns the hooks of the program, the settings and extensions, enabled or not. It reports
// mistakes; lost are those in hooks of the settings that may refuse calls. In an untrusted folder, settings have none, unless the user allows their own.
func (p *Project) ReadHooks() (list []hook.Hook, lost []string) {
	list, lost = p.settingsHooks()
	return slices.Concat(p.Options.Hooks, list, p.extensionHooks()), lost
}

// settingsHooks returns the hooks of the settings.
func (p *Project) settingsHooks() (list []hook.Hook, lost []string) {
	if !p.IsTrusted() && !config.UserHooksUntrusted.In(p.Settings()) {
		p.Log.Debug("Project hooks disabled because the folder is not trusted.")
		return nil, nil
	}
	for _, layer := range [...]struct {
		scope  config.Scope
		source hook.Source
	}{
		{config.SystemDefaults, hook.SystemDefaults},
		{config.User, hook.User},
		{config.Workspace, hook.Workspace},
		{config.System, hook.System},
	} {
		var definitions map[string]json.RawMessage
		if err := config.HookDefinitions.Decode(p.Settings().ForScope(layer.scope), &definitions); err != nil {
			p.Warn("Warning: " + err.Error())
			continue
		}
		hooks, problems, more := hook.Read(layer.source, definitions)
		lost = append(lost, more...)
		for _, problem := range problems {
			p.LeaveOut(problem)
		}
		if layer.source == hook.Workspace {
			hooks = p.withoutKeys(hooks)
		}
		list = append(list, hooks...)
	}
	return list, lost
}

// withoutKeys returns the project's hooks without those that contain a key of Pollux's. Settings
// are expanded with variables, so a project could put one in a command.
func (p *Project) withoutKeys(hooks []hook.Hook) []hook.Hook {
	keys := sync.OnceValue(p.keyVariables)
	return slices.DeleteFunc(hooks, func(h hook.Hook) bool {
		texts := append([]string{h.Command, h.Name}, h.Args...)
		for _, value := range h.Env {
			texts = append(texts, value)
		}
		all := strings.Join(texts, "\n")
		for _, name := range keys() {
			const shortest = 8 // a shorter value is a word
			if value := p.Env().Get(name); len(value) >= shortest && strings.Contains(all, value) {
				p.Warn(fmt.Sprintf("Warning: Ignoring a hook for %s of this project, because it contains the value of %s.", h.Event, name))
				return true
			}
		}
		return false
	})
}

// AreHooksEnabled reports whether the settings enable hooks at all: those of the project, or those
// that a project does not disable.
func (p *Project) AreHooksEnabled() bool {
	return config.HooksEnabled.In(p.Settings()) || config.HooksEnabled.In(withoutProjectChoice(p.Settings()))
}

// withoutProjectChoice returns the settings that decide about hooks which a project does not
// disable: without the project's own, unless the user trusts all projects.
func withoutProjectChoice(s *config.Settings) *config.Settings {
	if config.TrustProjectSafety.In(s) {
		return s
	}
	return s.WithoutWorkspace()
}

// DisabledHooks returns which of the hooks these settings disable.
func DisabledHooks(s *config.Settings, hooks []hook.Hook) hook.Disabled {
	d := hook.Disabled{All: config.HooksDisabled.In(withoutProjectChoice(s)), Project: config.HooksDisabled.In(s)}
	if !config.HooksEnabled.In(s) {
		for i := range hooks {
			d.Project = append(d.Project, hooks[i].ID())
		}
	}
	return d
}

// warnOfKeptHooks warns of hooks that the project disables and that run anyway.
func (p *Project) warnOfKeptHooks(hooks []hook.Hook, d hook.Disabled) {
	var kept []string
	for i := range hooks {
		id := hooks[i].ID()
		name := terminal.Cut(terminal.Line(id), 60)
		if slices.Contains(d.Project, id) && !d.Has(&hooks[i]) && !slices.Contains(kept, name) {
			kept = append(kept, name)
		}
	}
	if len(kept) > 0 {
		p.Warn(fmt.Sprintf("Warning: This project disables hooks that are not its own. They run anyway: %s.\n"+
			"To allow projects to disable them, set pollux.trustProjectSafety to true in your user settings.", strings.Join(kept, ", ")))
	}
}

// HookSet returns the set of these hooks. o has the options of a session; the others are those of
// the project.
func (p *Project) HookSet(hooks []hook.Hook, o hook.Options) *hook.Set {
	o.Hooks, o.Dir, o.Launcher, o.Log = hooks, p.Paths.Dir(), p.Launcher, p.Log
	o.Disabled = DisabledHooks(p.Settings(), hooks)
	p.warnOfKeptHooks(hooks, o.Disabled)
	keys := sync.OnceValue(p.keyVariables)
	o.Environ = func(origin process.Origin) []string {
		return WithOwn(p, p.HookEnviron(origin == process.OriginProject, keys), origin)
	}
	if o.Allowed == nil {
		o.Allowed = func(source hook.Source) bool { return p.AllowsHooks(source, p.IsTrusted()) }
	}
	if o.Message == nil {
		o.Message = p.Warn
	}
	return hook.NewSet(o)
}

// AllowsHooks reports whether hooks of settings may run in a folder.
func (p *Project) AllowsHooks(source hook.Source, trusted bool) bool {
	return trusted || source != hook.Workspace && config.UserHooksUntrusted.In(p.Settings())
}
