package record

import (
	"context"
	"slices"
	"strings"
	"sync"

	"pollux/internal/undo/history"
	"pollux/internal/undo/revert"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
)

// recorded are the changes of calls in the undo log.
type recorded struct {
	files []FileUndo
	paths map[string]bool // those that other calls than edits have changed
}

// planRecorded plans to undo the changes of calls, by the ids of all and of those that are edits, in files that not only
// edits have changed. Edits alone are undone by their differences, which leave what the user has written since.
func (g *Changes) planRecorded(ctx context.Context, calls, edits []string) (r recorded) {
	if g.UndoLog == nil {
		return r
	}
	s, err := g.UndoLog()
	if err != nil {
		return r
	}
	log, err := history.Read(s)
	if err != nil {
		return r
	}
	r.paths = map[string]bool{}
	var operations []*store.Operation
	for _, h := range slices.Backward(log.All()) {
		if h.Session != g.Record.SessionID() || !slices.Contains(calls, h.Call) {
			continue
		}
		o, err := s.Read(h.Number)
		if err != nil {
			continue // damaged, or gone
		}
		if log.IsUndone(h.Number) {
			continue
		}
		operations = append(operations, o)
		if !slices.Contains(edits, h.Call) {
			for _, c := range o.Changes {
				r.paths[c.Path] = true
			}
		}
	}
	if len(r.paths) == 0 {
		return r
	}
	plan, err := revert.Make(ctx, s, operations)
	if err != nil {
		return recorded{}
	}
	plan.Select(func(path string) bool { return r.paths[path] })
	r.files = g.fileUndos(s, plan)
	return r
}

// fileUndos returns the steps of a plan. The first one that is applied applies them all, as one change of the log.
// Directories and the files of repositories are not listed: they come and go with the others.
func (g *Changes) fileUndos(s *store.Store, plan *revert.Plan) (list []FileUndo) {
	denied := map[string]bool{}
	for _, step := range plan.Changes() {
		denied[step.Path] = g.Denies(step.Path)
	}
	var once sync.Once
	var failed error
	apply := func(ctx context.Context) {
		plan.Select(func(path string) bool { return !denied[path] })
		b, err := s.Open()
		if err != nil {
			failed = err
			return
		}
		defer b.Close()
		_, failed = plan.Apply(ctx, b, store.Header{Session: g.Record.SessionID(), Title: "Revert"})
	}
	for _, step := range plan.Steps {
		if step.From.State.Kind == state.Directory || step.To.State.Kind == state.Directory || strings.Contains(step.Path, "/.git/") {
			continue
		}
		u := FileUndo{Path: step.Path, Removes: step.To.State.Kind == state.Absent, Problem: step.Problem}
		if u.Problem == "" && denied[step.Path] {
			u.Problem = "a policy denies changes of it"
		}
		u.Apply = func(ctx context.Context) error {
			once.Do(func() { apply(ctx) })
			return failed
		}
		list = append(list, u)
	}
	return list
}
