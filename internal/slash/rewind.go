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

// The answers to what happens to the conversation after the prompt.
const (
	editInCopy = "Continue in a copy"
	justRewind = "Rewind"
)

// rewind asks for one of the last prompts, and returns to the state of the conversation before it: in a
// new session, so that this one stays as it is, or in this one. The prompt becomes the draft.
func rewind(ctx context.Context, s *Runner, _ string) (Result, error) {
	if len(s.Prompts()) == 0 {
		return textResult("Nothing to rewind to.")
	}
	const stays = "The conversation stays as it is."
	chosen, err := s.choosePrompt(ctx)
	if err != nil || chosen == nil {
		return Result{Text: stays}, err
	}
	how, err := s.chooseRewind(ctx)
	if err != nil {
		return Result{}, err
	}
	prompt := promptText(*chosen)
	text := terminal.Cut(terminal.Line(prompt), 200)
	switch how {
	case editInCopy:
		left, ok := s.Branch(ctx, chosen.ID)
		if !ok {
			return usageError(hasChanged)
		}
		text = "Continuing in a copy of the session, in the state before: " + text + "\nTo return to the session until now: pollux --resume " + left
	case justRewind:
		if !s.Rewind(ctx, chosen.ID) {
			return usageError(hasChanged)
		}
		text = "Rewound to the state before: " + text
	default:
		return textResult(stays)
	}
	return Result{Text: text + "\nTo change this prompt and send it, press Ctrl+G.", Draft: prompt}, nil
}

const hasChanged = "The conversation has changed in the meantime. Try again."

// choosePrompt asks for one of the last prompts. It returns nil if the person chooses none.
func (s *Runner) choosePrompt(ctx context.Context) (*agent.Message, error) {
	const most = 20
	prompts := s.Prompts()
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
	answer, err := s.choose(ctx, "Rewind", "Return to the state before which prompt?\nFiles stay as they are.", "", options...)
	at := slices.IndexFunc(options, func(o tool.Option) bool { return terminal.Line(o.Label) == answer })
	if err != nil || at < 0 {
		return nil, err
	}
	return &shown[at], nil
}

// chooseRewind asks what happens to the conversation after the prompt. It returns "" if nothing does. A
// conversation that is not recorded has no copies.
func (s *Runner) chooseRewind(ctx context.Context) (string, error) {
	if !s.IsRecorded() {
		return justRewind, nil
	}
	return s.choose(ctx, "Rewind", "What happens to this prompt, and to all after it?", "",
		tool.Option{Label: editInCopy, Description: "A new session begins before it. This session stays as it is."},
		tool.Option{Label: justRewind, Description: "This session forgets them."},
	)
}

// promptText returns a prompt as the person wrote it.
func promptText(m agent.Message) string {
	return strings.TrimSpace(cmp.Or(m.Shown, llm.PartsText(m.Content.Parts)))
}
