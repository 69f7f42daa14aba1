package conversation

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"pollux/agent"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/person"
	"pollux/internal/record"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
	"pollux/tool"
)

// The answers to the question of [chooseRewind].
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
	if reverts { // before the conversation forgets the changes to revert
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

// chooseRewind asks how to treat the conversation after the prompt. It returns "" to leave it as it is. A
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

// canRevert reports whether a file of a plan can be brought back.
func canRevert(files []record.FileUndo) bool {
	return slices.ContainsFunc(files, func(f record.FileUndo) bool { return f.Problem == "" })
}

// confirmRevert shows the effects on files, and asks for approval. If none can be brought back, there is
// nothing to ask: [Runner.revertFiles] says why.
func confirmRevert(ctx context.Context, c *manage.Call, files []record.FileUndo, isPartial bool) (bool, error) {
	if !canRevert(files) {
		return len(files) > 0, nil
	}
	const most = 30
	lines := []string{"Revert the changes of these files, too?"}
	for i, f := range files {
		if i == most {
			lines = append(lines, fmt.Sprintf("  and %d more", len(files)-most))
			break
		}
		what := ""
		switch {
		case f.Problem != "":
			what = " (stays: " + f.Problem + ")"
		case f.Removes:
			what = " (is removed)"
		}
		lines = append(lines, "  "+nameOf(c, f)+what)
	}
	if isPartial {
		lines = append(lines, "What commands have changed stays.")
	}
	return c.Confirm(ctx, "Revert", strings.Join(lines, "\n"))
}

func nameOf(c *manage.Call, f record.FileUndo) string {
	return terminal.Cut(terminal.Line(c.Live.Workspace.Display(f.Path)), 200)
}

// revertFiles undoes the changes of files. It returns the paths that it changed, and a text for the user.
func revertFiles(ctx context.Context, c *manage.Call, files []record.FileUndo) (paths []string, text string) {
	var names, stay []string
	for _, f := range files {
		problem := f.Problem
		if problem == "" {
			if err := f.Apply(ctx); err != nil {
				problem = err.Error()
			}
		}
		if problem != "" {
			stay = append(stay, nameOf(c, f)+" ("+problem+")")
			continue
		}
		paths, names = append(paths, f.Path), append(names, nameOf(c, f))
	}
	if len(names) > 0 {
		text = "File changes reverted: " + strings.Join(names, ", ") + "."
	}
	if len(stay) > 0 {
		text = strings.TrimSpace(text + "\nNot reverted: " + strings.Join(stay, ", ") + ".")
	}
	return paths, text
}

// restore lists the tool calls that may have changed something, or returns to the state of the
// conversation before one of them, by its name or number, and proposes the call again.
func restore(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	name, list := c.Text, c.Live.Changes.Checkpoints()
	switch {
	case len(list) == 0:
		return manage.Say("No restorable tool calls found.")
	case name == "":
		return listCheckpoints(list)
	case !c.HasPerson():
		return outcome.Outcome{}, manage.NeedsPerson("restore", "")
	}
	at := slices.IndexFunc(list, func(p record.Checkpoint) bool { return p.Name == name })
	if n, err := strconv.Atoi(name); at < 0 && err == nil && n >= 1 && n <= len(list) {
		at = n - 1
	}
	if at < 0 {
		return manage.Misuse("File not found: %s. To list the tool calls, run /restore.", terminal.Cut(terminal.Line(name), 100))
	}
	return restoreCheckpoint(ctx, c, list[at])
}

func listCheckpoints(list []record.Checkpoint) (outcome.Outcome, error) {
	const most = 100
	first := max(0, len(list)-most)
	var b strings.Builder
	b.WriteString("Available tool calls to restore:\n\n")
	if first > 0 {
		fmt.Fprintf(&b, "    (%d earlier)\n", first)
	}
	for i, p := range list[first:] {
		fmt.Fprintf(&b, "    %d. %s\n", first+i+1, p.Name)
		if text := p.Describe(); text != "" {
			fmt.Fprintf(&b, "       %s\n", terminal.Cut(text, 100))
		}
	}
	b.WriteString("\nTo return to the state of the conversation before a call, run /restore with its number or name.")
	return manage.Say("%s", b.String())
}

// restoreCheckpoint returns to a checkpoint if the person agrees.
func restoreCheckpoint(ctx context.Context, c *manage.Call, p record.Checkpoint) (outcome.Outcome, error) {
	prompts, changes := c.Live.Changes.Undone(p)
	loses := "this call"
	if changes > 1 {
		loses += " and " + wording.Count(changes-1, "later one")
	}
	if prompts > 0 {
		loses += ", and " + wording.Count(prompts, "prompt")
	}
	question := "Return to the state before " + p.Name + "?\nThe conversation forgets " + loses + ". The call is proposed again."
	if yes, err := c.Confirm(ctx, "Restore", question); err != nil || !yes {
		return outcome.New(stays), err
	}
	text := "Files stay as they are."
	files, isPartial := c.Live.Changes.PlanRestore(ctx, p)
	yes, err := confirmRevert(ctx, c, files, isPartial)
	if err != nil {
		return outcome.Outcome{}, err
	}
	if yes {
		_, text = revertFiles(ctx, c, files)
	}
	c.Next.Run = func(ctx context.Context) iter.Seq2[agent.Event, error] { return c.Live.Restore(ctx, p) }
	return manage.Say("Restored the conversation to the state before %s. %s", p.Name, text)
}

// earlierPrompts asks for one of the last prompts of this and earlier sessions of the project, those that contain the
// text of the call. The prompt becomes the draft.
func earlierPrompts(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	const most, searched = 20, 10_000
	prompts := slices.DeleteFunc(c.Live.PromptLog.Recent(searched), func(prompt string) bool {
		command, _ := manage.CutWord(prompt)
		return command == "/prompts" || !strings.Contains(strings.ToLower(prompt), strings.ToLower(c.Text))
	})
	if len(prompts) == 0 {
		return manage.Say("No earlier prompts found.")
	}
	q := person.Choice{Header: "Prompts", Text: "Change and send which prompt?"}
	for _, prompt := range prompts[:min(len(prompts), most)] {
		q.Options = append(q.Options, tool.Option{Label: prompt})
	}
	chosen, err := pick(ctx, c, q, 70, func(i int) string { return fmt.Sprintf(" (%d)", i+1) })
	if err != nil || chosen < 0 {
		return outcome.Outcome{}, err
	}
	c.Next.Draft = prompts[chosen]
	return manage.Say("To change this prompt and send it, press Ctrl+G.")
}

// pick asks for one of the options, whose labels are prompts, and returns its index, -1 for none. It cuts the labels
// at a width. An option with the label of an earlier one gets a number.
func pick(ctx context.Context, c *manage.Call, q person.Choice, width int, number func(i int) string) (int, error) {
	for i := range q.Options {
		label := terminal.Cut(terminal.Line(q.Options[i].Label), width)
		if slices.ContainsFunc(q.Options[:i], func(o tool.Option) bool { return o.Label == label }) {
			label += number(i)
		}
		q.Options[i].Label = label
	}
	answer, err := c.Choose(ctx, q)
	if err != nil {
		return -1, err
	}
	return slices.IndexFunc(q.Options, func(o tool.Option) bool { return terminal.Line(o.Label) == answer }), nil
}
