package compose

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/internal/command"
	"pollux/internal/exit"
	"pollux/internal/terminal"
	"pollux/llm"
)

// CommandSources returns the directories of custom commands: the user's, then the project's, then those of
// extensions. A folder that is not trusted has none.
func (c *Composer) CommandSources() []command.Source {
	p := c.parts.Project
	if !p.IsTrusted() {
		return nil
	}
	list := []command.Source{{Kind: command.User, Dir: filepath.Join(p.Paths.GeminiDir(), "commands")}}
	if !p.Paths.AtHome() {
		dir := p.Paths.Dir()
		list = append(list, command.Source{Kind: command.Workspace, Dir: filepath.Join(dir, ".gemini", "commands"), Root: dir})
	}
	return append(list, p.ExtensionCommands()...)
}

// Command returns the prompt of a call of a custom command, after running its shell commands. The error is
// [owncalls.ErrRefused] if the user has refused them, and [person.ErrNoPerson] if they need a user's approval and there
// is no user. A prompt without text or media is an error.
func (c *Composer) Command(ctx context.Context, of *command.Command, call command.Call) (agent.Prompt, error) {
	parts, err := of.Expand(ctx, call, command.Session{
		Workspace: c.parts.Workspace,
		Room:      c.parts.Agent.Room,
		Run: func(ctx context.Context, commands []string) ([]string, error) {
			return c.parts.Calls.RunCommands(ctx, call.Name, of.Kind.Origin(), commands)
		},
		Note: func(text string) { c.parts.Project.Warn("Warning: " + terminal.Line(text)) },
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

// Skill activates a skill, as a call of activate_skill that passes the gate, and returns a prompt with the instructions
// of the skill and text, which may name files with "@". People see the prompt as line. The error is
// [owncalls.ErrRefused] if the user has refused the skill.
func (c *Composer) Skill(ctx context.Context, name, line, text string) (agent.Prompt, error) {
	parts, err := c.parts.Calls.Activate(ctx, name)
	if err != nil {
		return agent.Prompt{}, err
	}
	p, err := c.Attach(ctx, agent.TextPrompt(text))
	return agent.Prompt{Parts: slices.Concat(parts, p.Parts), Shown: line}, err
}
