package record

import (
	"context"
	"slices"

	"pollux/agent"
	"pollux/internal/tools/file"
	"pollux/tool"
)

// FileUndo brings a file back to its state before tool calls changed it.
type FileUndo struct {
	Path    string // absolute
	Removes bool   // the calls created the file
	Problem string // why the file stays as it is, "" if it can be brought back
	// Apply brings the file back. It fails if the file has changed since the plan was made.
	Apply func(ctx context.Context) error
}

// PlanUndo plans to undo the changes of files by the calls after the message with an id. It changes
// nothing. isPartial reports that other calls, such as commands, may have changed files, too.
func (g *Changes) PlanUndo(ctx context.Context, id string) (files []FileUndo, isPartial bool) {
	return g.planUndo(ctx, id, "")
}

// PlanRestore is [Changes.PlanUndo] for the call of a checkpoint and those after it.
func (g *Changes) PlanRestore(ctx context.Context, p Checkpoint) (files []FileUndo, isPartial bool) {
	return g.planUndo(ctx, p.Results, p.CallID)
}

// planUndo plans to undo the calls with results in the message with an id, from one of them on, and in the
// messages after it.
func (g *Changes) planUndo(ctx context.Context, id, callID string) (files []FileUndo, isPartial bool) {
	history, records := g.History(), g.Record.Calls()
	if records == nil {
		return nil, false
	}
	at := slices.IndexFunc(history, func(m agent.Message) bool { return m.ID == id })
	if at < 0 {
		return nil, false
	}
	var edits []edit
	var all, unknown []string // ids of calls
	for i, m := range history[at:] {
		calls := records[m.ID]
		if n := slices.IndexFunc(calls, func(c agent.CallRecord) bool { return c.ID == callID }); i == 0 && n >= 0 {
			calls = calls[n:]
		}
		for i := range calls {
			all = append(all, calls[i].ID)
			for _, x := range calls[i].Ran() {
				_, isDiff := x.Result.Display.(*tool.DiffDisplay)
				switch {
				case isDiff && x.Status == agent.Success:
					edits = append(edits, edit{calls[i].ID, x})
				case x.HasRun && g.mayChange(x.Name):
					unknown = append(unknown, calls[i].ID)
				}
			}
		}
	}
	var edited []string
	for _, e := range edits {
		edited = append(edited, e.call)
	}
	log := g.planRecorded(ctx, all, edited)
	var alone []agent.Execution
	for _, e := range slices.Backward(edits) {
		if !log.paths[e.Result.Display.(*tool.DiffDisplay).FilePath] {
			alone = append(alone, e.Execution)
		}
	}
	isPartial = g.UndoLog == nil && len(unknown) > 0
	return append(g.plan(ctx, alone), log.files...), isPartial
}

// edit is the run of an edit, with the id of its call.
type edit struct {
	call string
	agent.Execution
}

// plan plans to undo edits, given from the newest to the oldest, by the differences that the record of the session
// has of them.
func (g *Changes) plan(ctx context.Context, ran []agent.Execution) []FileUndo {
	var edits []file.Edit
	for _, x := range ran {
		d := x.Result.Display.(*tool.DiffDisplay)
		edits = append(edits, file.Edit{Path: d.FilePath, Diff: d.Diff, IsNew: d.Before == nil, NewDirs: d.NewDirs})
	}
	var list []FileUndo
	for _, u := range file.PlanUndo(ctx, g.Workspace, edits) {
		if u.Problem == "" && g.Denies(u.Path) {
			u.Problem = "a policy denies changes of it"
		}
		list = append(list, FileUndo{
			Path: u.Path, Removes: u.Removes, Problem: u.Problem,
			Apply: func(ctx context.Context) error {
				err := u.Apply(ctx, g.Workspace)
				if err == nil && g.Seen != nil {
					g.Seen.Undone(tool.WithConversation(ctx, g.Conversation()), u)
				}
				return err
			},
		})
	}
	return list
}
