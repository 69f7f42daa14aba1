// Package toolset has the tools of a session: Pollux's own, those that a command of the user lists, and those of the
// program. It decides which of them a model sees, and explains why the others are hidden.
package toolset

import (
	"context"
	"slices"

	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/memory"
	"pollux/internal/models"
	"pollux/internal/project"
	"pollux/internal/records"
	"pollux/internal/tools/file"
	"pollux/internal/tools/plan"
	"pollux/internal/tools/shell"
	"pollux/internal/tools/topic"
	"pollux/internal/tools/web"
	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

// Parts are the parts of a session that its tools use. The registry is empty.
type Parts struct {
	Project   *project.Project
	Models    *models.Directory
	Generator llm.Generator
	Policy    *policy.Engine
	Registry  *tool.Registry
	Workspace *workspace.Workspace
	Memory    *memory.Memory
	Processes *shell.Processes
	Records   *records.Stream
	Topic     *topic.Topic
	// Seen has the files that models have seen, nil if edits do not check that.
	Seen *file.Seen
	Plan plan.Options
	// Agents is the tool with which the model calls subagents, nil if the settings disable them.
	Agents tool.Tool
	// Form returns the form in which the current model gets the tools.
	Form func() tool.Form
	// HasOwnAgents and HasOwnSkills report whether there are others than those of Pollux.
	HasOwnAgents, HasOwnSkills func() bool
}

// declares reports whether the requests to the current model declare a tool.
func (p *Parts) declares(name string) bool {
	set := p.Registry.Snapshot().Declarations(p.Form())
	return slices.ContainsFunc(set.Functions, func(f llm.FunctionDeclaration) bool { return f.Name == name })
}

// Set is the tools of a session.
type Set struct {
	Builtin
	parts  Parts
	absent map[string]string // why tools are not in the registry, by name
}

// Open registers the tools, in the order in which the model sees them: the built-in ones that the settings permit, those
// that a command of the user lists, and more.
func Open(ctx context.Context, p Parts, more []tool.Tool) (*Set, error) {
	s := &Set{Builtin: NewBuiltin(p), parts: p, absent: absentTools(p.Project)}
	core := project.ToolSettings(p.Project.Settings())
	s.Tools = slices.DeleteFunc(s.Tools, func(t tool.Tool) bool {
		spec := t.Spec()
		if core.Registers(spec) {
			return false
		}
		for _, name := range append([]string{spec.Name}, spec.Aliases...) {
			s.absent[name] = NotCore
		}
		return true
	})
	discovered, err := discover(ctx, p.Project)
	if err != nil {
		return nil, err
	}
	p.Registry.Add("", slices.Concat(s.Tools, discovered, more)...)
	p.Registry.Hide(func(t tool.Tool) bool { return s.Hides(t, "") })
	return s, nil
}

// Spare leaves tools out of the declarations of a registry: update_topic if no user sees the topic and, in the compact
// form, all that are not for everyday work.
func (s *Set) Spare(r *tool.Registry) { r.Spare(s.spares()) }

// SetAbsent sets why the session does not have a tool, as sentences.
func (s *Set) SetAbsent(name, why string) { s.absent[name] = why }

// IsAbsent reports whether the session does not have a tool of Pollux.
func (s *Set) IsAbsent(name string) bool { return s.absent[name] != "" }

// Hides reports whether a tool is hidden from the model of a subagent, "" for the main agent: the policy denies all its calls,
// it ends plan mode and the session is not in plan mode, or it searches the web and no
// provider can do that.
func (s *Set) Hides(t tool.Tool, subagent string) bool {
	return s.isOutsidePlan(t.Spec()) || s.isUnableToSearch(t.Spec()) || guard.Hidden(s.parts.Policy, t, subagent)
}

func (s *Set) isOutsidePlan(spec *tool.Spec) bool {
	return spec.Name == "exit_plan_mode" && s.parts.Policy.Mode() != policy.Plan
}

func (s *Set) isUnableToSearch(spec *tool.Spec) bool {
	return spec == s.Search.Spec() && !s.parts.Models.CanSearchWeb(s.parts.Models.Current().Model) && !web.CanSearch(s.parts.Models.UtilityConfig)
}

// WhyHidden returns why the model does not see a tool, as sentences, "" if there is no
// such tool.
func (s *Set) WhyHidden(name string) string {
	t, found := s.parts.Registry.Hidden(name)
	if !found {
		return s.absent[name]
	}
	return s.WhyToolHidden(t, "")
}

// WhyToolHidden returns why the model of a subagent, "" for the main agent, does not see a tool.
func (s *Set) WhyToolHidden(t tool.Tool, subagent string) string {
	switch {
	case s.isOutsidePlan(t.Spec()):
		return "The session is not in plan mode."
	case s.isUnableToSearch(t.Spec()):
		return "No provider of this session can search the web."
	}
	return guard.HiddenReason(s.parts.Policy, t, subagent)
}
