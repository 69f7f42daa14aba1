package session

import (
	"context"

	"pollux/agent"
	"pollux/internal/compose"
	"pollux/internal/config"
	"pollux/internal/farewell"
	"pollux/internal/guard"
	"pollux/internal/guard/hook"
	"pollux/internal/observers"
	"pollux/internal/prompt"
	"pollux/internal/record"
	"pollux/internal/servers"
	"pollux/internal/toolset"
	"pollux/llm"
	"pollux/tool"
)

// build builds a session: its foundation, on that its equipment, and with both its conversation. Each step gets the
// values of those before it, so that no part can be used before it is there. Where unreachable is set, the session does
// without a model.
func (b *builder) build(ctx context.Context, unreachable error) (_ *Session, err error) {
	p := b.project
	ctx, cancel := context.WithCancel(ctx)
	s := &Session{Project: p, Record: b.record, options: b.options, cancel: cancel}
	s.identity.Store(newIdentity(b.record.SessionID()))
	s.Observers = observers.Open(observers.Parts{
		Project: p, ID: s.ID, HasLog: b.options.Recorded, Journal: b.record.Journal(), Recent: b.options.Recent, Sinks: p.Options.Host.Observers,
	})
	defer func() {
		if err != nil {
			s.closeParts() // the project and the record have an owner, who may try again
		}
	}()
	late := conversation{s}
	if s.foundation, err = b.layFoundation(ctx, s.Observers, late, unreachable); err != nil {
		return nil, err
	}
	s.PromptLog = b.record.NewPromptLog()
	if s.equipment, err = b.equip(ctx, s.foundation, s.Observers, late); err != nil {
		return nil, err
	}
	if err = s.openConversation(); err != nil {
		return nil, err
	}
	s.Observers.RecordConfig()
	return s, nil
}

// openConversation opens the parts that work with the conversation, in a session that is equipped.
func (s *Session) openConversation() (err error) {
	p := s.Project
	if s.instruction, err = s.newInstruction(); err != nil {
		return err
	}
	s.Changes = &record.Changes{
		Record: s.Record, History: s.History, Tool: s.registry.Find, Workspace: s.Workspace, Denies: s.Rulebook.DeniesWriting,
		Seen: s.seenFiles, Conversation: func() tool.Conversation { return s.agent.Conversation() }, UndoLog: s.Snapshots.Log(),
	}
	s.titler = &record.Titler{
		Record: s.Record, Models: s.Models, ID: s.ID,
		Generator: func() llm.Generator { return agent.WithHooks(s.Observers.Observe(s.Models), s.Hooks.Model) },
	}
	s.Farewell = &farewell.Farewell{Project: p, Record: s.Record, ID: s.ID}
	s.agent = s.newAgent()
	s.Processes.OnEnd(s.completion.Ended)
	s.Composer = compose.New(compose.Parts{
		Project: p, Workspace: s.Workspace, Memory: s.Memory, Models: s.Models, Outputs: s.outputs, Servers: s.Servers, Agents: s.Agents,
		Hooks: s.Hooks, Calls: s.Calls, Agent: s.agent, Seen: s.seenFiles, Opening: s.opening, Refresh: s.refresh,
	})
	return nil
}

// newAgent builds the session's own agent.
func (s *Session) newAgent() *agent.Agent {
	return s.builder.Agent(s.Models.Current, func(c *agent.Config) {
		c.Tools, c.Gate, c.SessionID = s.registry, s.gate, s.ID()
		c.WhyHidden, c.System, c.Settle = s.Servers.WhyMissing(s.tools.WhyHidden), s.instruction.For, s.Servers.Renew
		c.Context = []agent.Message{s.opening()}
		c.MaxTurns = config.TurnLimit(s.Project.Settings())
		c.KeepUnanswered, c.Rewritten = s.Record.KeepsUnanswered, s.Memory.Keep
		c.IDE = s.Companion.Watcher()
		c.NextSpeaker, c.Unfinished, c.AtLoop = s.builder.NextSpeaker(), s.builder.Unfinished(), s.builder.LoopQuestion()
		if !s.Project.Options.Interactive {
			c.Reminder = s.Processes.Reminder
		}
		if set := s.Hooks.Set(); set != nil {
			c.Hooks = set
		}
		if j := s.Record.Journal(); j != nil {
			c.Journal = j
		}
	})
}

// conversation is a session for the parts that are built before it. It has no fields, so that they cannot take a part
// that is not there yet; they call its methods while a prompt runs.
type conversation struct{ s *Session }

func (c conversation) ID() string                { return c.s.ID() }
func (c conversation) Messages() []agent.Message { return c.MessagesAfter(nil) }
func (c conversation) MessagesAfter(seen *llm.Content) []agent.Message {
	return c.s.agent.MessagesAfter(seen)
}
func (c conversation) Steer(p agent.Prompt)    { c.s.agent.Steer(p) }
func (c conversation) Refresh()                { c.s.refresh() }
func (c conversation) ApprovePlan(path string) { c.s.approvePlan(path) }
func (c conversation) Window(model string) int { return c.s.Window(model) }
func (c conversation) TreeItems() int          { return c.s.treeItems() }
func (c conversation) HasOwnSkills() bool      { return c.s.Skills.HasOwn() }
func (c conversation) Skills() []prompt.Skill  { return c.s.Skills.ForPrompt() }
func (c conversation) Tools() *toolset.Set     { return c.s.tools }
func (c conversation) Gate() *guard.Gate       { return c.s.gate }
func (c conversation) Hooks() *hook.Set        { return c.s.Hooks.Set() }
func (c conversation) ModelHooks() agent.Hooks { return c.s.Hooks.Model() }
func (c conversation) RequestConfig(model string) llm.Config {
	return c.s.agent.RequestConfig(model)
}

// ServerModel returns the model of the conversation, for requests of MCP servers.
func (c conversation) ServerModel() servers.Model {
	model := c.s.Models.Current().Model
	return servers.Model{Generator: c.s.stack, Name: model, Config: c.s.Models.ChatConfig(model, false)}
}

// RefreshInstruction updates the system instruction, once there is one.
func (c conversation) RefreshInstruction() {
	if c.s.instruction != nil {
		c.s.instruction.Refresh()
	}
}
