package todo_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/tools/todo"
	"pollux/tool"
)

func TestWriteTodos(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, args, refused, text, summary string }{
		{
			name: "one of each", args: `{"todos":[
			{"description":"read","status":"completed"},{"description":"write","status":"in_progress"},{"description":"test","status":"pending"},
			{"description":"ask","status":"cancelled"},{"description":"wait","status":"blocked"}]}`, summary: "1 of 5 done",
			text: "Successfully updated the todo list. The current list is now:\n1. [completed] read\n2. [in_progress] write\n3. [pending] test\n4. [cancelled] ask\n5. [blocked] wait",
		},
		{name: "cleared", args: `{"todos":[]}`, text: "Successfully cleared the todo list.", summary: "0 of 0 done"},
		{
			name: "two at once", args: `{"todos":[{"description":"a","status":"in_progress"},{"description":"b","status":"in_progress"}]}`,
			refused: `Invalid parameters: Only one task can be "in_progress" at a time.`,
		},
		{
			name: "blank", args: `{"todos":[{"description":"a","status":"pending"},{"description":" \n","status":"pending"}]}`,
			refused: "Invalid parameters: Todo 2 must have a non-empty description.",
		},
		{name: "no list", args: `{}`, refused: "params must have required property 'todos'; 'todos' is [{description: string, status: string}]"},
		{name: "null", args: `{"todos":null}`, refused: "params/todos must be array: [{description: string, status: string}]"},
		{name: "text for a list", args: `{"todos":"all of it"}`, refused: "params/todos must be array: [{description: string, status: string}]"},
		{name: "no status", args: `{"todos":[{"description":"a"}]}`, refused: "params/todos/0 must have required property 'status'"},
		{name: "unknown status", args: `{"todos":[{"description":"a","status":"done"}]}`, refused: "params/todos/0/status must be equal to one of the allowed values"},
		{name: "more in an item", args: `{"todos":[{"description":"a","status":"pending","id":1}]}`, refused: "params/todos/0 must NOT have additional properties"},
		{name: "more beside it", args: `{"todos":[],"wait_for_previous":true}`, refused: "params must NOT have additional properties"},
		{name: "another case", args: `{"todos":[],"Todos":[{"description":"a","status":"pending"}]}`, refused: "params must NOT have additional properties"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			inv, err := tool.Build(todo.New(), json.RawMessage(c.args))
			if c.refused != "" {
				if err == nil || err.Error() != c.refused {
					t.Fatalf("got %v, want %s", err, c.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			r := inv.Run(t.Context(), tool.Host{})
			if got := r.Content[0].Text; r.Error != nil || got != c.text {
				t.Errorf("got %q, want %q", got, c.text)
			}
			if r.Summary != c.summary {
				t.Errorf("summary %q, want %q", r.Summary, c.summary)
			}
			var want struct{ Todos []tool.Todo }
			if err := json.Unmarshal([]byte(c.args), &want); err != nil {
				t.Fatal(err)
			}
			if got := r.Display.(*tool.TodoDisplay).Todos; len(want.Todos) > 0 && !cmp.Equal(got, want.Todos) {
				t.Error(cmp.Diff(want.Todos, got))
			}
		})
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	one := `{"description":"a","status":"pending"}`
	for n, want := range []string{"Cleared the todo list", "Set 1 todo", "Set 2 todos"} {
		args := `{"todos":[` + strings.TrimSuffix(strings.Repeat(one+",", n), ",") + `]}`
		inv, err := tool.Build(todo.New(), json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		if got := inv.Summary(); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
