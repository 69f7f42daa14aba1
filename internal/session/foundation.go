package session

import (
	"context"

	"pollux/agent/route"
	"pollux/internal/agents"
	"pollux/internal/assembly"
	"pollux/internal/companion"
	"pollux/internal/completion"
	"pollux/internal/config"
	"pollux/internal/extensions"
	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/memory"
	"pollux/internal/models"
	"pollux/internal/observers"
	"pollux/internal/permits"
	"pollux/internal/project"
	"pollux/internal/record"
	"pollux/internal/rulebook"
	"pollux/internal/servers"
	"pollux/internal/snapshots"
	"pollux/internal/tools/file"
	"pollux/internal/tools/plan"
	"pollux/internal/tools/shell"
	"pollux/internal/workspace"
	"pollux/tool"
)

// foundation has the parts of a session that no tool and no conversation is needed for: the models, the directories, the
// rules, and the servers.
type foundation struct {
	// Models are the models that can be asked.
	Models *models.Directory
	// Workspace is the directories that the model works in.
	Workspace *workspace.Workspace
	// Memory holds the instructions of the user and the project for the model.
	Memory *memory.Memory
	// Processes are the commands that run in the background, and those that did.
	Processes *shell.Processes
	// Rulebook has the rules by which calls are decided on.
	Rulebook *rulebook.Rulebook
	// Servers are the MCP servers.
	Servers *servers.Servers
	// Companion is the connection with the person's editor.
	Companion *companion.Companion
	// Snapshots keep the changes that calls make; nil if the user does not want it.
	Snapshots *snapshots.Snapshots
	// Checkpoints are those of Gemini CLI.
	Checkpoints *snapshots.Checkpoints

	// completion reports the end of background commands.
	completion *completion.Reporter
	// permits give commands permissions that the sandbox refuses.
	permits    []guard.Step
	extensions *extensions.Extensions
	registry   *tool.Registry // tools join it later
	plans      *plan.Plans
	policy     *policy.Engine
	subagents  *agents.Definitions
	outputs    *record.Outputs
	seenFiles  *file.Seen // nil if edits do not check what the model has seen
}

// layFoundation opens the foundation of a session. The person is asked about policies, directories and subagents. Where
// unreachable is set, there is no model.
func (b *builder) layFoundation(ctx context.Context, seen *observers.Observers, late conversation, unreachable error) (f foundation, err error) {
	p := b.project
	p.LoadExtensions(ctx)
	rules, err := p.ReadPolicies(func(project policy.Integrity) bool { return p.AcceptsPolicies(ctx, project) })
	if err != nil {
		return f, err
	}
	models, err := assembly.Models(ctx, p, assembly.Source{
		Generator: b.options.Generator, Replay: b.options.Replay, InAnyOrder: b.options.ReplayAnyOrder, Unreachable: unreachable,
	}, b.record.SessionID())
	if err != nil {
		return f, err
	}
	p.SetSecrets(models.Secrets)
	ws := project.NewWorkspace(p)
	b.record.AddResumedDirs(ctx, ws)
	extensions := extensions.Open(p, ws)
	plans, err := plan.Open(ws, p.PlanDirectory(), late.ID())
	if err != nil {
		p.Warn("Warning: " + err.Error())
	}
	registry := tool.NewRegistry()
	checkUndo := func() error { return f.Snapshots.CheckUndo() }
	engine := rulebook.NewEngine(rulebook.EngineOptions{Project: p, Workspace: ws, Plans: plans, Rules: rules, Tools: b.options.Tools, CheckUndo: checkUndo})
	book := rulebook.New(rulebook.Parts{
		Project: p, Workspace: ws, Engine: engine, Tools: registry, Changed: late.Refresh, Emit: seen.Records.Emit,
	})
	outputs := &record.Outputs{Project: p, ID: late.ID}
	f = foundation{
		Models: models, Workspace: ws, Memory: project.NewMemory(p, ws), Processes: b.openProcesses(ws, late.ID()), Rulebook: book,
		Servers: servers.Open(servers.Parts{
			Project: p, Registry: registry, Launcher: p.Launcher, Roots: extensions.Roots, Rules: book.Rules, Model: late.ServerModel, CreateOutput: outputs.Create,
		}),
		Companion: companion.Open(p, b.options.IDE), extensions: extensions, registry: registry, plans: plans, policy: engine, outputs: outputs,
	}
	if config.CheckSeen.In(p.Settings()) {
		f.seenFiles = file.NewSeen()
	}
	f.completion = &completion.Reporter{Project: p, Processes: f.Processes, Steer: late.Steer}
	seen.Start(models, registry.Lookup, book.ModeName)
	f.Snapshots = snapshots.Open(snapshots.Parts{Project: p, Workspace: ws, ID: late.ID, Records: seen.Records, Programs: f.Processes, Seen: f.seenFiles, Rules: engine, Log: permits.Logger(p, late.ID)})
	f.Checkpoints = snapshots.OpenCheckpoints(p, f.Snapshots, late.Messages)
	f.permits = append(f.permits, permits.Open(p, f.policy, f.Processes, late.ID))
	f.subagents, err = agents.ReadDefinitions(ctx, p, engine)
	book.CheckMode()
	return f, err
}

// openProcesses opens the list of background commands, whose logs the model may read.
func (b *builder) openProcesses(ws *workspace.Workspace, session string) *shell.Processes {
	p := shell.NewProcesses(b.project.Paths.BackgroundLogs())
	if b.record.Journal() != nil {
		p.SetSession(session)
	}
	ws.AllowRead(func() []string { // the model gets their paths
		var logs []string
		for _, c := range p.List() {
			logs = append(logs, c.Log)
		}
		return logs
	})
	return p
}

// close ends the servers and the background commands, as far as they were opened.
func (f *foundation) close() {
	if f.Processes != nil {
		f.Processes.Close()
		f.Servers.Close()
		f.Companion.Close()
		f.Snapshots.Close()
	}
}

// around returns the steps around all calls, those of subagents included.
func (f *foundation) around() []guard.Step { return append(f.Snapshots.Steps(), f.permits...) }

// Plan returns the path of the plan that was approved last, "" if none was.
func (f *foundation) Plan() string { return f.plans.Approved() }

// planStage returns the stage of the session with a plan, for the router.
func (f *foundation) planStage() route.Stage {
	switch {
	case f.Rulebook.Mode() == policy.Plan:
		return route.Planning
	case f.Plan() != "":
		return route.Implementing
	}
	return route.NoPlan
}
