package slash

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/tool"
)

// rewind asks for one of the last prompts, and returns to the state of the conversation before it. The
// prompt becomes the draft.
func rewind(ctx context.Context, s *Runner, _ string) (Result, error) {
	const most = 20
	prompts := s.Prompts()
	if len(prompts) == 0 {
		return textResult("Nothing to rewind to.")
	}
	shown := prompts[max(0, len(prompts)-most):]
	slices.Reverse(shown)
	var options []tool.Option
	for i, m := range shown {
		label := terminal.Cut(terminal.Line(promptText(m)), 60)
		if slices.ContainsFunc(options, func(o tool.Option) bool { return o.Label == label }) {
			label += fmt.Sprintf(" (prompt %d)", len(prompts)-i)
		}
		options = append(options, tool.Option{Label: label, Description: m.Time.Local().Format("15:04:05")})
	}
	text := "Return to the state before which prompt?\nThe conversation forgets it and all after it. Files stay as they are."
	answer, err := s.choose(ctx, "Rewind", text, "", options...)
	at := slices.IndexFunc(options, func(o tool.Option) bool { return terminal.Line(o.Label) == answer })
	if err != nil || at < 0 {
		return Result{Text: "The conversation stays as it is."}, err
	}
	chosen := shown[at]
	if !s.Rewind(ctx, chosen.ID) {
		return usageError("The conversation has changed in the meantime. Try again.")
	}
	prompt := promptText(chosen)
	return Result{
		Text:  "Rewound to the state before: " + terminal.Cut(terminal.Line(prompt), 200) + "\nTo change this prompt and send it, press Ctrl+G.",
		Draft: prompt,
	}, nil
}

// promptText returns a prompt as the person wrote it.
func promptText(m agent.Message) string {
	return strings.TrimSpace(cmp.Or(m.Shown, llm.PartsText(m.Content.Parts)))
}
