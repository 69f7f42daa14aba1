package slash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/terminal"
	"pollux/tool"
)

// earlierPrompts asks for one of the last prompts of this and earlier sessions of the project, those
// that contain text. The prompt becomes the draft.
func earlierPrompts(ctx context.Context, s *Runner, text string) (Result, error) {
	const most, searched = 20, 10_000
	prompts := slices.DeleteFunc(s.Session.PromptLog.Recent(searched), func(prompt string) bool {
		command, _ := cutWord(prompt)
		return command == "/prompts" || !strings.Contains(strings.ToLower(prompt), strings.ToLower(text))
	})
	if len(prompts) == 0 {
		return textResult("No earlier prompts found.")
	}
	prompts = prompts[:min(len(prompts), most)]
	var options []tool.Option
	for i, prompt := range prompts {
		label := terminal.Cut(terminal.Line(prompt), 70)
		if slices.ContainsFunc(options, func(o tool.Option) bool { return o.Label == label }) {
			label += fmt.Sprintf(" (%d)", i+1)
		}
		options = append(options, tool.Option{Label: label})
	}
	answer, err := s.choose(ctx, "Prompts", "Change and send which prompt?", "", options...)
	at := slices.IndexFunc(options, func(o tool.Option) bool { return terminal.Line(o.Label) == answer })
	if err != nil || at < 0 {
		return Result{}, err
	}
	return Result{Text: "To change this prompt and send it, press Ctrl+G.", Draft: prompts[at]}, nil
}
