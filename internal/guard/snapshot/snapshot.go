// Package snapshot records the changes that tool calls make in files, so that undo can take them back. It is a step of the gate
// around each call.
package snapshot

import (
	"context"
	"fmt"
	"sync"

	"pollux/agent"
	"pollux/internal/guard"
	"pollux/internal/undo"
	"pollux/internal/undo/store"
	"pollux/internal/workspace"
	"pollux/tool"
)

// Parts are the parts of a session that the step needs. All must be set.
type Parts struct {
	Recorder  *undo.Recorder
	Workspace *workspace.Workspace
	// Session returns the id of the conversation.
	Session func() string
	// Home is the user's home directory, "" for none.
	Home string
	// Skip returns the directories, without links, of files that are not recorded even if a command names them; nil for none.
	Skip func() []string
	// Store is the log in which the recorder writes, for reports about its operations.
	Store func() (*store.Store, error)
	// IsHidden reports whether models may not see the content of a file. Mask replaces the secrets in a text.
	IsHidden func(path string) bool
	Mask     func(text string) string
	// IsReported reports whether the results of commands list the changed files for the model.
	IsReported func() bool
	// Changed, if set, learns that a call which is no edit has made the changes of an operation, and no other one could. by
	// describes it.
	Changed func(by string, o *store.Operation)
	// Warn tells the person that a change was not recorded.
	Warn func(text string)
}

// Step returns the step. A call that may change something does not run if the files that it may change cannot be kept.
func Step(p Parts) guard.Step {
	s := &step{Parts: p}
	return guard.Step{Before: s.before, After: s.after}
}

type step struct {
	Parts
	runs sync.Map // of *run by *agent.PreparedCall
}

// run is a call that runs.
type run struct {
	*undo.Run
	isEdit bool // it names the files that it changes, and counts the lines
}

func (s *step) before(ctx context.Context, call *agent.PreparedCall) error {
	may := s.scope(call)
	if !may.Anywhere && len(may.Paths) == 0 {
		return nil
	}
	if !may.Anywhere {
		for _, path := range may.Paths { // a text that only an editor has would be lost
			if err := s.Workspace.Disk().Save(path); err != nil {
				return fmt.Errorf("the text that the editor has not saved could not be kept: %w", err)
			}
		}
	}
	written := call.Call()
	h := store.Header{
		Kind: store.Call, Session: s.Session(), Prompt: written.PromptID, Call: written.ID,
		Tool: call.Tool().Spec().Name, Title: call.Invocation().Summary(),
	}
	if _, isRemote := tool.As[tool.Remote](call.Tool()); isRemote { // whose summary has only the arguments
		h.Name = call.Tool().Spec().DisplayName
	}
	if written.FromClient || written.Typed {
		h.Kind = store.Command
	}
	began, err := s.Recorder.Begin(ctx, h, may)
	if err != nil {
		return fmt.Errorf("its changes could not be taken back: %w. To run calls without undo, set pollux.undo.enabled to false", err)
	}
	s.runs.Store(call, &run{began, !may.Anywhere})
	return nil
}

// scope returns the paths that a call may change.
func (s *step) scope(call *agent.PreparedCall) undo.Scope {
	t := call.Tool()
	effect := tool.EffectOf(t, call.Args())
	switch {
	case effect.Reads, t.Spec().Kind == tool.KindAgent: // the calls of a subagent pass the gate themselves
		return undo.Scope{}
	case effect.Paths != nil:
		return undo.Scope{Paths: effect.Paths}
	}
	may := undo.Scope{Anywhere: true}
	if t.Spec().Kind == tool.KindExecute {
		may.Paths = s.named(call.Args())
	}
	return may
}
