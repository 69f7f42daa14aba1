package conversation

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/record"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// restore lists the tool calls that may have changed something, or returns to the state of the
// conversation before one of them, by its name or number, and proposes the call again.
func restore(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	name, list := c.Text, c.Live.Changes.Checkpoints()
	files, err := c.Live.Checkpoints.Files().List()
	if err != nil {
		return outcome.Outcome{}, exit.Errorf(exit.General, "Could not read restorable tool calls. This is the error: %s", wording.Reason(err))
	}
	switch {
	case len(list)+len(files) == 0:
		return manage.Say("No restorable tool calls found.")
	case name == "":
		return listCheckpoints(list, files)
	case !c.HasPerson():
		return outcome.Outcome{}, manage.NeedsPerson("restore", "")
	}
	at := slices.IndexFunc(list, func(p record.Checkpoint) bool { return p.Name == name })
	if n, err := strconv.Atoi(name); at < 0 && err == nil && n >= 1 && n <= len(list) {
		at = n - 1
	}
	if at < 0 {
		return restoreFile(ctx, c, name)
	}
	return restoreCheckpoint(ctx, c, list[at])
}

func listCheckpoints(list []record.Checkpoint, files []string) (outcome.Outcome, error) {
	if len(list) == 0 {
		return manage.Say("%s", listFiles(files))
	}
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
	if len(files) > 0 {
		b.WriteString("\n\n" + listFiles(files))
	}
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
