// Package todo has the tool write_todos, with which a model maintains a list of its tasks.
package todo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"pollux/llm"
	"pollux/tool"
)

// New returns the tool write_todos. It has no state: the list is in the conversation, and each
// call replaces it.
func New() tool.Tool { return writeTodos{} }

type writeTodos struct{ tool.ChangesNoFile }

var spec = tool.Spec{
	Name:        "write_todos",
	DisplayName: "WriteTodos",
	Aliases:     []string{"WriteTodosTool"},
	Kind:        tool.KindOther,
	Serial:      true,
	Description: "Keeps the list of steps of a task, where the user can see how far it is. Use it for work of several steps; a question, or a change " +
		"in one place, needs no list. Give the whole list at every call: it replaces the one before. Mark a step in_progress when you begin it, " +
		"one at a time, and completed as soon as it is done and checked, not several together at the end. A step that turns out to be needless is " +
		"cancelled, one that waits for something you cannot bring about is blocked; new steps are added when you find them.",
	Brief: "Keeps the list of steps of a task, where the user sees how far it is. For work of several steps. Give the whole list at every call: one step " +
		"in_progress at a time, completed as soon as it is done and checked.",
	Schema: json.RawMessage(`{"type":"object","properties":{"todos":{"type":"array","description":"The whole list, in the order of work. Empty clears it.",` +
		`"items":{"type":"object","properties":{` +
		`"description":{"type":"string","description":"What is to be done, in a few words."},` +
		`"status":{"type":"string","enum":["pending","in_progress","completed","cancelled","blocked"],"description":"How far it is."}` +
		`},"required":["description","status"],"additionalProperties":false}}},"required":["todos"],"additionalProperties":false}`),
}

func (writeTodos) Spec() *tool.Spec { return &spec }

func (writeTodos) Build(raw json.RawMessage) (tool.Invocation, error) {
	var args struct {
		Todos []struct {
			Description string          `json:"description"`
			Status      tool.TodoStatus `json:"status"`
		} `json:"todos"`
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, fmt.Errorf("read the list: %w", err)
	}
	c := &call{}
	busy := 0
	for i, t := range args.Todos {
		if strings.TrimSpace(t.Description) == "" {
			//lint:ignore ST1005 the model reads it as a sentence
			return nil, fmt.Errorf("Invalid parameters: Todo %d must have a non-empty description.", i+1)
		}
		if t.Status == tool.TodoInProgress {
			busy++
		}
		c.todos = append(c.todos, tool.Todo{Description: t.Description, Status: t.Status})
	}
	if busy > 1 {
		//lint:ignore ST1005 models know the text
		return nil, errors.New(`Invalid parameters: Only one task can be "in_progress" at a time.`)
	}
	c.Described = tool.Described{Title: "Confirm: " + spec.DisplayName, Text: describe(len(c.todos))}
	return c, nil
}

type call struct {
	tool.Described
	todos []tool.Todo
}

// describe returns the summary of a call that sets n tasks.
func describe(n int) string {
	switch n {
	case 0:
		return "Cleared the todo list"
	case 1:
		return "Set 1 todo"
	}
	return fmt.Sprintf("Set %d todos", n)
}

func (c *call) Run(context.Context, tool.Host) *tool.Result {
	text := cleared
	done := 0
	if len(c.todos) > 0 {
		var lines []string
		for i, t := range c.todos {
			lines = append(lines, fmt.Sprintf("%d. [%s] %s", i+1, t.Status, t.Description))
			if t.Status == tool.TodoCompleted {
				done++
			}
		}
		text = updated + strings.Join(lines, "\n")
	}
	return &tool.Result{
		Content: []llm.Part{llm.Text(text)},
		Display: &tool.TodoDisplay{Todos: c.todos},
		Summary: fmt.Sprintf("%d of %d done", done, len(c.todos)),
	}
}
