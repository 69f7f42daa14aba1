// Package prompt contains the texts that the model gets before the user's first message: the
// system instruction and the description of the environment.
//
// The texts are part of the product and written as carefully as code. They are short, because
// every request pays for them, and each rule is there because models make mistakes without it.
// Golden files show the text of every kind of session.
package prompt

import (
	"slices"
	"strings"

	"pollux/tool"
)

// System contains the values that the system instruction depends on. Equal values result in
// equal bytes.
type System struct {
	Interactive bool   // a user reads the output and can answer
	IsSubagent  bool   // the caller reads a result that is returned with a tool, not the text
	Mode        string // approval mode: "default", "autoEdit", "yolo", "plan"
	// Form is that of the tools' declarations: older models, which get them in full, get some
	// rules twice; a model with little room gets only the most important rules.
	Form    tool.Form
	Git     bool   // the project is a git repository
	Hooks   bool   // hooks may add to the conversation
	Sandbox string // value of SANDBOX: "sandbox-exec", another sandbox, or "" for none; or OwnSandbox

	// Tools are the names of the tools that the model may call. Renamed maps Pollux's names of
	// tools to the names that the model knows them by, if they differ.
	Tools   []string
	Renamed map[string]string

	Agents []Agent
	Skills []Skill

	Output OutputAdvice

	PlanDir string // directory for plans in plan mode
	Plan    string // file of the plan that the user has approved, "" if there is none

	Files  MemoryFiles
	Memory Memory

	// Topic is the current topic of the session, for a model whose history no longer contains
	// it. A change invalidates the vendor's cache of everything after the system instruction:
	// set it only when the history is rewritten anyway.
	Topic string

	// Own is the user's own text, which replaces the sections; nil if there is none.
	Own *Template
	// Env returns the value of an environment variable; nil means that none is set.
	// GEMINI_PROMPT_<KEY> set to 0 or false leaves a section out.
	Env func(name string) string
}

// OutputAdvice selects the models whose instruction asks for commands with little output.
type OutputAdvice int

const (
	// AdviseOlder selects older models.
	AdviseOlder OutputAdvice = iota
	// AdviseAll selects all models.
	AdviseAll
	// AdviseNone selects no model.
	AdviseNone
)

// Agent is a subagent that the model can delegate work to.
type Agent struct{ Name, Description string }

// Skill is a skill that the model can activate.
type Skill struct{ Name, Description, Location string }

// MemoryFiles are the files in which the model may note things that should outlast the
// session. Empty ones are not offered.
type MemoryFiles struct {
	Project string // for all users who work on the project
	Private string // for this user and this project
	Global  string // for this user everywhere
}

// section is a part of the system instruction. Its text is empty if it does not apply.
type section struct {
	key  string // last part of the name of the variable that disables it
	text func(System) string
}

// sections returns all sections in order.
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

// Text returns the system instruction: the sections that apply or the user's own text,
// followed by the memory.
func (s System) Text() string {
	var text string
	if s.Own != nil {
		text = s.Own.fill(s)
	} else {
		var parts []string
		for _, sec := range sections() {
			if !s.isDisabled(sec.key) {
				parts = append(parts, strings.TrimSpace(sec.text(s)))
			}
		}
		text = strings.Join(filled(parts), "\n\n")
	}
	text = oneBlankLine(text) + s.Memory.suffix()
	if topic := oneLine(s.Topic); topic != "" {
		text += "\n\n[Active Topic: " + topic + "]"
	}
	return strings.TrimSpace(text)
}

// isDisabled reports whether the user has disabled a section.
func (s System) isDisabled(key string) bool {
	if s.Env == nil {
		return false
	}
	return isOff(s.Env("GEMINI_PROMPT_"+key)) || key == "PRIMARYWORKFLOWS" && isOff(s.Env("GEMINI_PROMPT_"+key+s.variant()))
}

// variant returns the end of the name that older versions of Gemini CLI give the workflows for what the model has.
func (s System) variant() string {
	investigates, plans := s.hasAgent("codebase_investigator"), s.has("write_todos")
	switch {
	case investigates && plans:
		return "_PREFIX_CI_TODO"
	case investigates:
		return "_PREFIX_CI"
	case plans:
		return "_TODO"
	}
	return "_PREFIX"
}

// isOff reports whether the value of a variable means "no".
func isOff(value string) bool {
	value = strings.TrimSpace(value)
	return value == "0" || strings.EqualFold(value, "false")
}

// isLegacy reports whether the model belongs to the older family, which needs more instructions.
func (s System) isLegacy() bool { return s.Form == tool.Full }

func (s System) isCompact() bool { return s.Form == tool.Compact }

func (s System) isPlanMode() bool { return s.Mode == "plan" }

// toolName returns the name that the model knows a tool by, "" if the model does not have it.
func (s System) toolName(tool string) string {
	if name, ok := s.Renamed[tool]; ok {
		tool = name
	}
	if slices.Contains(s.Tools, tool) {
		return tool
	}
	return ""
}

func (s System) has(tool string) bool { return s.toolName(tool) != "" }

// canEdit reports whether the model has a tool that changes files.
func (s System) canEdit() bool { return s.has("replace") || s.has("write_file") }

// canAct reports whether the model may do more than read and plan.
func (s System) canAct() bool {
	return !s.isPlanMode() && (s.canEdit() || s.has("run_shell_command"))
}

// hasAgent reports whether the model can delegate work to this subagent.
func (s System) hasAgent(name string) bool {
	return s.has("invoke_agent") && slices.ContainsFunc(s.Agents, func(a Agent) bool { return a.Name == name })
}

// say returns the first of the texts that mentions only tools the model has, "" if there is
// none. A text mentions a tool as {read_file}. All texts that mention tools must use it.
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
		shown := s.toolName(tool)
		if shown == "" {
			return "", false
		}
		b.WriteString("`" + shown + "`")
		text = after
	}
}
