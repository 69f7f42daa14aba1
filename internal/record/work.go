package record

import (
	"slices"
	"time"

	"pollux/agent"
	"pollux/tool"
)

// Work sums up the changes, commands and tasks of the tool calls in a conversation. The zero value is empty.
type Work struct {
	Files          []string // paths of the changed files, see [Work.AddChanges], in the order of their first change
	MoreFiles      bool     // more files were changed than Files has
	Added, Removed int      // lines of all changes
	Commands       int      // shell commands that ran
	LastCommand    string   // the newest of them, as the model wrote it
	Todos          []tool.Todo
}

// maxFiles is the maximum number of files in [Work.Files].
const maxFiles = 1000

// IsEmpty reports whether nothing was done, and nothing is planned.
func (w *Work) IsEmpty() bool { return len(w.Files) == 0 && w.Commands == 0 && w.Open() == 0 }

// Open returns the number of tasks that are not done.
func (w *Work) Open() (n int) {
	for _, t := range w.Todos {
		if t.Status == tool.TodoPending || t.Status == tool.TodoInProgress {
			n++
		}
	}
	return n
}

// Next returns the task in progress, or else the first pending one; "" if no task is open.
func (w *Work) Next() string {
	for _, status := range [...]tool.TodoStatus{tool.TodoInProgress, tool.TodoPending} {
		if i := slices.IndexFunc(w.Todos, func(t tool.Todo) bool { return t.Status == status }); i >= 0 {
			return w.Todos[i].Description
		}
	}
	return ""
}

// Add adds a finished call with its result as people see it. It ignores calls that have not run. summary describes a
// command.
func (w *Work) Add(isCommand bool, summary string, hasRun bool, display tool.Display) {
	switch d := display.(type) {
	case *tool.DiffDisplay:
		if !hasRun {
			return
		}
		w.Added += d.Stat.ModelAddedLines + d.Stat.UserAddedLines
		w.Removed += d.Stat.ModelRemovedLines + d.Stat.UserRemovedLines
		w.addFile(d.FilePath)
	case *tool.TodoDisplay:
		w.Todos = d.Todos
	default:
		if isCommand && hasRun {
			w.Commands++
			w.LastCommand = summary
		}
	}
}

// AddChanges adds changes of files that a command has made; nil for none. The path of a file in the workspace is relative to it
// then, and absolute for an edit.
func (w *Work) AddChanges(c *tool.Changes) {
	if c == nil {
		return
	}
	w.Added += c.Added
	w.Removed += c.Removed
	w.MoreFiles = w.MoreFiles || c.Total() > len(c.Files)
	for _, f := range c.Files {
		w.addFile(f.Path)
	}
}

// addFile adds the path of a file.
func (w *Work) addFile(path string) {
	switch {
	case slices.Contains(w.Files, path):
	case len(w.Files) == maxFiles:
		w.MoreFiles = true
	default:
		w.Files = append(w.Files, path)
	}
}

// addEntries adds the calls of a history.
func (w *Work) addEntries(entries []agent.Entry) {
	for i := range entries {
		for j := range entries[i].Calls {
			c := &entries[i].Calls[j]
			w.Add(IsCommand(c.Name), c.Description, c.HasRun && c.Status == agent.Success, c.Display)
			for k := range c.Executions {
				w.AddChanges(c.Executions[k].ShownChanges())
			}
		}
	}
}

// IsCommand reports whether a tool runs shell commands.
func IsCommand(name string) bool { return name == "run_shell_command" }

// lastTime returns when the last message with a time joined a history, zero if none has one.
func lastTime(entries []agent.Entry) time.Time {
	for _, e := range slices.Backward(entries) {
		if !e.Time.IsZero() {
			return e.Time
		}
	}
	return time.Time{}
}
