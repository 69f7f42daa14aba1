package session

import (
	"context"
	"encoding/json"
	"slices"

	"pollux/agent"
	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/tools/file"
	"pollux/llm"
	"pollux/tool"
)

// FileUndo brings a file back to what it was before tool calls changed it.
type FileUndo struct {
	Path    string // absolute
	Removes bool   // the calls created the file
	Problem string // why the file stays as it is, "" if it can be brought back
	// Apply brings the file back. It fails if the file has changed since the plan was made.
	Apply func(ctx context.Context) error
}

// An undoer finds what brings files back to what they were before tool calls, given from the newest to
// the oldest. A snapshot of the project's files before each call is a way to do it for what commands
// change, too. It changes nothing itself.
type undoer interface {
	plan(ctx context.Context, ran []agent.Execution) []FileUndo
}

// PlanUndo returns what undoes the changes of files by the calls after the message with an id. It changes
// nothing. isPartial reports that other calls, such as commands, may have changed files, too.
func (s *Session) PlanUndo(ctx context.Context, id string) (files []FileUndo, isPartial bool) {
	return s.planUndo(ctx, id, "")
}

// PlanRestore is [Session.PlanUndo] for the call of a checkpoint and those after it.
func (s *Session) PlanRestore(ctx context.Context, p Checkpoint) (files []FileUndo, isPartial bool) {
	return s.planUndo(ctx, p.results, p.callID)
}

// planUndo plans to undo the calls with results in the message with an id, from one of them on, and in the
// messages after it.
func (s *Session) planUndo(ctx context.Context, id, callID string) (files []FileUndo, isPartial bool) {
	if s.Record.journal == nil {
		return nil, false
	}
	history, records := s.History(), s.Record.journal.Calls()
	at := slices.IndexFunc(history, func(m agent.Message) bool { return m.ID == id })
	if at < 0 {
		return nil, false
	}
	var edits []agent.Execution
	for i, m := range history[at:] {
		calls := records[m.ID]
		if n := slices.IndexFunc(calls, func(c agent.CallRecord) bool { return c.ID == callID }); i == 0 && n >= 0 {
			calls = calls[n:]
		}
		for i := range calls {
			for _, x := range calls[i].Ran() {
				_, isDiff := x.Result.Display.(*tool.DiffDisplay)
				switch {
				case isDiff && x.Status == agent.Success:
					edits = append(edits, x)
				case x.HasRun && s.mayChange(x.Name):
					isPartial = true
				}
			}
		}
	}
	slices.Reverse(edits)
	return s.undoer().plan(ctx, edits), isPartial
}

func (s *Session) undoer() undoer { return recordedEdits{s} }

// recordedEdits undoes edits by the differences that the record of the session has of them.
type recordedEdits struct{ *Session }

func (r recordedEdits) plan(ctx context.Context, ran []agent.Execution) []FileUndo {
	var edits []file.Edit
	for _, x := range ran {
		d := x.Result.Display.(*tool.DiffDisplay)
		edits = append(edits, file.Edit{Path: d.FilePath, Diff: d.Diff, IsNew: d.Before == nil, NewDirs: d.NewDirs})
	}
	var list []FileUndo
	for _, u := range file.PlanUndo(ctx, r.Session.Workspace, edits) {
		if u.Problem == "" && r.denies(u.Path) {
			u.Problem = "a policy denies changes of it"
		}
		list = append(list, FileUndo{
			Path: u.Path, Removes: u.Removes, Problem: u.Problem,
			Apply: func(ctx context.Context) error { return u.Apply(ctx, r.Session.Workspace) },
		})
	}
	return list
}

// denies reports whether a policy denies to write a file.
func (r recordedEdits) denies(path string) bool {
	const name = "write_file"
	t, ok := r.Session.registry.Lookup(name)
	if !ok {
		t, ok = r.Session.registry.Hidden(name)
	}
	args, err := json.Marshal(map[string]string{"file_path": path, "content": ""})
	return !ok || err != nil || r.Session.policy.Check(guard.PolicyCall(t, args)).Decision == policy.Deny
}

// TellUndone tells the model with the next prompt that a person has undone changes of these files.
func (s *Session) TellUndone(ctx context.Context, paths []string) {
	text := "I have undone the changes that were made to these files, so they are as they were before:"
	for _, path := range paths {
		text += "\n- " + s.Workspace.Display(path)
	}
	s.agent.AddMessage(ctx, agent.Message{Content: llm.User(llm.Text(text))})
}
