package app

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/prompt"
	"pollux/internal/tools/web"
	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/provider"
	"pollux/tool"
)

// What a person does to a session between two prompts. Only what says so may be
// called while a run is in progress.

// SessionID returns the session's id. It may be called during a run.
func (a *App) SessionID() string { return a.state().id }

// Age returns how long ago the session began. It may be called during a run.
func (a *App) Age() time.Duration { return time.Since(a.state().began) }

// Model returns the name that requests have for the model that answers. It may be
// called during a run.
func (a *App) Model() string { return a.state().model }

// Auth returns whose model that is; zero where answers are played from a file. It may
// be called during a run.
func (a *App) Auth() auth.Account { return a.state().account }

// now is what changes between prompts, and may be looked at meanwhile.
type now struct {
	id      string // of the session
	began   time.Time
	model   string
	account auth.Account
}

func (a *App) state() now {
	if n := a.now.Load(); n != nil {
		return *n
	}
	return now{}
}

// change changes it. Only one goroutine does so at a time.
func (a *App) change(f func(n *now)) {
	n := a.state()
	f(&n)
	a.now.Store(&n)
}

// Reachable says why no model can be asked, nil if one can.
func (a *App) Reachable() error { return a.options.Unreachable }

// Mode returns the approval mode. It may be called during a run.
func (a *App) Mode() policy.Mode { return a.modes.engine.Mode() }

// SetMode switches the approval mode, for the next call of a tool. It may be called
// during a run. The error says why the mode cannot be switched to.
func (a *App) SetMode(m policy.Mode) error {
	if m == policy.Plan && !config.PlanEnabled.In(a.options.Settings) {
		return exit.Errorf(exit.Config, "Plan mode is disabled in your settings: set general.plan.enabled to true.")
	}
	return a.modes.set(m.String())
}

// Trusted reports whether the session treats its folder as a trusted one. It may be
// called during a run.
func (a *App) Trusted() bool { return a.modes.engine.Trusted() }

// SetTrusted treats the folder as a trusted one from now on, or no longer: its
// instructions, what may be allowed for longer than a call, the approval modes. What
// was read of it at the start, its settings and what they bring about, stays as it is.
func (a *App) SetTrusted(trusted bool) {
	if !trusted && a.Mode() != policy.Default {
		_ = a.modes.set(policy.Default.String()) // which is never refused
	}
	a.modes.engine.SetTrusted(trusted)
	a.Memory.SetTrusted(trusted)
	a.ReloadMemory()
	a.refresh()
}

// Plan returns the path of the plan that was approved last, "" if none was.
func (a *App) Plan() string { return a.modes.approved() }

// Rules returns the rules by which calls of tools are decided, in the order in
// which they are tried. It may be called during a run.
func (a *App) Rules() []policy.Rule { return a.modes.engine.Rules() }

// CanRemember reports whether a person's answer may hold for more than one call. It
// may be called during a run.
func (a *App) CanRemember() bool { return a.modes.engine.CanRemember() }

// Tools returns what the model may call now. It may be called during a run.
func (a *App) Tools() []*tool.Spec {
	var specs []*tool.Spec
	for _, t := range a.registry.Active() {
		specs = append(specs, t.Spec())
	}
	return specs
}

// hidden says which tools the model does not see: those that no call of could pass,
// the way out of plan mode outside of it, and the search where nobody searches for the
// model.
func (a *App) hidden(s *tool.Spec) bool {
	if s.Name == "exit_plan_mode" && a.modes.engine.Mode() != policy.Plan {
		return true
	}
	if s == a.searching.Spec() && !a.hosts(a.Model()) && !web.CanSearch(a.configs.Utility) {
		return true
	}
	return a.modes.engine.Hidden(s)
}

// refresh lets the model see what has changed of its tools and of what it is told.
func (a *App) refresh() {
	a.registry.Hide(a.hidden)
	a.told.Refresh()
	a.Agent.RefreshTools()
}

// SetModel makes another model answer from the next prompt on, by any name that
// --model takes, and returns the name in requests. The errors are those of a start
// with that model; then the old one stays.
func (a *App) SetModel(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return "", exit.Errorf(exit.Input, "There is no model without a name.")
	}
	if err := a.options.Unreachable; err != nil {
		return "", err
	}
	if err := a.models.knows(name); err != nil {
		return "", err
	}
	account := a.Auth()
	a.choosing.Store(true) // else "flash" would be a question of our own
	a.configs.Forget()
	outward, err := a.configs.Model(name)
	if err == nil && a.models != nil {
		var found *model
		if found, err = a.models.find(outward); err == nil {
			account = found.account
		}
	}
	a.choosing.Store(false)
	a.configs.Forget()
	if err != nil {
		return "", err
	}
	a.change(func(n *now) { n.model, n.account = outward, account })
	a.telemetry.ModelSet(outward)
	a.options.Model, a.options.Named = name, true
	a.Agent.SetModel(outward)
	if a.Fallback != nil {
		a.Fallback.Reset()
	}
	a.refresh()
	return outward, nil
}

