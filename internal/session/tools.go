package session

import (
	"context"
	"slices"
	"sync"
	"time"

	"pollux/docs"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/memory"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/records"
	"pollux/internal/subagent"
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
	"pollux/llm"
	"pollux/tool"
)

// web is how the web is reached: as the models are.
func (s *Session) web(g llm.Generator) web.Options {
	n := s.models.Network()
	return web.Options{
		Generator: g, ResolveModel: s.models.UtilityConfig, Direct: config.DirectWebFetch.In(s.Project.Settings()),
		OnFallback: func(reason string) { s.records.Emit(records.WebFetchFellBack{Reason: reason}) },
		Proxy:      n.Proxy, NoProxy: n.NoProxy, RootCAs: n.RootCAs,
	}
}

// addTools registers the tools, in the order in which the model sees them: the
// built-in ones, those that a command of the user's lists, those of the program.
func (s *Session) addTools(ctx context.Context, g llm.Generator) error {
	builtin := s.builtinTools(g)
	s.absent = absentTools(s.Project.Settings(), s.Project.Options.Interactive)
	core := project.ToolSettings(s.Project.Settings())
	builtin = slices.DeleteFunc(builtin, func(t tool.Tool) bool {
		spec := t.Spec()
		if core.Registers(spec) {
			return false
		}
		for _, name := range append([]string{spec.Name}, spec.Aliases...) {
			s.absent[name] = notCore
		}
		return true
	})
	discovered, err := s.discoverTools(ctx)
	if err != nil {
		return err
	}
	s.builtin = builtin
	s.registry.Add("", slices.Concat(builtin, discovered, s.options.Tools)...)
	s.registry.Spare(s.spares(builtin))
	s.registry.Hide(s.hides)
	return nil
}

// notCore is why a session does not have a tool that tools.core leaves out.
const notCore = "The setting tools.core does not list it. A user can add it there."

// absentTools returns why a session does not have some of Pollux's tools, by name.
func absentTools(set *config.Settings, interactive bool) map[string]string {
	absent := map[string]string{}
	if !interactive {
		absent["ask_user"] = "A headless run has no user who could answer. Decide yourself, and state your assumptions."
		absent["enter_plan_mode"] = "A headless run has no user who could approve a plan. A user can start it with --approval-mode plan."
	}
	if !config.WriteTodos.In(set) {
		absent["write_todos"] = "The setting useWriteTodos is off. A user can turn it on."
	}
	if !config.Agents.In(set) {
		absent[subagent.ToolName] = "The setting experimental.enableAgents is off. A user can turn it on."
	}
	if !config.PlanEnabled.In(set) {
		for _, name := range []string{"enter_plan_mode", "exit_plan_mode"} {
			absent[name] = "The setting general.plan.enabled is off. A user can turn it on."
		}
	}
	return absent
}

