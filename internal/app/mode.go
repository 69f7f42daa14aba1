package app

import (
	"path/filepath"
	"sync/atomic"

	"pollux/agent/route"
	"pollux/internal/config"
	"pollux/internal/guard/policy"
	"pollux/internal/prompt"
	"pollux/internal/telemetry"
	"pollux/internal/tools/plan"
	"pollux/internal/workspace"
)

// modes is the session's approval mode, and what else changes with it: which
// tools the model sees, and what it is told.
type modes struct {
	engine *policy.Engine
	saved  *policy.Saved
	dir    atomic.Pointer[string] // of the plans
	plan   atomic.Pointer[string]

	// Set when there are any, and before the first prompt.
	told      *prompt.Instruction
	refresh   func()
	telemetry *telemetry.Telemetry
}

// newModes settles where plans go. A directory that may not be is none.
func newModes(o Options, ws *workspace.Workspace, r rules) *modes {
	m := &modes{saved: r.saved}
	setting := config.PlanDirectory.In(o.Settings)
	if err := m.settle(o, ws); err != nil {
		o.Warn("Warning: " + err.Error())
		setting = ""
	}
	m.engine = newPolicy(o, ws, r)
	if setting != "" {
		m.engine = newPolicy(o, ws, r, policy.PlanRule(m.plans()))
	}
	return m
}

// settle says where the plans of a session go.
func (m *modes) settle(o Options, ws *workspace.Workspace) error {
	dir, err := plan.Directory(ws, config.PlanDirectory.In(o.Settings), o.SessionID)
	if err != nil {
		dir = filepath.Join(ws.ProjectTemp(), o.SessionID, "plans")
	}
	m.dir.Store(&dir)
	return err
}

// plans returns the directory of the plans.
func (m *modes) plans() string { return *m.dir.Load() }

// name returns the mode as prompts and protocols have it.
func (m *modes) name() string { return m.engine.Mode().String() }

// set switches the mode by its name.
func (m *modes) set(name string) error {
	before := m.name()
	mode, err := policy.ParseMode(name)
	if err == nil {
		err = m.engine.SetMode(mode)
	}
	if err != nil {
		return err
	}
	m.refresh()
	m.telemetry.Switched(before, m.name())
	return nil
}

// approve notes the plan that is carried out from now on.
func (m *modes) approve(path string) {
	m.plan.Store(&path)
	m.told.Refresh()
	m.telemetry.Planned()
}

// forget does so no longer.
func (m *modes) forget() { m.plan.Store(nil) }

func (m *modes) approved() string {
	if path := m.plan.Load(); path != nil {
		return *path
	}
	return ""
}

// stage tells the router where the session stands with a plan.
func (m *modes) stage() route.Stage {
	switch {
	case m.engine.Mode() == policy.Plan:
		return route.Planning
	case m.approved() != "":
		return route.Implementing
	}
	return route.NoPlan
}
