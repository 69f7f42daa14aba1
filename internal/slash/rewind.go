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
	justRevert = "Revert files only"
)

const stays = "The conversation stays as it is."

// rewind asks for one of the last prompts, and returns to the state of the conversation before it: in a
// new session, so that this one stays as it is, or in this one. The prompt becomes the draft. If tools
// have changed files since, it offers to undo that.
func rewind(ctx context.Context, s *Runner, _ string) (Result, error) {
	if len(s.Session.Prompts()) == 0 {
		return textResult("Nothing to rewind to.")
	}
	chosen, err := s.choosePrompt(ctx)
	if err != nil || chosen == nil {
		return Result{Text: stays}, err
	}
	files, isPartial := s.Session.Changes.PlanUndo(ctx, chosen.ID)
	how, err := s.chooseRewind(ctx, canRevert(files))
	if err != nil || how == "" {
		return Result{Text: stays}, err
	}
	reverts, err := s.confirmRevert(ctx, files, isPartial)
	if err != nil {
		return Result{}, err
	}
	var paths []string
	text := ""
	if reverts { // before the conversation forgets what there is to revert
		paths, text = s.revertFiles(ctx, files)
	}
	if how == justRevert {
		if len(paths) > 0 {
			s.Session.TellUndone(ctx, paths)
		}
		return Result{Text: cmp.Or(text, "Files stay as they are.")}, nil
	}
	r, err := s.rewindTo(ctx, *chosen, how)
	if text != "" {
		r.Text = text + "\n" + r.Text
	}
	return r, err
}

// rewindTo returns to the state of the conversation before a prompt, which becomes the draft.
func (s *Runner) rewindTo(ctx context.Context, chosen agent.Message, how string) (Result, error) {
	prompt := promptText(chosen)
	text := terminal.Cut(terminal.Line(prompt), 200)
	switch how {
	case editInCopy:
		left, ok := s.Session.Branch(ctx, chosen.ID)
		if !ok {
			return usageError(hasChanged)
		}
		text = "Continuing in a copy of the session, in the state before: " + text + "\nTo return to the session until now: pollux --resume " + left
	default:
		if !s.Session.Rewind(ctx, chosen.ID) {
			return usageError(hasChanged)
		}
		text = "Rewound to the state before: " + text
	}
	return Result{Text: text + "\nTo change this prompt and send it, press Ctrl+G.", Draft: prompt}, nil
}

const hasChanged = "The conversation has changed in the meantime. Try again."

// choosePrompt asks for one of the last prompts. It returns nil if the person chooses none.
func (s *Runner) choosePrompt(ctx context.Context) (*agent.Message, error) {
	const most = 20
	prompts := s.Session.Prompts()
	shown := prompts[max(0, len(prompts)-most):]
	slices.Reverse(shown)
	var options []tool.Option
	for i, m := range shown {
		label := terminal.Cut(terminal.Line(promptText(m)), 60)
		if slices.ContainsFunc(options, func(o tool.Option) bool { return o.Label == label }) {
			label += fmt.Sprintf(" (prompt %d)", len(prompts)-i)
		}
		o := tool.Option{Label: label}
		if !m.Time.IsZero() { // as in a conversation that was loaded
			o.Description = m.Time.Local().Format("15:04:05")
		}
		options = append(options, o)
	}
	answer, err := s.choose(ctx, "Rewind", "Return to the state before which prompt?", "", options...)
	at := slices.IndexFunc(options, func(o tool.Option) bool { return terminal.Line(o.Label) == answer })
	if err != nil || at < 0 {
		return nil, err
	}
	return &shown[at], nil
}

// chooseRewind asks what happens to the conversation after the prompt. It returns "" if nothing does. A
// conversation that is not recorded has no copies.
func (s *Runner) chooseRewind(ctx context.Context, hasFiles bool) (string, error) {
	if !s.Session.Record.IsRecorded() {
		return justRewind, nil
	}
	options := []tool.Option{
		{Label: editInCopy, Description: "A new session begins before it. This session stays as it is."},
		{Label: justRewind, Description: "This session forgets them."},
	}
	if hasFiles {
		options = append(options, tool.Option{Label: justRevert, Description: "The conversation stays as it is."})
	}
	return s.choose(ctx, "Rewind", "What happens to this prompt, and to all after it?", "", options...)
}

// promptText returns a prompt as the person wrote it.
func promptText(m agent.Message) string {
	return strings.TrimSpace(cmp.Or(m.Shown, llm.PartsText(m.Content.Parts)))
}
