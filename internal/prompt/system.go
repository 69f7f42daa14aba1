// Package prompt holds what the model is told before it hears from the user:
// the system instruction and the message that describes the place it works in.
//
// The words are product, written as carefully as code: short, because they are
// paid for with every request; each rule is there because models get it wrong
// without. Golden files show what every kind of session is told.
package prompt

import (
	"slices"
	"strings"

	"pollux/llm/catalog"
)

// System is what the system instruction depends on (spec/agent.md §22). The
// same values give the same bytes.
type System struct {
	Interactive bool   // a person reads along and can answer
	Mode        string // approval mode: "default", "autoEdit", "yolo", "plan"
	Model       string // that is told; older ones hear some things twice
	Git         bool   // the project is a git repository
	Hooks       bool   // hooks may add to the conversation
	Sandbox     string // what SANDBOX says: "sandbox-exec", another sandbox, or "" for none

	// Tools are the names of the tools that the model may call. Renamed has the
	// names of those that go by another one than Pollux gave them, by that one.
	Tools   []string
	Renamed map[string]string

	Agents []Agent
	Skills []Skill

	PlanDir string // where plans are written in plan mode
	Plan    string // the file of the plan that the user has approved, if any

	Files  MemoryFiles
	Memory Memory

	// Topic is what the session is about at the moment, for a model whose
	// history does not say so any more. All that follows the system instruction
	// leaves the vendor's cache when it changes: set it when the history is
	// being rewritten anyway.
	Topic string

	// Own is the user's own text in place of Pollux', nil for none.
	Own *Template
	// Env looks up an environment variable: GEMINI_PROMPT_<KEY> set to 0 or
	// false leaves a section out. Nil finds nothing.
	Env func(name string) string
}

// Agent is a subagent that work can be handed to.
type Agent struct{ Name, Description string }

// Skill is a skill that can be activated.
type Skill struct{ Name, Description, Location string }

// MemoryFiles are where the model may note what should outlast the session;
// what is empty is not offered.
type MemoryFiles struct {
	Project string // for all who work on the project
	Private string // for this user and this project
	Global  string // for this user everywhere
}

// section is a part of the system instruction. Its text is empty where it
// does not apply.
type section struct {
	key  string // in the name of the variable that switches it off
	text func(System) string
}

// sections returns all of them, in order.
func sections() []section {
	return []section{
		{"PREAMBLE", preamble},
		{"COREMANDATES", mandates},
		{"AGENTCONTEXTS", agents},
		{"AGENTSKILLS", skills},
		{"HOOKCONTEXT", hooks},
		{"PRIMARYWORKFLOWS", workflow},
		{"PLANNINGWORKFLOW", planning},
		{"TASKTRACKER", tracker},
		{"OPERATIONALGUIDELINES", guidelines},
		{"INTERACTIVEYOLOMODE", yolo},
		{"SANDBOX", sandbox},
		{"GIT", git},
		{"FINALREMINDER", reminder},
	}
}

// Text returns the system instruction: the sections that apply, or the user's
// own text, then what is remembered.
func (s System) Text() string {
	var text string
	if s.Own != nil {
		text = s.Own.fill(s)
	} else {
		var parts []string
		for _, sec := range sections() {
			if s.off(sec.key) {
				continue
			}
			if part := strings.TrimSpace(sec.text(s)); part != "" {
				parts = append(parts, part)
			}
		}
		text = strings.Join(parts, "\n\n")
	}
	text = oneBlankLine(text) + s.Memory.suffix()
	if topic := oneLine(s.Topic); topic != "" {
		text += "\n\n[Active Topic: " + topic + "]"
	}
	return strings.TrimSpace(text)
}

// off reports whether the user has switched a section off.
func (s System) off(key string) bool {
	if s.Env == nil {
		return false
	}
	return isOff(s.Env("GEMINI_PROMPT_" + key))
}

// isOff reports whether a variable's value means no.
func isOff(value string) bool {
	value = strings.TrimSpace(value)
	return value == "0" || strings.EqualFold(value, "false")
}

// legacy reports whether the model is of the older family, which needs to be
// told more.
func (s System) legacy() bool { return !catalog.Modern(s.Model) }

func (s System) planMode() bool { return s.Mode == "plan" }

// shown returns the name that the model knows a tool by, "" if it has no such
// tool.
func (s System) shown(tool string) string {
	if name, ok := s.Renamed[tool]; ok {
		tool = name
	}
	if slices.Contains(s.Tools, tool) {
		return tool
	}
	return ""
}

func (s System) has(tool string) bool { return s.shown(tool) != "" }

// canEdit reports whether the model has a tool that changes files.
func (s System) canEdit() bool { return s.has("replace") || s.has("write_file") }

// canAct reports whether the model may do more than look and plan.
func (s System) canAct() bool {
	return !s.planMode() && (s.canEdit() || s.has("run_shell_command"))
}

// hasAgent reports whether work can be handed to this subagent.
func (s System) hasAgent(name string) bool {
	return s.has("invoke_agent") && slices.ContainsFunc(s.Agents, func(a Agent) bool { return a.Name == name })
}

// say returns the first of these texts that speaks of no tool which the model
// does not have, "" if there is none. A text names a tool as {read_file}. All
// texts that name tools go through here.
func (s System) say(alternatives ...string) string {
	for _, text := range alternatives {
		if said, ok := s.name(text); ok {
			return said
		}
	}
	return ""
}

func (s System) name(text string) (said string, ok bool) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		tool, after, _ := strings.Cut(rest, "}")
		shown := s.shown(tool)
		if shown == "" {
			return "", false
		}
		b.WriteString("`" + shown + "`")
		text = after
	}
}
