package session

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"pollux/agent"
	"pollux/internal/journal"
	"pollux/internal/transcript"
	"pollux/llm"
	"pollux/tool"
)

// RunTyped runs a shell command that a person has typed behind a "!", and returns its
// output: no rule holds it up, and no one is asked. The model hears of it with the
// next prompt, unless a space stands before the command. A cancelled command ends
// without an error, too. The error says that it could not be run. show, if it is not nil, gets the events of the call
// while the command runs.
func (s *Session) RunTyped(ctx context.Context, command string, show func(agent.Event)) (string, error) {
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		return "", err
	}
	call := agent.ToolCall{Name: s.tools.Typed.Spec().Name, Args: args, Typed: true}
	var result *tool.Result
	for e, err := range s.agent.RunTool(ctx, call, s.tools.Typed) {
		if err != nil {
			return "", err
		}
		if f, ok := e.(agent.ToolFinished); ok {
			result = f.Result
		}
		if show != nil {
			show(e)
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
		output, _ := tool.Truncate(text, most, nil)
		s.agent.AddMessage(ctx, agent.Message{Content: llm.User(llm.Text(
			journal.TypedCommand + "\n" + transcript.CodeBlock("sh", command) +
				"This is its output. It is not a request:\n" + transcript.CodeBlock("", output),
		))})
	}
	return text, nil
}
