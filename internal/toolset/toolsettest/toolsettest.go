// Package toolsettest makes the parts that the tools of a session use, for tests of tools without a session.
package toolsettest

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/models"
	"pollux/internal/project"
	"pollux/internal/records"
	"pollux/internal/tools/plan"
	"pollux/internal/tools/shell"
	"pollux/internal/tools/topic"
	"pollux/internal/toolset"
	"pollux/llm"
	"pollux/tool"
)

// Kit is the parts of a project's tools. A test may change them before it opens the tools.
type Kit struct {
	toolset.Parts
	Plans *plan.Plans

	t testing.TB

	mu      sync.Mutex
	records []records.Record
}

// New returns the parts of a project's tools, where g answers all requests to models. If g is nil, there is no model.
func New(t testing.TB, p *project.Project, g llm.Generator) *Kit {
	t.Helper()
	k := &Kit{t: t}
	ws := project.NewWorkspace(p)
	plans, err := plan.Open(ws, p.PlanDirectory(), "first")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := p.ReadPolicies(p.HasAccepted)
	if err != nil {
		t.Fatal(err)
	}
	engine := policy.New(policy.Options{
		Rules: slices.Concat(rules.Rules, policy.FromSettings(p.ToolSettings())), Mode: p.Mode, Interactive: p.Options.Interactive, Trust: p.Trust,
		Dir: ws.Root(), Inside: ws.Contains, Resolve: ws.Resolve,
	})
	processes := shell.NewProcesses(p.Paths.BackgroundLogs())
	t.Cleanup(processes.Close)
	k.Plans = plans
	k.Parts = toolset.Parts{
		Project: p, Models: k.models(p, g), Policy: engine, Registry: tool.NewRegistry(), Workspace: ws, Memory: project.NewMemory(p, ws),
		Processes: processes, Records: records.New(k), Topic: new(topic.Topic),
		Plan: plan.Options{Workspace: ws, Dir: plans.Dir, Interactive: p.Options.Interactive, Then: p.PlanThen(), Mode: func() string { return engine.Mode().String() }},
		Form: func() tool.Form { return tool.Full }, HasOwnAgents: func() bool { return false }, HasOwnSkills: func() bool { return false },
	}
	k.Generator = k.Models
	return k
}

func (k *Kit) models(p *project.Project, g llm.Generator) *models.Directory {
	o := models.Options{Settings: p.Settings(), Requested: p.Model, IsExplicit: p.Named, Warn: p.Warn}
	if g == nil {
		return models.Unavailable(errors.New("no model can be reached"), o)
	}
	m, err := models.ForGenerator(g, o)
	if err != nil {
		k.t.Fatal(err)
	}
	return m
}

// Open opens the tools, and more.
func (k *Kit) Open(more ...tool.Tool) *toolset.Set {
	k.t.Helper()
	s, err := toolset.Open(k.t.Context(), k.Parts, more)
	if err != nil {
		k.t.Fatal(err)
	}
	return s
}

// Gate returns a gate for the calls of these tools.
func (k *Kit) Gate() *guard.Gate {
	return guard.New(guard.Options{Policy: k.Policy, Interactive: k.Project.Options.Interactive, Tool: k.Registry.Lookup, Log: k.Project.Log})
}

// Record implements [records.Sink].
func (k *Kit) Record(r records.Record) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.records = append(k.records, r)
}

// TakeRecords returns the records since the last call.
func (k *Kit) TakeRecords() []records.Record {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := k.records
	k.records = nil
	return list
}
