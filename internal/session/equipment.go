package session

import (
	"context"
	"slices"

	"pollux/internal/agents"
	"pollux/internal/assembly"
	"pollux/internal/config"
	"pollux/internal/guard"
	"pollux/internal/guard/origin"
	"pollux/internal/guard/policy"
	"pollux/internal/hooks"
	"pollux/internal/observers"
	"pollux/internal/owncalls"
	"pollux/internal/record"
	"pollux/internal/skills"
	"pollux/internal/summary"
	"pollux/internal/tools/plan"
	"pollux/internal/tools/toolsearch"
	"pollux/internal/tools/topic"
	"pollux/internal/toolset"
	"pollux/llm/quotation"
	"pollux/tool"
)

// equipment has the parts of a session that answer a model's calls, and the generator that asks it.
type equipment struct {
	// Agents are the subagents.
	Agents *agents.Agents
	// Skills are the skills, and Calls the tool calls that no model makes.
	Skills *skills.Skills
	Calls  *owncalls.Calls
	// Hooks are the hooks.
	Hooks *hooks.Hooks

	stack   *assembly.Stack
	builder *assembly.Builder
	tools   *toolset.Set
	gate    *guard.Gate
	topic   *topic.Topic
}

// equip opens the equipment of a session with a foundation. After an error, it has the parts that must be closed.
func (b *builder) equip(ctx context.Context, f foundation, seen *observers.Observers, late conversation) (e equipment, err error) {
	p := b.project
	given := quotation.New()
	callers := &assembly.Callers{Messages: late.Messages}
	stack, err := assembly.NewStack(p, f.Models, assembly.StackOptions{
		Observed: seen.Observe(f.Models), Given: given, HasCalled: callers.HasCalled, Record: b.options.Record,
		IsPlanning: func() bool { return f.Rulebook.Mode() == policy.Plan }, Hooks: late.ModelHooks,
	})
	if err != nil {
		return e, err
	}
	e.stack = stack
	builder := &assembly.Builder{
		Project: p, Models: f.Models, Generator: stack, Fallback: stack.Fallback, Records: seen.Records, Outputs: f.outputs,
		Checks: assembly.NewChecks(p, f.Workspace), Summaries: assembly.NewSummaries(p, f.Models, stack), Plan: f.plans.Approved, Stage: f.planStage, Running: f.Processes.Overview,
	}
	agents := agents.New(agents.Parts{
		Project: p, Definitions: f.subagents, Policy: f.policy, Builder: builder, Servers: f.Servers, Memory: f.Memory, Workspace: f.Workspace,
		Record: b.record, Given: given, Plans: f.plans, Registry: f.registry, Session: late, Around: f.around(),
	})
	e.Agents = agents
	title := new(topic.Topic)
	tools, err := toolset.Open(ctx, toolset.Parts{
		Project: p, Models: f.Models, Generator: stack, Policy: f.policy, Registry: f.registry, Workspace: f.Workspace, Memory: f.Memory,
		Processes: f.Processes, Records: seen.Records, Topic: title, Seen: f.seenFiles, Agents: agents.Tool(),
		Plan: plan.Options{
			Workspace: f.Workspace, Dir: f.plans.Dir, Interactive: p.Options.Interactive, Then: p.PlanThen(),
			Mode: f.Rulebook.ModeName, SetMode: f.Rulebook.SetModeName, Approved: late.ApprovePlan, Written: new(plan.Written),
			Answered: func(path string) { p.Warn("The plan is in " + p.Paths.Display(path) + ".") },
		},
		Form: func() tool.Form {
			model := f.Models.Current().Model
			return builder.Form(model, late.Window(model))
		},
		HasOwnAgents: agents.HasOwn, HasOwnSkills: late.HasOwnSkills,
	}, b.options.Tools)
	if err != nil {
		return e, err
	}
	assembly.WarnOfSummaries(p, builder.Summaries, f.registry)
	tools.Spare(f.registry)
	f.registry.SetFinder(toolsearch.New(f.registry))
	agents.LoadCards()
	skills := skills.Open(skills.Parts{
		Project: p, Registry: f.registry, Tools: tools, Workspace: f.Workspace, Servers: f.Servers, Record: b.record, Changed: late.RefreshInstruction,
	})
	hooks, err := hooks.Open(hooks.Parts{
		Project: p, Policy: f.policy, Models: f.Models, Plans: f.plans, Registry: f.registry, Record: b.record, Records: seen.Records,
		Servers: f.Servers, ServersOf: agents.ServersOf, ID: late.ID, RequestConfig: late.RequestConfig,
		Around: f.Snapshots.AroundHooks(),
	})
	if err != nil {
		return e, err
	}
	gate := b.newGate(f, hooks, given, builder.Summaries, origin.New(late.MessagesAfter, f.Workspace.HasFile))
	calls := owncalls.New(owncalls.Parts{
		Project: p, Models: f.Models, Gate: gate, Tools: tools, Registry: f.registry, Workspace: f.Workspace, Records: seen.Records,
	})
	return equipment{
		Agents: agents, Skills: skills, Calls: calls, Hooks: hooks,
		stack: stack, builder: builder, tools: tools, gate: gate, topic: title,
	}, nil
}

// newGate makes the gate that all tool calls pass.
func (b *builder) newGate(f foundation, hooks *hooks.Hooks, given *quotation.Index, summaries *summary.Writer, origins *origin.Tracker) *guard.Gate {
	p := b.project
	characters, lines := config.OutputLimits(p.Settings())
	o := guard.Options{
		Policy:       f.policy,
		Interactive:  p.Options.Interactive,
		Origins:      origins,
		Given:        given,
		Tool:         f.registry.Lookup,
		News:         f.completion.News,
		Threshold:    characters,
		Lines:        lines,
		CreateOutput: f.outputs.Create,
		Log:          p.Log,
	}
	if set := hooks.Set(); set != nil {
		o.Hooks = set
	}
	if summaries != nil {
		o.Summarizer = summaries
	}
	if j := b.record.Journal(); j != nil {
		o.Around = append(o.Around, record.SyncStep(j))
	}
	o.Around = slices.Concat(o.Around, f.Checkpoints.Steps(), f.around())
	return guard.New(o)
}

// close ends the processes and the connections of the equipment, as far as they were opened.
func (e *equipment) close() {
	if e.stack != nil {
		e.stack.Close()
	}
	if e.Agents != nil {
		e.Agents.Close()
	}
	if e.Hooks != nil {
		e.Hooks.Close()
	}
}
