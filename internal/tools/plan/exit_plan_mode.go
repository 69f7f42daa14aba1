package plan

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"pollux/llm"
	"pollux/tool"
)

type exitPlanMode struct {
	tool.ChangesNoFile
	s *session
}

var exitSpec = tool.Spec{
	Name:        "exit_plan_mode",
	DisplayName: "Exit Plan Mode",
	Aliases:     []string{"ExitPlanModeTool"},
	Kind:        tool.KindPlan,
	Serial:      true,
	Description: "Shows the user the plan that you have written and asks to carry it out. Call it once the plan is whole; do not ask for approval in " +
		"text. If the user wants it otherwise, you learn what: change the same file and call again. Not for questions that need no plan.",
	Schema: json.RawMessage(`{"type":"object","properties":{` +
		`"plan_filename":{"type":"string","description":"The file of the plan, in the plans directory: its name or its path."}` +
		`},"required":["plan_filename"]}`),
}

func (exitPlanMode) Spec() *tool.Spec { return &exitSpec }

func (t exitPlanMode) Build(raw json.RawMessage) (tool.Invocation, error) {
	var args struct {
		Name string `json:"plan_filename"`
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, fmt.Errorf("read the file name: %w", err)
	}
	if strings.TrimSpace(args.Name) == "" {
		//lint:ignore ST1005 the model reads it as a sentence
		return nil, errors.New("The 'plan_filename' parameter must be non-empty.")
	}
	if strings.Contains(args.Name, "\n") {
		//lint:ignore ST1005 the model reads it as sentences
		return nil, fmt.Errorf("plan_filename is the name of a file, not the plan. Write the plan to %s/<short-name>.md, then call again with that name.", t.s.Dir())
	}
	path, err := t.s.file(args.Name)
	if err != nil {
		return nil, err
	}
	return &exitCall{s: t.s, path: path}, nil
}

type exitCall struct {
	s    *session
	path string
	// shown is the plan in the question to the user; "" without a question.
	shown string
	reply *tool.Reply
}

var _ tool.Answerable = (*exitCall)(nil)

func (c *exitCall) Summary() string {
	return "Requesting plan approval for: " + filepath.Base(c.path)
}

func (c *exitCall) Locations() []tool.Location { return []tool.Location{{Path: c.path}} }

func (c *exitCall) Confirmation(context.Context) (tool.Confirmation, error) {
	plan, problem := c.s.read(c.path)
	if problem != "" {
		return nil, nil // Run reports the error
	}
	c.shown = plan
	return &tool.PlanConfirmation{Title: "Plan Approval", Path: c.path, Plan: plan}, nil
}

// Answer implements [tool.Answerable].
func (c *exitCall) Answer(r tool.Reply) { c.reply = &r }

func (c *exitCall) Run(context.Context, tool.Host) *tool.Result {
	plan, problem := c.s.read(c.path)
	if problem != "" {
		return result(problem, "Error: Invalid plan")
	}
	if c.reply != nil && !c.reply.Approved {
		return c.rejected()
	}
	if c.shown != "" && c.shown != plan {
		return result("The plan in "+c.path+" was changed after it was shown for approval. Read it and ask again.", "The plan was changed while it was looked at.")
	}
	if c.targetMode() == modePlan {
		r := result("The plan is complete. No user can approve it, so the run ends with it.", "Plan: "+c.path)
		r.Answer = plan
		if c.s.Answered != nil {
			c.s.Answered(c.path)
		}
		return r
	}
	mode, err := c.leave()
	if err != nil {
		return tool.Fail(tool.ErrExecutionFailed, err.Error())
	}
	if c.s.Approved != nil {
		c.s.Approved(c.path)
	}
	next := "Read it, and carry it out as it says."
	if c.s.Written.is(c.path, plan) {
		next = "It is as you wrote it: carry it out without reading it again."
	}
	return result(fmt.Sprintf("Plan approved. Switching to %s.\n\nThe approved plan is in %s.\n%s", describe(mode), c.path, next),
		"Plan approved: "+c.path)
}

func (c *exitCall) rejected() *tool.Result {
	revise := "\n\nThe plan is still in " + c.path + "."
	if feedback := strings.TrimSpace(c.reply.Feedback); feedback != "" {
		return result("Plan rejected. User feedback: "+feedback+revise+" Change it accordingly.", "Feedback: "+feedback)
	}
	return result("Plan rejected. No feedback provided."+revise+" Ask the user what it should be.", "Rejected")
}

// leave switches to the mode for carrying out the plan.
func (c *exitCall) leave() (mode string, err error) {
	mode = c.targetMode()
	err = c.s.SetMode(mode)
	if err != nil && mode != modeDefault && c.reply == nil {
		// No user has requested a more permissive mode.
		mode = modeDefault
		err = c.s.SetMode(mode)
	}
	if err == nil {
		c.s.before.Store(nil)
	}
	return mode, err
}

// The modes in which a plan can be carried out.
const (
	modePlan     = "plan"
	modeDefault  = "default"
	modeAutoEdit = "autoEdit"
	modeYolo     = "yolo"
)

// targetMode returns the mode for carrying out the plan. If there is a user, they decide.
// Otherwise, if the session started in plan mode, the plan is to be carried out without
// asking. If the model entered plan mode by itself, it returns to the previous mode, because
// plan mode must not be a way to get more permissions.
func (c *exitCall) targetMode() string {
	switch {
	case c.reply != nil:
		switch c.reply.Mode {
		case modeYolo, modeAutoEdit:
			return c.reply.Mode
		case "auto_edit": // as written in flags and settings
			return modeAutoEdit
		}
		return modeDefault
	case c.shown != "" || c.s.Interactive:
		return modeDefault
	}
	if before := c.s.before.Load(); before != nil {
		return *before
	}
	return cmp.Or(c.s.Then, modePlan)
}

func describe(mode string) string {
	switch mode {
	case modeAutoEdit:
		return "Auto-Edit mode (edits are made without asking)"
	case modeYolo:
		return "YOLO mode (everything is done without asking)"
	}
	return "Default mode (changes need approval)"
}

func result(text, shown string) *tool.Result {
	return &tool.Result{Content: []llm.Part{llm.Text(text)}, Display: tool.TextDisplay(shown)}
}
