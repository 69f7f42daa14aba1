package session

import (
	"context"
	"slices"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/mcp"
	"pollux/internal/prompt"
	"pollux/internal/records"
	"pollux/llm"
	"pollux/tool"
)

// The state of a session that a person can look at and change between two prompts. Only methods that say so may
// be called during a run.

// SetTrusted makes the session treat its folder as trusted or untrusted. That affects the folder's instructions and skills, lasting
// approvals and approval modes. The settings that were read when the session opened, and their effects, do not change.
func (s *Session) SetTrusted(ctx context.Context, trusted bool) {
	if !trusted && s.Rulebook.Mode() != policy.Default {
		_ = s.Rulebook.SetMode(policy.Default) // which is never refused
	}
	state := trust.Untrusted
	if trusted {
		state = trust.Trusted
	}
	s.Project.Trust.Set(state)
	s.Agents.Refresh(ctx)
	s.ReloadMemory(ctx)
	s.Skills.Read()
	s.refresh()
}

// History returns the conversation so far, all of it. It may be called during a run.
func (s *Session) History() []agent.Message { return s.agent.History() }

// Size measures the conversation as a model gets it. It may be called during a run.
func (s *Session) Size(model string) agent.Size { return s.agent.Size(model) }

// Compress replaces the conversation with a summary of it. focus, if not "", names the subject that the
// summary must keep. The error is that of ctx.
func (s *Session) Compress(ctx context.Context, focus string) (agent.Compression, error) {
	return s.agent.Compress(ctx, focus)
}

// Tools returns the tools that the model may call now. It may be called during a run.
func (s *Session) Tools() []*tool.Spec {
	var specs []*tool.Spec
	for _, t := range s.registry.Snapshot().Tools() {
		specs = append(specs, t.Spec())
	}
	return specs
}

// refresh updates the active tools and the system instruction.
func (s *Session) refresh() {
	s.registry.Refresh()
	s.instruction.Refresh()
}

// SetModel makes another model answer from the next prompt on, by any name that --model takes, and returns the name in requests. The
// errors are those of a start with that model; then the old one stays.
func (s *Session) SetModel(name string) (string, error) {
	now, err := s.Models.Choose(name)
	if err != nil {
		return "", err
	}
	s.Observers.Records.Emit(records.ModelChosen{Model: now.Model})
	s.agent.SetModel(now.Model)
	if s.stack.Fallback != nil {
		s.stack.Fallback.Reset()
	}
	s.refresh()
	return now.Model, nil
}

// Window returns the size of a model's context window in tokens, 0 if it is unknown.
func (s *Session) Window(model string) int {
	if s.agent == nil { // while the session is built, no server has reported a window
		return s.Models.Describe(model).Input
	}
	return s.agent.Window(model)
}

// Clear starts a new conversation with a new id. It drops the history, the counts, the
// instructions of subdirectories, the topic and the approved plan. It keeps the approval
// mode, the model, the directories and background processes.
func (s *Session) Clear(ctx context.Context) {
	s.Hooks.End(ctx, hook.ClearReason)
	s.restart(ctx, "")
	s.Hooks.Start(ctx, hook.ClearSource, s.agent.AddMessage)
}

// restart ends the conversation, and starts the one with this id, without a history. "" makes an id.
func (s *Session) restart(ctx context.Context, id string) {
	s.begin(id, false)
	s.topic.Reset()
	s.plans.Approve("")
	_ = s.plans.Begin(s.Workspace, s.ID()) // the start has warned of an error
	s.Memory.Reload()
	s.Models.StartSession(s.ID())
	s.refresh()
	s.agent.Restart(ctx, s.ID(), []agent.Message{s.opening()})
	s.registry.Unload()
	s.titler.Reset()
}

// Prompts returns the messages of the conversation that are prompts of the person, the oldest first.
// It may be called during a run.
func (s *Session) Prompts() []agent.Message {
	var prompts []agent.Message
	for _, m := range s.History() {
		if m.IsPrompt {
			prompts = append(prompts, m)
		}
	}
	return prompts
}

