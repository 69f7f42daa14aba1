package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/hook"
	"pollux/internal/terminal"
)

// ReadHooks returns the hooks of the settings and of the program, enabled or not. It reports
// mistakes. In an untrusted folder, settings have no hooks, unless the user allows their own.
func (p *Setup) ReadHooks() []hook.Hook {
	list := slices.Clone(p.Options.Hooks)
	if !p.IsTrusted() && !config.UserHooksUntrusted.In(p.Settings) {
		p.Log.Debug("Project hooks disabled because the folder is not trusted.")
		return list
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
		if err := config.HookDefinitions.Decode(p.Settings.ForScope(layer.scope), &definitions); err != nil {
			p.Warn("Warning: " + err.Error())
			continue
		}
		hooks, problems := hook.Read(layer.source, definitions)
		for _, problem := range problems {
			p.Warn("Warning: " + problem)
		}
		if layer.source == hook.Workspace {
			hooks = p.withoutKeys(hooks)
		}
		list = append(list, hooks...)
	}
	return list
}

// withoutKeys returns the project's hooks without those that contain a key of Pollux's. Settings
// are expanded with variables, so a project could put one in a command.
func (p *Setup) withoutKeys(hooks []hook.Hook) []hook.Hook {
	keys := sync.OnceValue(p.keyVariables)
	return slices.DeleteFunc(hooks, func(h hook.Hook) bool {
		texts := []string{h.Command, h.Name}
		for _, value := range h.Env {
			texts = append(texts, value)
		}
		all := strings.Join(texts, "\n")
		for _, name := range keys() {
			const shortest = 8 // what is shorter is a word
			if value := p.Env.Get(name); len(value) >= shortest && strings.Contains(all, value) {
				p.Warn(fmt.Sprintf("Warning: Ignoring a hook for %s of this project, because it contains the value of %s.", h.Event, name))
				return true
			}
		}
		return false
	})
}

// AreHooksEnabled reports whether the settings enable hooks at all.
func (p *Setup) AreHooksEnabled() bool { return config.HooksEnabled.In(p.Settings) }

// HookSet returns the set of these hooks. o has what differs between sessions; the rest is that of
// the setup.
func (p *Setup) HookSet(hooks []hook.Hook, o hook.Options) *hook.Set {
	o.Hooks, o.Dir, o.Log = hooks, p.Paths.Dir(), p.Log
	o.Disabled = config.HooksDisabled.In(p.Settings)
	keys := sync.OnceValue(p.keyVariables)
	o.Environ = func(ofProject bool) []string { return p.hookEnviron(ofProject, keys) }
	if o.Allowed == nil {
		o.Allowed = func(source hook.Source) bool { return p.allowsHooks(source, p.IsTrusted()) }
	}
	if o.Message == nil {
		o.Message = p.Warn
	}
	return hook.NewSet(o)
}

// allowsHooks reports whether hooks of settings may run in a folder.
func (p *Setup) allowsHooks(source hook.Source, trusted bool) bool {
	return trusted || source != hook.Workspace && config.UserHooksUntrusted.In(p.Settings)
}

// SwitchHook enables or disables one of these hooks in the settings files. settings are the current
// ones. It returns a sentence about the result, and whether the files have changed.
func (p *Setup) SwitchHook(settings *config.Settings, hooks []hook.Hook, id string, enabled bool) (text string, changed bool, err error) {
	word := map[bool]string{true: "enabled", false: "disabled"}[enabled]
	isDisabled := slices.Contains(config.HooksDisabled.In(settings), id)
	isKnown := slices.ContainsFunc(hooks, func(h hook.Hook) bool { return h.ID() == id })
	switch {
	case !isKnown && !isDisabled:
		return "", false, exit.Errorf(exit.Input, "There is no hook %q. To list hooks, run 'pollux hooks', or /hooks in a session.", terminal.Cut(terminal.Line(id), 60))
	case isDisabled != enabled:
		return fmt.Sprintf("Hook %q is already %s.", id, word), false, nil
	}
	files, err := p.SetHooksEnabled(settings, []string{id}, enabled)
	switch {
	case err != nil:
		return "", false, err
	case len(files) == 0:
		return "", false, exit.Errorf(exit.General, "Hook %q stays disabled, because the system settings disable it.", id)
	}
	return fmt.Sprintf("Hook %q is %s. Changed: %s", id, word, p.Paths.DisplayText(strings.Join(files, ", "))), true, nil
}

// SetHooksEnabled changes the settings files such that the hooks with these IDs are enabled or
// disabled. It returns the files that have changed.
func (p *Setup) SetHooksEnabled(settings *config.Settings, ids []string, enabled bool) (files []string, err error) {
	write := func(scope config.Scope, file string, list []string) error {
		if len(list) == 0 {
			_, err := p.Paths.Unset(scope, string(config.HooksDisabled))
			files = append(files, file)
			return err
		}
		values := make([]any, len(list))
		for i, id := range list {
			values[i] = id
		}
		files = append(files, file)
		return p.Paths.Set(scope, string(config.HooksDisabled), values)
	}
	project := p.Paths.WorkspaceSettings()
	hasProject := project != "" && p.IsTrusted() && !p.Paths.AtHome()
	if !enabled {
		scope, file := config.User, p.Paths.UserSettings()
		if hasProject {
			scope, file = config.Workspace, project
		}
		list := config.HooksDisabled.In(settings.ForScope(scope))
		for _, id := range ids {
			if !slices.Contains(list, id) {
				list = append(list, id)
			}
		}
		return files, write(scope, file, list)
	}
	for _, layer := range [...]struct {
		scope config.Scope
		file  string
		is    bool
	}{{config.Workspace, project, hasProject}, {config.User, p.Paths.UserSettings(), true}} {
		before := config.HooksDisabled.In(settings.ForScope(layer.scope))
		left := slices.DeleteFunc(slices.Clone(before), func(id string) bool { return slices.Contains(ids, id) })
		if !layer.is || len(left) == len(before) {
			continue
		}
		if err := write(layer.scope, layer.file, left); err != nil {
			return files, err
		}
	}
	return files, nil
}
