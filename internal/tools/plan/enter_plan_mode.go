package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"pollux/llm"
	"pollux/tool"
)

type enterPlanMode struct {
	tool.ChangesNoFile
	s *session
}

var enterSpec = tool.Spec{
	Name:        "enter_plan_mode",
	DisplayName: "Enter Plan Mode",
	Aliases:     []string{"EnterPlanModeTool"},
	Kind:        tool.KindPlan,
	Serial:      true,
	Description: "Goes into plan mode: from then on you can search and read, but change nothing except a plan, which the user approves before it is " +
		"carried out. Propose it before work that is large, hard to undo, or could be done in ways that differ much. What is small or clear needs no plan.",
	Brief: "Goes into plan mode: you can search and read, and write nothing but a plan, which the user approves before it is carried out. For work that is " +
		"large, hard to undo or open in its design; not where the user wants an answer or a proposal.",
	Schema: json.RawMessage(`{"type":"object","properties":{` +
		`"reason":{"type":"string","description":"Why a plan is worth it, in a sentence for the user."}}}`),
}

func (enterPlanMode) Spec() *tool.Spec { return &enterSpec }

func (t enterPlanMode) Build(raw json.RawMessage) (tool.Invocation, error) {
	var args struct {
		Reason string `json:"reason"`
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, fmt.Errorf("read the reason: %w", err)
	}
	return &enterCall{s: t.s, reason: strings.Join(strings.Fields(args.Reason), " ")}, nil
}

type enterCall struct {
	s      *session
	reason string
}

func (c *enterCall) Summary() string {
	if c.reason == "" {
		return "Go into plan mode"
	}
	return c.reason
}

func (*enterCall) Locations() []tool.Location { return nil }

func (c *enterCall) Confirmation(context.Context) (tool.Confirmation, error) {
	prompt := "Until you approve a plan, only search, reading and the plan itself will be possible."
	if c.reason != "" {
		prompt = c.reason + "\n\n" + prompt
	}
	return &tool.InfoConfirmation{Title: enterSpec.DisplayName, Prompt: prompt}, nil
}

func (c *enterCall) Run(context.Context, tool.Host) *tool.Result {
	dir := c.s.Dir()
	if err := c.s.Workspace.Disk().Mkdir(dir); err != nil {
		return tool.Fail(tool.ErrExecutionFailed, fmt.Sprintf("Plan mode needs the directory %s: %v", dir, err))
	}
	before := c.s.Mode()
	if err := c.s.SetMode("plan"); err != nil {
		return tool.Fail(tool.ErrExecutionFailed, err.Error())
	}
	if before != "plan" {
		c.s.before.Store(&before)
	}
	shown := "Switching to Plan mode"
	if c.reason != "" {
		shown += ": " + c.reason
	}
	return &tool.Result{Content: []llm.Part{llm.Text("Switching to Plan mode. Plans are Markdown files in " + dir + ".")}, Display: tool.TextDisplay(shown)}
}
