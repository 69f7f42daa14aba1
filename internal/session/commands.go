package session

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

// PrepareCommand returns the prompt of a call of a custom command, after running its shell commands. The error is [owncalls.ErrRefused] if the user has refused them, and [person.ErrNoPerson] if they need a
// user's approval and there is no user. A prompt without text or media is an error.
func (s *Session) PrepareCommand(ctx context.Context, c *command.Command, call command.Call) (agent.Prompt, error) {
	parts, err := c.Expand(ctx, call, command.Session{
		Workspace: s.Workspace,
		Room:      s.agent.Room,
		Run: func(ctx context.Context, commands []string) ([]string, error) {
			return s.Calls.RunCommands(ctx, call.Name, s.tools.Template(c.Kind.Origin()), commands)
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
