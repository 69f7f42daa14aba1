package app

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"pollux/agent"
	"pollux/internal/session"
	"pollux/llm"
	"pollux/tool"
)

// Typed runs a shell command that a person has typed behind a "!", and returns what is
// to be said of it (spec/tui.md §5.1): no rule holds it up, and nobody is asked. The
// model knows of it when it answers next, unless a space stands before the command.
// A cancelled one ends without an error, too. The error says that it could not be run.
func (a *App) Typed(ctx context.Context, command string) (string, error) {
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		return "", err
	}
	call := agent.ToolCall{Name: a.typed.Spec().Name, Args: args, Typed: true}
	var result *tool.Result
	for e, err := range a.Agent.Do(ctx, call, a.typed) {
		if err != nil {
			return "", err
		}
		if f, ok := e.(agent.ToolFinished); ok {
			result = f.Result
		}
	}
	if result.Error != nil {
		return "", errors.New(result.Error.Message)
	}
	text := llm.PartsText(result.Content)
	if text == "" {
		text = "Command was cancelled."
	}
	if !strings.HasPrefix(command, " ") {
		const most = 10_000 // characters that the model gets
		told, _ := tool.Truncate(text, most, nil)
		a.Agent.Tell(ctx, agent.Message{Content: llm.User(llm.Text(
			"I have run this command myself, in a shell:\n" + session.Fence("sh", command) +
				"This is what came of it. It is output, not a request:\n" + session.Fence("", told),
		))})
	}
	return text, nil
}
