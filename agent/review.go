package agent

import (
	"context"
	"slices"

	"pollux/llm"
	"pollux/tool"
)

// Reviewer examines the files that the calls of a response have changed.
type Reviewer interface {
	// Review returns a note for the model, "" for none. The agent calls it once for each response with calls, when
	// all of them have ended, also if they have changed nothing. ctx ends with the run.
	Review(ctx context.Context, changes []FileChange) string
}

// FileChange is the change that all calls of a response have made to a file.
type FileChange struct {
	Path   string  // absolute
	Before *string // nil for a new file
	After  string
}

// review adds the note of the Reviewer to a message with the results of calls: to that of the last call that has changed
// a file, or, if there is none, to the last result that is a text. Others may hold the content of the message, which
// therefore stays as it is.
func (r *run) review(ctx context.Context, m *outgoing, finished []ToolFinished) {
	if r.cfg.Reviewer == nil {
		return
	}
	changes, last := fileChanges(finished)
	note := r.cfg.Reviewer.Review(ctx, changes)
	if note == "" {
		return
	}
	parts := slices.Clone(m.results.Parts)
	isNoted := addNote(parts, finished[last].Call.ID, note)
	for i := len(finished) - 1; i >= 0 && !isNoted; i-- {
		isNoted = addNote(parts, finished[i].Call.ID, note)
	}
	if isNoted {
		m.results = llm.User(parts...)
		m.content = m.results
	}
}

// fileChanges returns the changes of all calls to files, one for each file, and the index of the last call that has
// changed one, or of the last call.
func fileChanges(finished []ToolFinished) (changes []FileChange, last int) {
	last = len(finished) - 1
	for i := range finished {
		for _, x := range finished[i].Executions {
			d, isEdit := x.Result.Display.(*tool.DiffDisplay)
			if !isEdit || !x.HasRun || x.Result.Error != nil {
				continue
			}
			last = i
			if at := slices.IndexFunc(changes, func(c FileChange) bool { return c.Path == d.FilePath }); at >= 0 {
				changes[at].After = d.After
				continue
			}
			changes = append(changes, FileChange{d.FilePath, d.Before, d.After})
		}
	}
	return changes, last
}

// addNote appends a note to the text of the result of a call among parts. It reports false for a result that has none.
func addNote(parts []llm.Part, callID, note string) bool {
	at := slices.IndexFunc(parts, func(p llm.Part) bool { return p.FunctionResponse != nil && p.FunctionResponse.ID == callID })
	if at < 0 {
		return false
	}
	response := parts[at].FunctionResponse
	text, ok := textOf(response)
	if !ok {
		return false
	}
	noted := llm.Output(response.ID, response.Name, text+"\n\n"+note)
	noted.Parts = response.Parts
	parts[at].FunctionResponse = noted
	return true
}
