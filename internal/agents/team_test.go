package agents_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/route"
	"pollux/internal/agents"
	"pollux/internal/assembly"
	"pollux/internal/guard"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/trust"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/prompt"
	"pollux/internal/record"
	"pollux/internal/records"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/servers"
	"pollux/internal/toolset"
	"pollux/internal/toolset/toolsettest"
	"pollux/llm"
	"pollux/llm/quotation"
	"pollux/tool"
)

// team is the subagents of a project, and the conversation that calls them.
type team struct {
	*agents.Agents
	*projecttest.User
	t       *testing.T
	project *project.Project
	kit     *toolsettest.Kit
	tools   *toolset.Set
	gate    *guard.Gate
	hooks   *hook.Set
	record  *record.Record
	builder *assembly.Builder
	history []agent.Message
}

// options configure a team.
type options struct {
	script   string // of the model, "" for none
	recorded bool
	hooks    []hook.Hook
	change   func(*project.Options)
}

// newTeam makes the subagents of a user in a trusted folder, where all calls are allowed.
func newTeam(t *testing.T, u *projecttest.User, o options) *team {
	t.Helper()
	p := u.Open(func(po *project.Options) {
		po.Folder, po.ApprovalMode, po.Model, po.Hooks = trust.Trusted, "yolo", "gemini-2.5-flash", o.hooks
		if o.change != nil {
			o.change(po)
		}
	})
	var model llm.Generator
	if o.script != "" {
		model = scripttest.Gemini(t, o.script)
	}
	c := &team{User: u, t: t, project: p, kit: toolsettest.New(t, p, model)}
	k := c.kit
	var err error
	if c.record, err = record.Open(t.Context(), p, record.Options{Recorded: o.recorded}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.record.Close)
	connections := servers.Open(servers.Parts{Project: p, Registry: k.Registry, Launcher: process.NewLauncher(), Roots: k.Workspace.Dirs, Rules: k.Policy.Rules, Model: func() servers.Model { return servers.Model{} }})
	t.Cleanup(connections.Close)
	c.builder = &assembly.Builder{
		Project: p, Models: k.Models, Generator: k.Models, Records: k.Parts.Records, Outputs: &record.Outputs{Project: p, ID: c.ID},
		Plan: k.Plans.Approved, Stage: func() route.Stage { return route.NoPlan },
	}
	definitions, err := agents.ReadDefinitions(t.Context(), p, k.Policy)
	if err != nil {
		t.Fatal(err)
	}
	c.Agents = agents.New(agents.Parts{
		Project: p, Definitions: definitions, Policy: k.Policy, Builder: c.builder, Servers: connections, Memory: k.Memory,
		Workspace: k.Workspace, Record: c.record, Given: quotation.New(), Plans: k.Plans, Registry: k.Registry, Session: caller{c},
	})
	t.Cleanup(c.Close)
	k.Agents, k.HasOwnAgents = c.Tool(), c.HasOwn
	c.tools = k.Open()
	c.tools.Spare(k.Registry)
	if len(o.hooks) > 0 {
		none := func() string { return "" }
		all, _ := p.ReadHooks()
		c.hooks = p.HookSet(all, hook.Options{SessionID: none, PlansDir: none})
		t.Cleanup(c.hooks.Close)
	}
	c.gate = k.Gate()
	return c
}

// caller is the conversation of a team.
type caller struct{ *team }

func (c caller) MessagesAfter(*llm.Content) []agent.Message { return c.history }
func (c caller) Tools() *toolset.Set                        { return c.tools }
func (c caller) Gate() *guard.Gate                          { return c.gate }
func (c caller) Hooks() *hook.Set                           { return c.hooks }
func (c caller) Skills() []prompt.Skill {
	return []prompt.Skill{{Name: "tidy", Description: "Tidies up", Location: "here"}}
}
func (c caller) TreeItems() int { return 20 }

// ID returns the id of the conversation.
func (c *team) ID() string { return "first" }

// invoke calls a subagent, and returns the result.
func (c *team) invoke(ctx context.Context, name, text string) *tool.Result {
	c.t.Helper()
	args, err := json.Marshal(map[string]string{"agent_name": name, "prompt": text})
	if err != nil {
		c.t.Fatal(err)
	}
	i, err := tool.Build(c.Tool(), args)
	if err != nil {
		c.t.Fatal(err)
	}
	return i.Run(ctx, tool.Host{})
}

// run runs a prompt of the conversation, whose model calls subagents. It passes on the events of these, and the
// questions, for an answer.
func (c *team) run(nested func(agent.Event), answer func(*agent.Question) tool.Outcome) {
	c.t.Helper()
	a := c.builder.Agent(c.kit.Models.Current, func(config *agent.Config) {
		config.Tools, config.Gate, config.SessionID = c.kit.Registry, c.gate, c.ID()
	})
	for e, err := range a.Run(c.t.Context(), agent.TextPrompt("Begin")) {
		if err != nil {
			c.t.Error(err)
		}
		switch e := e.(type) {
		case agent.Nested:
			nested(e.Event)
		case agent.ToolAsked:
			e.Answer(tool.Answer{Outcome: answer(e.Question)})
		}
	}
}

// text returns the text of a result for the model.
func text(r *tool.Result) string { return llm.PartsText(r.Content) }

// events returns the records about subagents, such as "started helper".
func (c *team) events() string {
	var list []string
	for _, r := range c.kit.TakeRecords() {
		switch r := r.(type) {
		case records.SubagentStarted:
			list = append(list, "started "+r.Name)
		case records.SubagentFinished:
			list = append(list, "finished "+r.Name+" "+r.Reason)
		case records.SubagentRecovered:
			list = append(list, "recovered "+r.Name+" "+r.Reason)
		}
	}
	return strings.Join(list, ", ")
}

// definition returns the file of a subagent, with more keys.
func definition(name, keys string) string {
	return "---\nname: " + name + "\ndescription: About " + name + "\n" + keys + "---\nYou are " + name + ".\n"
}
