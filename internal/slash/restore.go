package slash

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"pollux/agent"
	"pollux/internal/record"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// restore lists the tool calls that may have changed something, or returns to the state of the
// conversation before one of them, by its name or number, and proposes the call again.
func restore(ctx context.Context, s *Runner, name string) (Result, error) {
	list := s.Session.Changes.Checkpoints()
	switch {
	case len(list) == 0:
		return textResult("No restorable tool calls found.")
	case name == "":
		return s.listCheckpoints(list)
	case s.Session.Project.Options.Asker == nil:
		return Result{}, needsPerson("restore", "")
	}
	at := slices.IndexFunc(list, func(p record.Checkpoint) bool { return p.Name == name })
	if n, err := strconv.Atoi(name); at < 0 && err == nil && n >= 1 && n <= len(list) {
		at = n - 1
	}
	if at < 0 {
		return usageError("File not found: %s. To list the tool calls, run /restore.", terminal.Cut(terminal.Line(name), 100))
	}
	return s.restoreCheckpoint(ctx, list[at])
}

func (s *Runner) listCheckpoints(list []record.Checkpoint) (Result, error) {
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
	return Result{Text: b.String()}, nil
}

// restoreCheckpoint returns to a checkpoint if the person agrees.
func (s *Runner) restoreCheckpoint(ctx context.Context, p record.Checkpoint) (Result, error) {
	prompts, changes := s.Session.Changes.Undone(p)
	loses := "this call"
	if changes > 1 {
		loses += " and " + wording.Count(changes-1, "later one")
	}
	if prompts > 0 {
		loses += ", and " + wording.Count(prompts, "prompt")
	}
	question := "Return to the state before " + p.Name + "?\nThe conversation forgets " + loses + ". The call is proposed again."
	if yes, err := s.confirm(ctx, "Restore", question); err != nil || !yes {
		return Result{Text: stays}, err
	}
	text := "Files stay as they are."
	files, isPartial := s.Session.Changes.PlanRestore(ctx, p)
	yes, err := s.confirmRevert(ctx, files, isPartial)
	if err != nil {
		return Result{}, err
	}
	if yes {
		_, text = s.revertFiles(ctx, files)
	}
	return Result{
		Text: "Restored the conversation to the state before " + p.Name + ". " + text,
		Run:  func(ctx context.Context) iter.Seq2[agent.Event, error] { return s.Session.Restore(ctx, p) },
	}, nil
}
