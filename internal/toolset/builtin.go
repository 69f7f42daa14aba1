package toolset

import (
	"context"
	"sync"
	"time"

	"pollux/docs"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/memory"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/prompt"
	"pollux/internal/records"
	"pollux/internal/tools/askuser"
	"pollux/internal/tools/discovered"
	"pollux/internal/tools/file"
	"pollux/internal/tools/manual"
	"pollux/internal/tools/plan"
	"pollux/internal/tools/savememory"
	"pollux/internal/tools/search"
	"pollux/internal/tools/shell"
	"pollux/internal/tools/todo"
	"pollux/internal/tools/topic"
	"pollux/internal/tools/web"
	"pollux/tool"
)

// Builtin are Pollux's own tools.
type Builtin struct {
	Tools []tool.Tool
	// Search is the web search, which needs a provider that searches.
	Search tool.Tool
	// Typed is the shell of a person, and Template the shell of custom commands that an origin has written.
	Typed    tool.Tool
	Template func(process.Origin) tool.Tool
}

// NewBuiltin makes Pollux's own tools, in the order in which the model sees them.
func NewBuiltin(p Parts) Builtin {
	set, ws := p.Project.Settings(), p.Workspace
	var corrector file.Corrector
	if !config.DisableLLMCorrection.In(set) {
		corrector = file.NewModelCorrector(p.Generator, p.Models.UtilityConfig)
	}
	watched := file.EditObserver{
		Made:      func(strategy string) { p.Records.Emit(records.EditMade{Strategy: strategy}) },
		Corrected: func(works bool) { p.Records.Emit(records.EditCorrected{Success: works}) },
	}
	reach := p.web()
	commands := shell.Options{
		Workspace:          ws,
		Environ:            p.Project.CommandEnviron(),
		Keys:               sync.OnceValue(p.Project.SecretVariables),
		Redact:             project.Redaction(p.Project),
		Trusted:            p.Project.IsTrusted,
		InactivityTimeout:  time.Duration(config.ShellInactivityTimeout.In(set) * float64(time.Second)),
		BackgroundAfter:    time.Duration(config.ShellBackgroundAfter.In(set) * float64(time.Second)),
		Parallel:           func() []string { return config.ParallelCommands.In(p.Project.Settings()) },
		Processes:          p.Processes,
		RefuseSubstitution: config.ShellSubstitution.In(set) == "refuse",
		AnyOutput:          OutputAdvice(set) == prompt.AdviseNone,
		Advise:             p.Project.Sandbox.Advise,
		AsksForMore:        config.ToolSandboxing.In(set) && p.Project.Options.Interactive,
		Launcher:           p.Project.Launcher,
		Pager:              config.ShellPager.In(set),
		EndsWithAnswer:     !p.Project.Options.Interactive,
		CanReadOn:          func() bool { return p.declares("read_background_output") },
	}
	if open := p.Project.Options.Host.Terminal; open != nil && config.EditorTerminal.In(set) {
		commands.Outside, commands.MayRunOutside = open, p.restrictsNoCommands
	}
	b := Builtin{
		Search: web.NewSearch(reach), Typed: shell.NewForUser(commands),
		Template: func(o process.Origin) tool.Tool { return shell.NewForTemplate(commands, o) },
	}
	var tools []tool.Tool
	if config.TopicUpdates.In(set) {
		tools = append(tools, topic.New(p.Topic))
	}
	tools = append(
		tools,
		memory.Wrap(file.NewList(ws), p.Memory),
		memory.Wrap(file.NewReadFile(ws, p.Seen), p.Memory),
		search.NewGrep(ws, search.GrepOptions{Ripgrep: p.findRipgrep(), Launcher: p.Project.Launcher}),
		search.NewGlob(ws),
		memory.Wrap(plan.Confine(file.NewReplace(ws, corrector, p.Seen, watched), p.Plan), p.Memory),
		memory.Wrap(plan.Confine(file.NewWrite(ws, corrector, p.Seen), p.Plan), p.Memory),
		web.NewFetch(reach),
	)
	if shell.Unavailable == "" {
		tools = append(tools, shell.New(commands), shell.NewListTool(p.Processes), shell.NewReadTool(p.Processes), shell.NewStopTool(p.Processes))
	}
	tools = append(tools, b.Search)
	if o := p.Project.Options; o.Interactive && !o.Host.LacksForms {
		tools = append(tools, askuser.New())
	}
	if config.WriteTodos.In(set) {
		tools = append(tools, todo.New())
	}
	core := project.ToolSettings(set)
	if config.PlanEnabled.In(set) {
		enter, exit := plan.Tools(p.Plan)
		tools = append(tools, exit)
		if p.Project.Options.Interactive || core.Names(enter.Spec()) { // unattended, no user can approve the plan
			tools = append(tools, enter)
		}
	}
	if p.Agents != nil {
		tools = append(tools, p.Agents)
	}
	if config.SaveMemory.In(set) || core.Core != nil { // else models edit the files
		tools = append(tools, savememory.New(p.Project.MemoryFile()))
	}
	if pages := manual.New(docs.Pages); core.Names(pages.Spec()) {
		tools = append(tools, pages)
	}
	b.Tools = tools
	return b
}

// restrictsNoCommands reports whether commands run as the user's own: where something restricts them, they cannot run in a terminal of an
// editor, which is outside of Pollux's sandbox, and has an environment of its own.
func (p *Parts) restrictsNoCommands() bool {
	set, in := p.Project.Settings(), p.Project.Options.Env.Get("SANDBOX")
	isFree := !p.Project.Sandbox.IsOn() && !config.SandboxRequired.In(set) && in == "" && p.Project.IsTrusted()
	return isFree && config.ChildSecrets.In(set) != "none" && !config.RedactionEnabled.In(set) && len(config.RedactionBlocked.In(set)) == 0
}

// web is how the web is reached: as the models are.
func (p *Parts) web() web.Options {
	n := p.Models.Network()
	return web.Options{
		Generator: p.Generator, ResolveModel: p.Models.UtilityConfig, Direct: config.DirectWebFetch.In(p.Project.Settings()),
		OnFallback: func(reason string) { p.Records.Emit(records.WebFetchFellBack{Reason: reason}) },
		Proxy:      n.Proxy, NoProxy: n.NoProxy, RootCAs: n.RootCAs,
	}
}

// findRipgrep returns the function that finds the user's rg when the first search
// comes; it returns "" where there is none or the settings do not want it.
func (p *Parts) findRipgrep() func() string {
	return sync.OnceValue(func() string {
		if !config.UseRipgrep.In(p.Project.Settings()) {
			return ""
		}
		path := p.Project.FindProgram(p.Workspace, "rg")
		if path == "" {
			p.Records.Emit(records.RipgrepMissing{})
		}
		return path
	})
}

// discover returns the tools that a command of the user's lists.
func discover(ctx context.Context, p *project.Project) ([]tool.Tool, error) {
	switch {
	case p.LacksCallCommand():
		p.Warn(project.NoCallCommand)
		return nil, nil
	case !p.DiscoversTools():
		return nil, nil
	}
	tools, err := discovered.Discover(ctx, p.Discovery())
	if err != nil {
		return nil, exit.Errorf(exit.Config, "%w", err)
	}
	return tools, nil
}

// OutputAdvice returns the models whose instruction asks for commands with little output.
func OutputAdvice(s *config.Settings) prompt.OutputAdvice {
	switch value, _ := s.Lookup(string(config.ShellOutputEfficiency)); value {
	case true:
		return prompt.AdviseAll
	case false:
		return prompt.AdviseNone
	}
	return prompt.AdviseOlder
}
