// Package owncalls runs tool calls that no model has made: the shell commands of custom commands, a skill that a person
// has named, and the calls of client programs. They pass the same gate as a model's.
package owncalls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"pollux/agent"
	"pollux/internal/crash"
	"pollux/internal/exit"
	"pollux/internal/guard"
	"pollux/internal/models"
	"pollux/internal/person"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/records"
	"pollux/internal/terminal"
	"pollux/internal/tools/activate"
	"pollux/internal/toolset"
	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"

	"github.com/google/uuid"
)

// Parts are the parts of a session that the calls use.
type Parts struct {
	Project   *project.Project
	Models    *models.Directory
	Gate      *guard.Gate
	Tools     *toolset.Set
	Registry  *tool.Registry
	Workspace *workspace.Workspace
	Records   *records.Stream
}

// Calls runs calls for a session.
type Calls struct {
	parts  Parts
	client sync.RWMutex // held by calls of client programs, see [Calls.CallTool]
}

// New returns the calls of a session with these parts.
func New(p Parts) *Calls { return &Calls{parts: p} }

// ErrRefused is the error of a custom command whose shell commands the user has refused, and of a skill that
// the user has refused.
var ErrRefused = errors.New("the user has refused")

// RunCommands runs the shell commands of the custom command name, which an origin has written, one after the other. Each
// passes the gate before the first one runs.
func (c *Calls) RunCommands(ctx context.Context, name string, origin process.Origin, commands []string) ([]string, error) {
	shell := c.parts.Tools.Template(origin)
	calls, admissions := c.admit(ctx, name, shell, commands)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for i, a := range admissions {
		if err := c.refusal(name, commands[i], a); err != nil {
			return nil, err
		}
	}
	texts := make([]string, len(commands))
	for i, a := range admissions {
		result := c.run(ctx, calls[i], a)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case result.Error != nil:
			return nil, exit.Errorf(exit.General, "/%s cannot run \"%s\": %s", name, brief(commands[i]), terminal.Line(result.Error.Message))
		}
		texts[i] = llm.PartsText(result.Content)
	}
	return texts, nil
}

// brief returns a command on one short line.
func brief(shell string) string { return terminal.Cut(terminal.Line(shell), 200) }

// refusal returns why a shell command of a custom command does not run, nil if it may.
func (c *Calls) refusal(name, shell string, a agent.Admission) error {
	switch {
	case a.Run != nil:
		return nil
	case a.Cancelled && c.parts.Project.Options.Asker == nil:
		return needsApproval(name, shell)
	case a.Cancelled:
		return ErrRefused
	}
	reason := a.Record.Result.Error
	switch reason.Type {
	case tool.ErrPolicyViolation:
		why := strings.TrimSpace(strings.TrimPrefix(terminal.Line(reason.Message), "Tool execution denied by policy."))
		return exit.Errorf(exit.General, "%s cannot be run. Blocked command: \"%s\". Reason: %s", name, brief(shell),
			strings.TrimSpace("Blocked by policy. "+why))
	case tool.ErrUnhandled:
		if !c.parts.Project.Options.Interactive {
			return needsApproval(name, shell)
		}
	}
	return exit.Errorf(exit.General, "/%s cannot run \"%s\": %s", name, brief(shell), terminal.Line(reason.Message))
}

// needsApproval returns the error of a shell command that needs a user's approval where there is no user.
// Scripts match the first sentence, which is that of Gemini CLI.
func needsApproval(name, shell string) error {
	return &exit.Error{Code: exit.Input, Err: person.ErrNoPerson, Message: fmt.Sprintf(
		"%s /%s runs \"%s\". To allow it, add a policy rule.", person.ErrNoPerson.Message, name, brief(shell))}
}

// admit asks the gate about all shell commands of a custom command at the same time, so that the
// user answers one question about those that need approval.
func (c *Calls) admit(ctx context.Context, name string, shell tool.Tool, commands []string) ([]*agent.ToolCall, []agent.Admission) {
	q := &jointQuestion{ask: c.askAbout(name), undecided: len(commands), asked: make([]*agent.Question, len(commands)), done: make(chan struct{})}
	calls, admissions := make([]*agent.ToolCall, len(commands)), make([]agent.Admission, len(commands))
	var all sync.WaitGroup
	for i, command := range commands {
		args, err := json.Marshal(map[string]string{"command": command})
		if err != nil { // a string is always valid
			continue
		}
		calls[i] = &agent.ToolCall{ID: shell.Spec().Name + "__" + uuid.NewString(), Name: shell.Spec().Name, Args: args}
		all.Go(func() {
			defer crash.Recover()
			admissions[i] = c.parts.Gate.Admit(ctx, calls[i], shell, func(ctx context.Context, one *agent.Question) (tool.Answer, error) {
				return q.wait(ctx, i, one)
			})
			q.decided(ctx, i)
		})
	}
	all.Wait()
	return calls, admissions
}

// askAbout returns the function that asks the user about shell commands of a custom command.
func (c *Calls) askAbout(name string) func(context.Context, []*agent.Question) (tool.Answer, error) {
	return func(ctx context.Context, list []*agent.Question) (tool.Answer, error) {
		q := list[0]
		if len(list) > 1 {
			q = agent.JoinQuestions(list, c.join(list))
		}
		q.Details().(*tool.ExecConfirmation).Title = "Confirm Shell Command of /" + name
		return c.approve(ctx, q)
	}
}

// approve asks the user about calls that no run makes.
func (c *Calls) approve(ctx context.Context, q *agent.Question) (tool.Answer, error) {
	if c.parts.Project.Options.Asker == nil {
		return tool.Answer{Outcome: tool.Cancel, Unattended: true}, nil
	}
	return c.parts.Project.Options.Asker.Approve(ctx, q)
}

// Activate runs a call of the tool that activates a skill, and returns the instructions for the model. The error is
// [ErrRefused] if the user has refused the skill.
func (c *Calls) Activate(ctx context.Context, name string) ([]llm.Part, error) {
	t, found := c.parts.Registry.Lookup(activate.Name)
	if !found {
		why := strings.TrimSpace("The tool activate_skill is not available. " + c.parts.Tools.WhyHidden(activate.Name))
		return nil, exit.Errorf(exit.General, "Cannot use the skill %q: %s", name, why)
	}
	args, err := json.Marshal(map[string]string{"name": name})
	if err != nil {
		return nil, err
	}
	call := &agent.ToolCall{ID: activate.Name + "__" + uuid.NewString(), Name: activate.Name, Args: args}
	a := c.parts.Gate.Admit(ctx, call, t, c.approve)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case a.Cancelled:
		return nil, ErrRefused
	case a.Run == nil:
		return nil, exit.Errorf(exit.General, "Cannot use the skill %q: %s", name, terminal.Line(a.Record.Result.Error.Message))
	}
	result := c.run(ctx, call, a)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case result.Error != nil:
		return nil, exit.Errorf(exit.General, "%s", terminal.Line(result.Error.Message))
	}
	return result.Content, nil
}
