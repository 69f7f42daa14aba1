package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"pollux/agent"
	"pollux/internal/command"
	"pollux/internal/crash"
	"pollux/internal/exit"
	"pollux/internal/person"
	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/tool"
)

// CommandSources returns the directories of custom commands: the user's, then the project's, then those of
// extensions. A folder that is not trusted has none.
func (s *Session) CommandSources() []command.Source {
	if !s.Project.IsTrusted() {
		return nil
	}
	list := []command.Source{{Kind: command.User, Dir: filepath.Join(s.Project.Paths.GeminiDir(), "commands")}}
	if !s.Project.Paths.AtHome() {
		dir := s.Project.Paths.Dir()
		list = append(list, command.Source{Kind: command.Workspace, Dir: filepath.Join(dir, ".gemini", "commands"), Root: dir})
	}
	return append(list, s.Project.ExtensionCommands()...)
}

// PrepareCommand returns the prompt of a call of a custom command, after running its shell commands. The error is [ErrRefused] if the user has refused them, and [ErrNoPerson] if they need a
// user's approval and there is no user. A prompt without text or media is an error.
func (s *Session) PrepareCommand(ctx context.Context, c *command.Command, call command.Call) (agent.Prompt, error) {
	parts, err := c.Expand(ctx, call, command.Session{
		Workspace: s.Workspace,
		Room:      s.agent.Room,
		Run: func(ctx context.Context, commands []string) ([]string, error) {
			return s.runTemplate(ctx, call.Name, s.tools.Template(c.Kind.Origin()), commands)
		},
		Note: func(text string) { s.Project.Warn("Warning: " + terminal.Line(text)) },
	})
	switch {
	case err != nil:
		return agent.Prompt{}, err
	case isBlank(parts): // services refuse it
		return agent.Prompt{}, exit.Errorf(exit.Input, "Not sent: the prompt of /%s is empty.", call.Name)
	}
	return agent.Prompt{Parts: parts, Shown: call.Line}, nil
}

// isBlank reports whether a message has neither text nor media.
func isBlank(parts []llm.Part) bool {
	return !slices.ContainsFunc(parts, func(p llm.Part) bool { return p.InlineData != nil || strings.TrimSpace(p.Text) != "" })
}

// ErrRefused is the error of a custom command whose shell commands the user has refused, and of a skill that
// the user has refused.
var ErrRefused = errors.New("the user has refused")

// runTemplate runs the shell commands of the custom command name, one after the other, as calls of
// shell. Each passes the gate before the first one runs.
func (s *Session) runTemplate(ctx context.Context, name string, shell tool.Tool, commands []string) ([]string, error) {
	calls, admissions := s.admitTemplate(ctx, name, shell, commands)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for i, a := range admissions {
		if err := s.refusal(name, commands[i], a); err != nil {
			return nil, err
		}
	}
	texts := make([]string, len(commands))
	for i, a := range admissions {
		result := s.runOwn(ctx, calls[i], a)
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
func (s *Session) refusal(name, shell string, a agent.Admission) error {
	switch {
	case a.Run != nil:
		return nil
	case a.Cancelled && s.Project.Options.Asker == nil:
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
		if !s.Project.Options.Interactive {
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

// admitTemplate asks the gate about all shell commands of a custom command at the same time, so that the
// user answers one question about those that need approval.
func (s *Session) admitTemplate(ctx context.Context, name string, shell tool.Tool, commands []string) ([]*agent.ToolCall, []agent.Admission) {
	q := &jointQuestion{ask: s.askAbout(name), undecided: len(commands), asked: make([]*agent.Question, len(commands)), done: make(chan struct{})}
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
			admissions[i] = s.gate.Admit(ctx, calls[i], shell, func(ctx context.Context, one *agent.Question) (tool.Answer, error) {
				return q.wait(ctx, i, one)
			})
			q.decided(ctx, i)
		})
	}
	all.Wait()
	return calls, admissions
}

// askAbout returns the function that asks the user about shell commands of a custom command.
func (s *Session) askAbout(name string) func(context.Context, []*agent.Question) (tool.Answer, error) {
	return func(ctx context.Context, list []*agent.Question) (tool.Answer, error) {
		q := list[0]
		if len(list) > 1 {
			q = agent.JoinQuestions(list, s.join(list))
		}
		q.Details().(*tool.ExecConfirmation).Title = "Confirm Shell Command of /" + name
		return s.approve(ctx, q)
	}
}

// approve asks the user about calls that no run makes.
func (s *Session) approve(ctx context.Context, q *agent.Question) (tool.Answer, error) {
	if s.Project.Options.Asker == nil {
		return tool.Answer{Outcome: tool.Cancel, Unattended: true}, nil
	}
	return s.Project.Options.Asker.Approve(ctx, q)
}
