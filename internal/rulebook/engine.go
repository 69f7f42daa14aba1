package rulebook

import (
	"errors"
	"slices"
	"sync"

	"pollux/internal/config"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/repository"
	"pollux/internal/guard/trust"
	"pollux/internal/mcp"
	"pollux/internal/project"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/proxy"
	"pollux/internal/servers"
	"pollux/internal/terminal"
	"pollux/internal/tools/plan"
	"pollux/internal/workspace"
	"pollux/tool"
)

// EngineOptions are the inputs of the rules by which calls are decided on.
type EngineOptions struct {
	Project   *project.Project
	Workspace *workspace.Workspace
	Plans     *plan.Plans
	// Rules are those of files. FilesOnly leaves out those that settings, flags and extensions stand for.
	Rules     project.Rules
	FilesOnly bool
	// CheckUndo returns why changes that commands make could not be taken back, nil if they can. Without a session it is nil: the
	// rules are those of one whose commands run in the sandbox and can be taken back, where settings and this machine allow that.
	CheckUndo func() error
	// Tools are those of the program, which may read without a question.
	Tools []tool.Tool
}

// NewEngine makes the rules by which calls are decided on, with the built-in ones.
func NewEngine(o EngineOptions) *policy.Engine {
	p, ws, r, settings := o.Project, o.Workspace, o.Rules, o.Project.Settings()
	var more []policy.Rule
	if !o.FilesOnly {
		named := p.ToolSettings()
		p.WarnOfRunners(named.Runners())
		named.AllowedServers, named.ExcludedServers = asConfigured(p, named.AllowedServers), asConfigured(p, named.ExcludedServers)
		more = append(policy.FromSettings(named), p.ExtensionExclusions()...)
		for _, warning := range policy.MatchNothing(more) {
			p.Warn(terminal.Line(warning))
		}
	}
	if o.Plans.HasOwnDir() {
		more = append(more, policy.PlanRule(o.Plans.Dir()))
	}
	if names := readOnly(o.Tools); len(names) > 0 {
		more = append(more, policy.ReadRule(names))
	}
	git := gitChecker(p, ws)
	engine := policy.New(policy.Options{
		Rules:       slices.Concat(r.Rules, more),
		Checkers:    r.Checkers,
		Mode:        p.Mode,
		Interactive: p.Options.Interactive,
		Trust:       p.Trust,
		Dir:         ws.Root(),
		Inside:      ws.Contains,
		Resolve:     ws.Resolve,
		Git:         git.RunsNothing,
		GitEver:     git.RunsNothingEver,
		Runs:        runsFile(p),
		Unconfined: func() error {
			switch {
			case o.CheckUndo == nil && !config.UndoEnabled.In(p.Settings()):
				return errors.New("undo is off (pollux.undo.enabled)")
			case o.CheckUndo == nil:
				return sandbox.Available()
			}
			if err := o.CheckUndo(); err != nil {
				return err
			}
			if !p.Sandbox.IsForAll() {
				return errNoSandbox
			}
			return nil
		},
		PlanDir: o.Plans.Dir,
		BuildFiles: map[string]policy.BuildFiles{
			"always": policy.Protected, "never": policy.Unprotected,
		}[config.BuildFiles.In(settings)],

		DisableYolo:   config.DisableYolo.In(settings),
		DisableAlways: config.DisableAlways.In(settings),
		Permanent:     config.PermanentApproval.In(settings),
		Saved:         r.Saved,
		SaveFirst:     config.SaveApprovalFirst.In(settings),
		Report:        p.Warn,
		Display:       p.DisplayFile,
	})
	p.Sandbox.Govern(r.Sandbox, func() string { return engine.Mode().String() })
	return engine
}

// asConfigured returns names of MCP servers in the case of their configurations, which lists of names need not have.
func asConfigured(p *project.Project, names []string) []string {
	if len(names) == 0 {
		return nil
	}
	configs := servers.Configs(p.WithWarn(nil), p.Settings()) // connecting to the servers warns
	var configured []string
	for _, name := range names {
		found := false
		for i := range configs {
			if mcp.IsSameName(name, configs[i].Name) {
				configured, found = append(configured, configs[i].Name), true
			}
		}
		if !found { // such as "*"
			configured = append(configured, name)
		}
	}
	return configured
}

// errNoSandbox is the error of a session whose sandbox is off.
var errNoSandbox = errors.New("the sandbox is off")

// runsFile returns a function that reports whether a file of the folder is run by hooks, servers or discovery
// commands of the settings, or by the command of a proxy. It looks for these files when it is first called.
func runsFile(p *project.Project) func(path string) bool {
	files := sync.OnceValue(func() map[string]bool {
		found := map[string]bool{}
		for _, path := range trust.Files(p.Settings(), p.Paths.Dir(), p.Env().User().Get(proxy.Variable)) {
			found[path], found[workspace.RealPath(path)] = true, true
		}
		return found
	})
	return func(path string) bool { return files()[path] }
}

// readOnly returns the names of the tools that change nothing.
func readOnly(tools []tool.Tool) []string {
	var names []string
	for _, t := range tools {
		switch spec := t.Spec(); spec.Kind {
		case tool.KindRead, tool.KindSearch, tool.KindThink:
			names = append(names, spec.Name)
		}
	}
	return names
}

// gitChecker returns the checker of the workspace's git repository.
func gitChecker(p *project.Project, ws *workspace.Workspace) *repository.Checker {
	return &repository.Checker{
		Root: ws.Root(), Environ: p.Env().List(), Launcher: p.Launcher,
		Git: sync.OnceValue(func() string { return p.FindProgram(ws, "git") }),
	}
}
