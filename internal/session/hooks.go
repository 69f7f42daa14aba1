package session

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"pollux/agent"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/project"
	"pollux/llm"
)

// newHooks returns the hooks of the session, nil if there are none.
func (s *Session) newHooks() *hook.Set {
	if !s.Project.AreHooksEnabled() {
		return nil
	}
	hooks := s.Project.ReadHooks()
	if len(hooks) == 0 {
		return nil
	}
	s.warnOfHooks(hooks)
	set := s.Project.HookSet(hooks, hook.Options{
		SessionID: s.ID, Transcript: s.Record.Transcript, PlansDir: s.plans.Dir, Interactive: s.Project.Options.Interactive,
		Allowed: func(source hook.Source) bool { return s.Project.AllowsHooks(source, s.Project.IsTrusted()) },
		Mode:    func() string { return s.Rulebook.Mode().String() },
		Server:  s.describeServer,
		Configure: func(req *llm.Request, model string) error {
			resolved, err := s.Models.Resolve(model)
			if err != nil {
				return err
			}
			req.Model = resolved
			if req.Use != llm.UseSubagent { // it keeps its own instruction and tools
				req.Config = s.agent.RequestConfig(resolved)
			}
			return nil
		},
		Observe: s.Observers.RecordHook,
	})
	for _, text := range set.Unmatched(s.toolNames()) {
		s.Project.LeaveOut(text)
	}
	return set
}

// toolNames returns the names of all tools that hooks and rules may name, those of MCP servers excepted.
func (s *Session) toolNames() []string {
	names := policy.ToolNames()
	for _, t := range s.registry.All() {
		names = append(names, t.Spec().Name)
		names = append(names, t.Spec().Aliases...)
	}
	return names
}

// describeServer describes an MCP server for hooks: without variables and headers, which may be secret.
func (s *Session) describeServer(name, subagent string) hook.Server {
	live := s.Servers.MCP()
	if subagent != "" {
		live = s.Agents.ServersOf(subagent)
	}
	if live == nil {
		return hook.Server{}
	}
	for _, st := range live.Status() {
		if c := st.Config; c.Name == name {
			return hook.Server{Command: c.Command, Args: c.Args, Dir: c.Dir, URL: cmp.Or(c.URL, c.HTTPURL)}
		}
	}
	return hook.Server{}
}

// warnOfHooks warns, once, of each hook that the project has added.
func (s *Session) warnOfHooks(hooks []hook.Hook) {
	if !s.Project.IsTrusted() {
		return
	}
	added, err := hook.MarkSeen(filepath.Join(s.Project.Paths.GeminiDir(), "trusted_hooks.json"), s.Project.Paths.Dir(), hooks)
	if err != nil {
		s.Project.Warn("Warning: " + err.Error())
	}
	if len(added) == 0 {
		return
	}
	for i, id := range added {
		added[i] = strings.ReplaceAll(id, "\n", "\n    ") // a command cannot pass for a line of Pollux
	}
	s.Project.Warn("WARNING: The following project-level hooks have been detected in this workspace:\n  - " + strings.Join(added, "\n  - ") + "\n\n" +
		"These hooks will be executed. If you did not configure these hooks or do not trust this project,\n" +
		"please review the project settings (.gemini/settings.json) and remove them.")
}

// Hooks returns the hooks of the session, nil if there are none. It may be called during a run.
func (s *Session) Hooks() *hook.Set { return s.hooks }

// ApplyDisabledHooks makes the session use the current settings about disabled hooks. It may be
// called during a run.
func (s *Session) ApplyDisabledHooks() {
	if s.hooks != nil {
		s.hooks.Disable(project.DisabledHooks(s.Project.Settings(), s.hooks.Hooks()))
	}
}

// startHooks runs the hooks of a conversation that starts.
func (s *Session) startHooks(ctx context.Context, source hook.StartSource) {
	if s.hooks == nil {
		return
	}
	v := s.hooks.SessionStart(ctx, source)
	if v.SystemMessage != "" && !s.Project.Options.Interactive { // a person has seen the messages of the hooks
		s.Project.Warn(v.SystemMessage)
	}
	if v.Context == "" || source == hook.ClearSource {
		return
	}
	text := "<hook_context>" + strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(v.Context) + "</hook_context>"
	if !s.Project.Options.Interactive {
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
	p.Shown = p.Text()
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