// builtinTools is the list of Pollux's own tools.
func (s *Session) builtinTools(g llm.Generator) []tool.Tool {
	set, ws := s.Project.Settings(), s.Workspace
	var corrector file.Corrector
	if !config.DisableLLMCorrection.In(set) {
		corrector = file.NewModelCorrector(g, s.models.UtilityConfig)
	}
	watched := file.WithObserver(file.EditObserver{
		Made:      func(strategy string) { s.records.Emit(records.EditMade{Strategy: strategy}) },
		Corrected: func(works bool) { s.records.Emit(records.EditCorrected{Success: works}) },
	})
	reach := s.web(g)
	plans := plan.Options{
		Workspace: ws, Dir: s.plans.directory, Interactive: s.Project.Options.Interactive, Then: s.Project.PlanThen(),
		Mode: s.modeName, SetMode: s.setModeName, Approved: s.approvePlan,
	}
	commands := shell.Options{
		Workspace:         ws,
		Environ:           s.Project.CommandEnviron(),
		Keys:              sync.OnceValue(s.Project.SecretVariables),
		Redact:            project.Redaction(s.Project),
		Trusted:           s.Project.IsTrusted,
		InactivityTimeout: time.Duration(config.ShellInactivityTimeout.In(set) * float64(time.Second)),
		Summarizer:        s.outputSummarizer(g),
		Processes:         s.Processes,
		Launcher:          s.Project.Launcher,
		CanReadOn:         func() bool { return s.declares("read_background_output") },
	}
	s.typed, s.template = shell.NewForUser(commands), func(o process.Origin) tool.Tool { return shell.NewForTemplate(commands, o) }
	s.search = web.NewSearch(reach)
	var tools []tool.Tool
	if config.TopicUpdates.In(set) {
		tools = append(tools, topic.New(&s.topic))
	}
	tools = append(
		tools,
		memory.Wrap(file.NewList(ws), s.Memory),
		memory.Wrap(file.NewReadFile(ws), s.Memory),
		search.NewGrep(ws, search.GrepOptions{Ripgrep: s.findRipgrep(), Launcher: s.Project.Launcher}),
		search.NewGlob(ws),
		memory.Wrap(plan.Confine(file.NewReplace(ws, corrector, watched), plans), s.Memory),
		memory.Wrap(plan.Confine(file.NewWrite(ws, corrector), plans), s.Memory),
		web.NewFetch(reach),
		shell.New(commands),
		shell.NewListTool(s.Processes),
		shell.NewReadTool(s.Processes),
		s.search,
	)
	if s.Project.Options.Interactive {
		tools = append(tools, askuser.New())
	}
	if config.WriteTodos.In(set) {
		tools = append(tools, todo.New())
	}
	core := project.ToolSettings(set)
	if config.PlanEnabled.In(set) {
		enter, exit := plan.Tools(plans)
		tools = append(tools, exit)
		if s.Project.Options.Interactive || core.Names(enter.Spec()) { // unattended, no user can approve the plan
			tools = append(tools, enter)
		}
	}
	if agents := s.newAgentTool(g); agents != nil {
		tools = append(tools, agents)
	}
	if config.SaveMemory.In(set) || core.Core != nil { // else models edit the files
		tools = append(tools, savememory.New(s.Project.MemoryFile()))
	}
	if pages := manual.New(docs.Pages); core.Names(pages.Spec()) {
		tools = append(tools, pages)
	}
	return tools
}

// declares reports whether the requests to the current model declare a tool.
func (s *Session) declares(name string) bool {
	model := s.Current().Model
	set := s.registry.Snapshot().Declarations(s.form(model, s.Window(model)))
	return slices.ContainsFunc(set.Functions, func(f llm.FunctionDeclaration) bool { return f.Name == name })
}

// outputSummarizer summarizes long output of commands, nil if the user does not want that.
func (s *Session) outputSummarizer(g llm.Generator) *shell.Summarizer {
	var byTool map[string]*struct{ TokenBudget int }
	if err := config.SummarizeToolOutput.Decode(s.Project.Settings(), &byTool); err != nil {
		s.Project.Warn("Warning: " + err.Error())
	}
	wanted := byTool["run_shell_command"]
	if wanted == nil {
		return nil
	}
	return &shell.Summarizer{Generator: g, ResolveModel: s.models.UtilityConfig, Budget: wanted.TokenBudget}
}

// findRipgrep returns the function that finds the user's rg when the first search
// comes; it returns "" where there is none or the settings do not want it.
func (s *Session) findRipgrep() func() string {
	return sync.OnceValue(func() string {
		if !config.UseRipgrep.In(s.Project.Settings()) {
			return ""
		}
		path := s.Project.FindProgram(s.Workspace, "rg")
		if path == "" {
			s.records.Emit(records.RipgrepMissing{})
		}
		return path
	})
}

// discoverTools returns the tools that a command of the user's lists.
func (s *Session) discoverTools(ctx context.Context) ([]tool.Tool, error) {
	switch {
	case s.Project.LacksCallCommand():
		s.Project.Warn(project.NoCallCommand)
		return nil, nil
	case !s.Project.DiscoversTools():
		return nil, nil
	}
	tools, err := discovered.Discover(ctx, s.Project.Discovery())
	if err != nil {
		return nil, exit.Errorf(exit.Config, "%w", err)
	}
	return tools, nil
}
