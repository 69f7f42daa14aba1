// Package todo has the tray above the input with the model's task list.
package todo

import (
	"slices"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/terminal"
	"pollux/tool"
)

// Tray shows the newest task list of the model, as one line, or expanded with all tasks. The zero value has no list.
type Tray struct {
	IsExpanded bool

	tasks       []tool.Todo // with clean descriptions
	hidden      int         // tasks that are not in tasks
	done, total int         // without cancelled tasks
	current     int         // index of the task in progress, -1 for none
	next        int         // index of the first task to do, 0 for none
	isOpen      bool        // there are tasks to do
}

// Handle takes an event of the session.
func (y *Tray) Handle(e kit.Event) {
	ran, ok := e.(kit.Ran)
	if !ok {
		return
	}
	finished, ok := ran.Event.(agent.ToolFinished)
	if !ok {
		return
	}
	for i := range finished.Executions {
		if x := &finished.Executions[i]; x.Status == agent.Success && x.Result != nil {
			if list, ok := x.Result.Display.(*tool.TodoDisplay); ok {
				y.set(list.Todos)
			}
		}
	}
}

// Toggle expands or collapses the tray.
func (y *Tray) Toggle() { y.IsExpanded = !y.IsExpanded }

// Clear removes the list, for a new conversation.
func (y *Tray) Clear() { *y = Tray{IsExpanded: y.IsExpanded} }

// Limits of the list that a tray keeps.
const (
	mostTasks = 200
	mostBytes = 500 // of a description
)

// set replaces the list.
func (y *Tray) set(list []tool.Todo) {
	y.Clear()
	y.tasks = slices.Clone(list[:min(len(list), mostTasks)])
	y.hidden = len(list) - len(y.tasks)
	for i := range y.tasks {
		y.tasks[i].Description = terminal.Title(terminal.Cut(y.tasks[i].Description, mostBytes))
	}
	y.current = slices.IndexFunc(y.tasks, func(task tool.Todo) bool { return task.Status == tool.TodoInProgress })
	y.next = max(y.current, 0)
	if y.current < 0 {
		y.next = max(slices.IndexFunc(y.tasks, isToDo), 0)
	}
	for _, task := range list {
		if task.Status != tool.TodoCancelled {
			y.total++
		}
		if task.Status == tool.TodoCompleted {
			y.done++
		}
	}
	y.isOpen = slices.ContainsFunc(list, isToDo)
}

func isToDo(task tool.Todo) bool {
	return task.Status != tool.TodoCompleted && task.Status != tool.TodoCancelled
}
