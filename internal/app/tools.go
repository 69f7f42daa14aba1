package app

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"pollux/docs"
	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/memory"
	toolask "pollux/internal/tools/ask"
	"pollux/internal/tools/discovered"
	tooldocs "pollux/internal/tools/docs"
	"pollux/internal/tools/fs"
	toolmemory "pollux/internal/tools/memory"
	"pollux/internal/tools/plan"
	"pollux/internal/tools/search"
	"pollux/internal/tools/shell"
	"pollux/internal/tools/todo"
	"pollux/internal/tools/topic"
	"pollux/internal/tools/web"
	"pollux/llm"
	"pollux/tool"
)

// web is how the web is reached: as the models are.
func (a *App) web(o Options, g llm.Generator) web.Options {
	reach := web.Options{Generator: g, Which: a.configs.Utility, Direct: config.DirectWebFetch.In(o.Settings), FellBack: a.telemetry.WebFetchFellBack}
	if a.models != nil {
		n := a.models.network
		reach.Proxy, reach.NoProxy, reach.RootCAs = n.Proxy, n.NoProxy, n.RootCAs
	}
	return reach
}

// tools are the built-in tools, in the order in which the model sees them.
func (a *App) tools(ctx context.Context, o Options, g llm.Generator, processes *shell.Processes) (*tool.Registry, error) {
	s, ws := o.Settings, a.Workspace
	var corrector fs.Corrector
	if !config.DisableLLMCorrection.In(s) {
		corrector = fs.NewModelCorrector(g, a.configs.Utility)
	}
	ripgrep := sync.OnceValue(func() string {
		if !config.UseRipgrep.In(s) {
			return ""
		}
		path := ripgrep(o, ws)
		if path == "" {
			a.telemetry.NoRipgrep()
		}
		return path
	})
	watched := fs.Watched(fs.EditWatch{Made: a.telemetry.EditMade, Corrected: a.telemetry.EditCorrected})
	reach := a.web(o, g)
	plans := plan.Options{
		Workspace: ws, Dir: a.modes.plans, Interactive: o.Interactive,
		Mode: a.modes.name, SetMode: a.modes.set, Approved: a.modes.approve,
	}
	commands := shell.Options{
		Workspace:         ws,
		Environ:           o.Env.List(),
		Redact:            redaction(o),
		InactivityTimeout: time.Duration(config.ShellInactivityTimeout.In(s) * float64(time.Second)),
		Processes:         processes,
	}
	a.typed = shell.NewTyped(commands)
	var builtin []tool.Tool
	if config.TopicUpdates.In(s) {
		builtin = append(builtin, topic.New(&a.topic))
	}
	builtin = append(
		builtin,
		memory.Wrap(fs.NewList(ws), a.Memory),
		memory.Wrap(fs.NewReadFile(ws), a.Memory),
		search.NewGrep(ws, search.GrepOptions{Ripgrep: ripgrep}),
		search.NewGlob(ws),
		memory.Wrap(plan.Confine(fs.NewReplace(ws, corrector, watched), plans), a.Memory),
		memory.Wrap(plan.Confine(fs.NewWrite(ws, corrector), plans), a.Memory),
		web.NewFetch(reach),
		shell.New(commands),
		shell.NewList(processes),
		shell.NewRead(processes),
	)
	a.searching = web.NewSearch(reach)
	builtin = append(builtin, a.searching)
	if o.Interactive {
		builtin = append(builtin, toolask.New())
	}
	if config.WriteTodos.In(s) {
		builtin = append(builtin, todo.New())
	}
	if config.PlanEnabled.In(s) {
		enter, exit := plan.Tools(plans)
		builtin = append(builtin, exit, enter)
	}
	core := toolSettings(s)
	if config.SaveMemory.In(s) || core.Core != nil { // else models edit the files
		builtin = append(builtin, toolmemory.NewSave(MemoryFile(o)))
	}
	if pages := tooldocs.New(docs.Pages); core.Names(pages.Spec()) {
		builtin = append(builtin, pages)
	}
	builtin = slices.DeleteFunc(builtin, func(t tool.Tool) bool { return !core.Registers(t.Spec()) })
	own, err := ownTools(ctx, o)
	return tool.NewRegistry(slices.Concat(builtin, own, o.Tools)...), err
}

// ownTools are the tools that a command of the user's lists.
func ownTools(ctx context.Context, o Options) ([]tool.Tool, error) {
	if !discovers(o) {
		return nil, nil
	}
	tools, err := discovered.Discover(ctx, discovery(o))
	if err != nil {
		return nil, exit.Errorf(exit.Config, "%w", err)
	}
	return tools, nil
}

// discovers reports whether the user has such a command.
func discovers(o Options) bool { return config.ToolsDiscovery.In(o.Settings) != "" && o.Trusted }

func discovery(o Options) discovered.Options {
	return discovered.Options{
		Discovery: config.ToolsDiscovery.In(o.Settings), Call: config.ToolsCall.In(o.Settings),
		Dir: o.Paths.Dir(), Environ: o.Env.List(),
	}
}

// redaction says which variables commands do not get. Those that the user's own
// providers have their keys from are secrets whatever they are called; the names of
// the others show it.
func redaction(o Options) shell.Redaction {
	r := shell.Redaction{
		Enabled: config.RedactionEnabled.In(o.Settings),
		Allowed: config.RedactionAllowed.In(o.Settings),
		Blocked: config.RedactionBlocked.In(o.Settings),
	}.WithoutSensitive()
	if _, own := o.Settings.Lookup(string(config.ModelProviders)); own && (r.Enabled || len(r.Allowed) > 0) {
		secrets := auth.Secrets(auth.Inputs{Settings: o.Settings, Env: o.Env})
		r.Blocked = append(slices.Clip(r.Blocked), secrets...)
		r.Allowed = slices.DeleteFunc(r.Allowed, func(name string) bool {
			return slices.ContainsFunc(secrets, func(secret string) bool { return strings.EqualFold(name, secret) })
		})
	}
	return r
}
