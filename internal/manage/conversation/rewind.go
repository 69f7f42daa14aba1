package conversation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/person"
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

const stays outcome.Text = "The conversation stays as it is."

// rewind asks for one of the last prompts, and returns to the state of the conversation before it: in a
// new session, so that this one stays as it is, or in this one. The prompt becomes the draft. If tools
// have changed files since, it offers to undo that.
func rewind(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	if len(c.Live.Prompts()) == 0 {
		return manage.Say("Nothing to rewind to.")
	}
	chosen, err := choosePrompt(ctx, c)
	if err != nil || chosen == nil {
		return outcome.New(stays), err
	}
	files, isPartial := c.Live.Changes.PlanUndo(ctx, chosen.ID)
	how, err := chooseRewind(ctx, c, canRevert(files))
	if err != nil || how == "" {
		return outcome.New(stays), err
	}
	reverts, err := confirmRevert(ctx, c, files, isPartial)
	if err != nil {
		return outcome.Outcome{}, err
	}
	var paths []string
	text := ""
	if reverts { // before the conversation forgets what there is to revert
		paths, text = revertFiles(ctx, c, files)
	}
	if how == justRevert {
		if len(paths) > 0 {
			c.Live.TellUndone(ctx, paths)
		}
		return manage.Say("%s", cmp.Or(text, "Files stay as they are."))
	}
	o, err := rewindTo(ctx, c, *chosen, how)
	if text != "" {
		o.Parts = append([]outcome.Part{outcome.Text(text)}, o.Parts...)
	}
	return o, err
}

// rewindTo returns to the state of the conversation before a prompt, which becomes the draft.
func rewindTo(ctx context.Context, c *manage.Call, chosen agent.Message, how string) (outcome.Outcome, error) {
	prompt := promptText(chosen)
	text := terminal.Cut(terminal.Line(prompt), 200)
	switch how {
	case editInCopy:
		left, ok := c.Live.Branch(ctx, chosen.ID)
		if !ok {
			return manage.Misuse(hasChanged)
		}
		text = "Continuing in a copy of the session, in the state before: " + text + "\nTo return to the session until now: pollux --resume " + left
	default:
		if !c.Live.Rewind(ctx, chosen.ID) {
			return manage.Misuse(hasChanged)
		}
		text = "Rewound to the state before: " + text
	}
	c.Next.Draft = prompt
	return manage.Say("%s\nTo change this prompt and send it, press Ctrl+G.", text)
}

const hasChanged = "The conversation has changed in the meantime. Try again."

// choosePrompt asks for one of the last prompts. It returns nil if the person chooses none.
func choosePrompt(ctx context.Context, c *manage.Call) (*agent.Message, error) {
	const most = 20
	prompts := c.Live.Prompts()
	shown := prompts[max(0, len(prompts)-most):]
	slices.Reverse(shown)
	q := person.Choice{Header: "Rewind", Text: "Return to the state before which prompt?"}
	for _, m := range shown {
		o := tool.Option{Label: promptText(m)}
		if !m.Time.IsZero() { // as in a conversation that was loaded
			o.Description = m.Time.Local().Format("15:04:05")
		}
		q.Options = append(q.Options, o)
	}
	at, err := pick(ctx, c, q, 60, func(i int) string { return fmt.Sprintf(" (prompt %d)", len(prompts)-i) })
	if err != nil || at < 0 {
		return nil, err
	}
	return &shown[at], nil
}

// chooseRewind asks what happens to the conversation after the prompt. It returns "" if nothing does. A
// conversation that is not recorded has no copies.
func chooseRewind(ctx context.Context, c *manage.Call, hasFiles bool) (string, error) {
	if !c.Live.Record.IsRecorded() {
		return justRewind, nil
	}
	options := []tool.Option{
		{Label: editInCopy, Description: "A new session begins before it. This session stays as it is."},
		{Label: justRewind, Description: "This session forgets them."},
	}
	if hasFiles {
		options = append(options, tool.Option{Label: justRevert, Description: "The conversation stays as it is."})
	}
	return c.Choose(ctx, person.Choice{Header: "Rewind", Text: "What happens to this prompt, and to all after it?", Options: options})
}

// promptText returns a prompt as the person wrote it.
func promptText(m agent.Message) string {
	return strings.TrimSpace(cmp.Or(m.Shown, llm.PartsText(m.Content.Parts)))
}