// Rewind returns to the state of the conversation before a prompt, by the id of its message, and
// reports whether there is one. Files stay as they are.
func (s *Session) Rewind(ctx context.Context, id string) bool {
	if !s.agent.Rewind(ctx, id) {
		return false
	}
	s.Observers.Records.Emit(records.Rewound{})
	return true
}

// Branch goes on in a new session with the state of the conversation before a prompt, by the id of its
// message. The session until now stays as it is on disk, and can be resumed. Branch returns the id of
// that session; ok is false if there is no such prompt.
func (s *Session) Branch(ctx context.Context, id string) (left string, ok bool) {
	history := s.History()
	at := slices.IndexFunc(history, func(m agent.Message) bool { return m.ID == id })
	if at < 1 {
		return "", false
	}
	s.Hooks.End(ctx, hook.ClearReason)
	s.endTurn()
	left = s.ID()
	s.begin("", true)
	s.Record.Branch(s.ID())
	_ = s.plans.Begin(s.Workspace, s.ID()) // the start has warned of an error
	s.Models.StartSession(s.ID())
	s.agent.Restart(ctx, s.ID(), []agent.Message{s.opening()})
	s.agent.SetHistory(ctx, append(s.History(), history[1:at]...))
	s.Hooks.Start(ctx, hook.ClearSource, s.agent.AddMessage)
	return left, true
}

// AddDirectory adds a directory to the workspace, and a description of it to the conversation. Its context files join the conversation,
// too, or the context of every request if the user wants that. It returns its path, absolute and without links, and whether it is new.
func (s *Session) AddDirectory(ctx context.Context, dir string) (path string, added bool, err error) {
	path, added, err = s.Workspace.Add(dir)
	if err != nil || !added {
		return path, false, err
	}
	tree := ""
	if config.IncludeDirectoryTree.In(s.Project.Settings()) {
		tree = s.Workspace.TreeOf(s.treeItems(), path)
	}
	if config.ReloadsForDirectories.In(s.Project.Settings()) {
		s.ReloadMemory(ctx)
	}
	text := prompt.Joined(path, tree) + s.Memory.Discover(path) // nothing that was just read
	s.agent.AddMessage(ctx, agent.Message{Content: llm.User(llm.Text(text))})
	s.Servers.AddRoot(path)
	s.Record.NoteDirectories()
	return path, true, nil
}

// ReloadMemory reads the memory files again, and updates their texts in requests.
func (s *Session) ReloadMemory(ctx context.Context) {
	before := s.Memory.Texts()
	s.Memory.Reload()
	now := s.Memory.Texts()
	if now == before {
		return // the vendor's cache stays good
	}
	s.instruction.Refresh()
	if now.Extension != before.Extension || now.Project != before.Project {
		s.agent.ReplaceContext(ctx, []agent.Message{s.opening()})
	}
}

// ToolTitle returns the display name of a tool, "" if the model has no such tool. It may be called during a run.
func (s *Session) ToolTitle(name string) string {
	for _, spec := range s.Tools() {
		if spec.Name == name {
			return spec.DisplayName
		}
	}
	return ""
}

// ReloadAgents reads the settings and the definitions of subagents again, and returns problems to show to the user.
func (s *Session) ReloadAgents(ctx context.Context) ([]string, error) {
	problems, err := s.Agents.Reload(ctx)
	if err == nil {
		s.tools.Spare(s.registry)
		s.refresh()
	}
	return problems, err
}

// ServerStatus returns the state of each MCP server, those of subagents that have run after the others.
func (s *Session) ServerStatus() []mcp.Status {
	return append(s.Servers.Status(), s.Agents.ServerStatus()...)
}

// approvePlan notes the plan that is carried out from now on.
func (s *Session) approvePlan(path string) {
	s.plans.Approve(path)
	s.instruction.Refresh()
	s.Observers.Records.Emit(records.PlanApproved{})
}