// Window returns how many tokens a model takes, 0 if nobody knows.
func (a *App) Window(model string) int { return a.describe(model).Input }

// Known returns the models that the session's providers are known to have, by the
// names that [App.SetModel] takes. Nobody is asked.
func (a *App) Known() []catalog.Model {
	if a.models == nil {
		return nil
	}
	var known []catalog.Model
	own := a.Auth().As
	for _, account := range a.models.accounts.Reachable() {
		for m := range catalog.Models(account.ID) {
			if account.As != own {
				m.Name = account.As + "/" + m.Name
			}
			known = append(known, m)
		}
	}
	return known
}

// Clear begins another conversation: with an id of its own, and nothing of what was
// said, counted, remembered of subdirectories or planned. The approval mode, the
// model, the directories and what runs in the background stay.
func (a *App) Clear(id string) {
	a.options.SessionID = id
	a.change(func(n *now) { n.id, n.began = id, time.Now() })
	a.Stats.Reset()
	a.topic.Reset()
	a.modes.forget()
	_ = a.modes.settle(a.options, a.Workspace) // what is wrong was said at the start
	a.Memory.Reload()
	if a.models != nil {
		a.models.renew(id)
	}
	a.refresh()
	a.Agent.Restart(id, []agent.Message{opening(a.options, a.Workspace, a.Memory)})
}

// AddDirectory makes a directory part of the workspace, and tells the model what is
// there. It returns its path, absolute and without links, and whether it is new.
func (a *App) AddDirectory(ctx context.Context, dir string) (path string, added bool, err error) {
	path, added, err = a.Workspace.Add(dir)
	if err != nil || !added {
		return path, false, err
	}
	tree := ""
	if config.IncludeDirectoryTree.In(a.options.Settings) {
		tree = a.Workspace.TreeOf(path)
	}
	text := prompt.Joined(path, tree) + a.Memory.Discover(path)
	a.Agent.Tell(ctx, agent.Message{Content: llm.User(llm.Text(text))})
	return path, true, nil
}

// ReloadMemory reads the memory files anew, and tells the model what has changed.
func (a *App) ReloadMemory() {
	before := a.Memory.Texts()
	a.Memory.Reload()
	now := a.Memory.Texts()
	if now == before {
		return // what the vendor has cached stays good
	}
	a.told.Refresh()
	if now.Extension != before.Extension || now.Project != before.Project {
		a.Agent.Reopen([]agent.Message{opening(a.options, a.Workspace, a.Memory)})
	}
}

// MemoryFile returns the user's own memory file, for all projects.
func (a *App) MemoryFile() string { return MemoryFile(a.options) }

// ProjectMemoryFile returns the memory file of the project's directory, which need
// not be there.
func (a *App) ProjectMemoryFile() string {
	return filepath.Join(a.Workspace.Root(), memoryNames(a.options.Settings)[0])
}

// knows says that a name's provider is none, nil if it is one or the name has none.
func (m *models) knows(name string) error {
	head, _, slash := strings.Cut(name, "/")
	if m == nil || !slash || m.accounts.Names(name) || slices.Contains([]string{"models", "tunedModels", "publishers", "projects"}, head) {
		return nil
	}
	def, err := m.accounts.Default()
	if err != nil || def.Router || def.Elsewhere() || def.Gateway {
		return err // there such a name is a model's
	}
	var ids []string
	for _, account := range m.accounts.Reachable() {
		ids = append(ids, account.As)
	}
	return exit.Errorf(exit.Input, "No provider is named %q. Those you have set up: %s.", head, strings.Join(ids, ", "))
}

// renew makes the next requests those of another session. Whose a model is stays as
// it was found out: its name alone may mean another vendor's.
func (m *models) renew(id string) {
	m.mu.Lock()
	old := m.names
	m.network.Session = id
	m.names, m.clients = map[string]*model{}, map[string]*provider.Client{}
	m.mu.Unlock()
	for name, known := range old {
		if _, err := m.add(name, known.account, known.name); err != nil {
			m.mu.Lock()
			m.names[name] = known
			m.mu.Unlock()
		}
	}
}
