package conversation

import (
	"cmp"
	"context"
	"strings"

	"pollux/agent"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
	"pollux/llm"
)

// The answers to the question of [chooseRewind].
const (
	editInCopy = "Continue in a copy"
	justRewind = "Rewind"
	justRevert = "Revert files only"
)

const stays outcome.Text = "The conversation stays as it is."

// rewind returns to the state of the conversation before a prompt: in a new session, so that this one stays as it is, or
// in this one. The prompt becomes the draft. If tools have changed files since, it can undo that. It asks for all that
// the arguments leave open.
func rewind(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	r, err := parseRewind(c.Text)
	switch {
	case err != nil:
		return outcome.Outcome{}, err
	case !r.isComplete() && !c.HasPerson():
		return outcome.Outcome{}, manage.NeedsPerson("rewind", "Or name the prompt and the effect on files: /rewind 1 --files=keep")
	case len(c.Live.Prompts()) == 0:
		return manage.Say("Nothing to rewind to.")
	}
	chosen, err := r.choosePrompt(ctx, c)
	if err != nil || chosen == nil {
		return outcome.New(stays), err
	}
	files, isPartial := c.Live.Changes.PlanUndo(ctx, chosen.ID)
	how, err := r.chooseWay(ctx, c, canRevert(files))
	if err != nil || how == "" {
		return outcome.New(stays), err
	}
	reverts := r.files != keepFiles
	if r.files == "" {
		if reverts, err = confirmRevert(ctx, c, files, isPartial); err != nil {
			return outcome.Outcome{}, err
		}
	}
	if !reverts {
		files = nil
	}
	paths, text := revertFiles(ctx, c, files) // before the conversation forgets the changes to revert
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
	return manage.Say("%s", text)
}

const hasChanged = "The conversation has changed in the meantime. Try again."

// promptText returns a prompt as the person wrote it.
func promptText(m agent.Message) string {
	return strings.TrimSpace(cmp.Or(m.Shown, llm.PartsText(m.Content.Parts)))
}
