package snapshot

import (
	"context"

	"pollux/agent"
	"pollux/internal/durable"
	"pollux/internal/undo/report"
	"pollux/internal/undo/store"
	"pollux/tool"
)

// after records the changes of a call, and adds them to its record.
func (s *step) after(ctx context.Context, call *agent.PreparedCall, x *agent.Execution) {
	began, found := s.runs.LoadAndDelete(call)
	if !found {
		return
	}
	ran := began.(*run)
	o, err := ran.End(ctx)
	switch name := call.Tool().Spec().Name; {
	case durable.IsFull(err):
		s.Warn("Warning: What " + name + " has changed is not recorded yet, and can be undone when there is room: " + err.Error())
	case err != nil:
		s.Warn("Warning: What " + name + " has changed was not recorded, and cannot be undone: " + err.Error())
	}
	if o != nil {
		x.Changes = s.describe(call, ran, o, x.Result)
		if s.Changed != nil && !ran.isEdit && isAlone(o) {
			s.Changed(title(call), o)
		}
	}
}

// isAlone reports whether a call has made all changes of its operation, as far as that is known.
func isAlone(o *store.Operation) bool { return len(o.Beside) == 0 && !o.IsLong() }

// title describes a call: a command as it is, another one with the name of its tool.
func title(call *agent.PreparedCall) string {
	spec := call.Tool().Spec()
	if spec.Kind == tool.KindExecute {
		return call.Summary()
	}
	return spec.Name + " " + call.Summary()
}

// smallRoom is the number of tokens for the results of calls below which a report has no differences.
const smallRoom = 8000

// describe returns the changes that an operation of a call has recorded. The result of an edit says enough to the model, and
// that of a call without a prompt, such as the command in a command file, is no result of the model's call.
func (s *step) describe(call *agent.PreparedCall, ran *run, o *store.Operation, result *tool.Result) *tool.Changes {
	log, err := s.Store()
	if err != nil {
		return nil
	}
	r := &report.Reporter{Store: log, Root: s.Workspace.Root(), IsHidden: s.IsHidden, Mask: s.Mask}
	switch written := call.Call(); {
	case ran.isEdit:
		return r.Edit(o, result.Lines)
	case written.PromptID == "" || written.FromClient || written.Typed || !s.IsReported():
		return r.Changes(o)
	default:
		return r.ForModel(o, written.Room == 0 || written.Room >= smallRoom)
	}
}
