package session

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/guard/hook"
	"pollux/llm"
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
	return slices.DeleteFunc(hooks, func(h hook.Hook) bool {
		texts := []string{h.Command, h.Name}
		for _, value := range h.Env {
			texts = append(texts, value)
		}
		all := strings.Join(texts, "\n")
		for _, name := range p.keyVariables() {
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

// newHooks returns the hooks of the session, nil if there are none.
func (s *Session) newHooks() *hook.Set {
	if !s.AreHooksEnabled() {
		return nil
	}
	hooks := s.ReadHooks()
	if len(hooks) == 0 {
		return nil
	}
	s.warnOfHooks(hooks)
	return s.HookSet(hooks, hook.Options{
		SessionID: s.ID, PlansDir: s.plans.directory, Launcher: s.Launcher, Interactive: s.Interactive,
		Allowed: func(source hook.Source) bool { return s.allowsHooks(source, s.Trusted()) },
		Configure: func(req *llm.Request, model string) {
			resolved, err := s.models.Resolve(model)
			if err != nil {
				s.Warn(fmt.Sprintf("Warning: A hook selects the model %q, which is not available: %v", model, err))
				return
			}
			req.Model, req.Config = resolved, s.agent.RequestConfig(resolved)
		},
		Observe: s.telemetry.RecordHook,
	})
}

// warnOfHooks warns, once, of each hook that the project has added.
func (s *Session) warnOfHooks(hooks []hook.Hook) {
	if !s.IsTrusted() {
		return
	}
	added, err := hook.MarkSeen(filepath.Join(s.Paths.GeminiDir(), "trusted_hooks.json"), s.Paths.Dir(), hooks)
	if err != nil {
		s.Warn("Warning: " + err.Error())
	}
	if len(added) == 0 {
		return
	}
	for i, id := range added {
		added[i] = strings.ReplaceAll(id, "\n", "\n    ") // a command cannot pass for a line of Pollux
	}
	s.Warn("WARNING: The following project-level hooks have been detected in this workspace:\n  - " + strings.Join(added, "\n  - ") + "\n\n" +
		"These hooks will be executed. If you did not configure these hooks or do not trust this project,\n" +
		"please review the project settings (.gemini/settings.json) and remove them.")
}

// Hooks returns the hooks of the session, nil if there are none. It may be called during a run.
func (s *Session) Hooks() *hook.Set { return s.hooks }

// SetHooksDisabled changes which hooks do not run, by their IDs, from now on. It may be called
// during a run.
func (s *Session) SetHooksDisabled(ids []string) {
	if s.hooks != nil {
		s.hooks.Disable(ids)
	}
}

// startHooks runs the hooks of a conversation that starts.
func (s *Session) startHooks(ctx context.Context, source hook.StartSource) {
	if s.hooks == nil {
		return
	}
	v := s.hooks.SessionStart(ctx, source)
	if v.SystemMessage != "" && !s.Interactive { // a person has seen the messages of the hooks
		s.Warn(v.SystemMessage)
	}
	if v.Context == "" || source == hook.ClearSource {
		return
	}
	text := "<hook_context>" + strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(v.Context) + "</hook_context>"
	if !s.Interactive {
		s.startContext = text
		return
	}
	s.agent.AddMessage(ctx, agent.Message{Content: llm.User(llm.Text(text))})
}

// addStartContext puts what hooks have to say at the start before the first prompt.
func (s *Session) addStartContext(p *agent.Prompt) {
	if s.startContext == "" {
		return
	}
	text := s.startContext
	s.startContext = ""
	p.Shown = cmp.Or(p.Shown, llm.PartsText(p.Parts))
	if len(p.Parts) > 0 && p.Parts[0].IsText() {
		p.Parts = append([]llm.Part{llm.Text(text + "\n\n" + p.Parts[0].Text)}, p.Parts[1:]...)
		return
	}
	p.Parts = append([]llm.Part{llm.Text(text)}, p.Parts...)
}

// endHooks runs the hooks of a conversation that ends.
func (s *Session) endHooks(ctx context.Context, reason hook.EndReason) {
	if s.hooks != nil {
		s.hooks.SessionEnd(ctx, reason)
	}
}

// SetHookEnabled changes the settings files such that the hooks with these IDs are enabled or
// disabled. settings are the current ones. It returns the files that have changed.
func (p *Setup) SetHookEnabled(settings *config.Settings, ids []string, enabled bool) (files []string, err error) {
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
