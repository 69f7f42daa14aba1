package assembly

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/agent/compress"
	"pollux/internal/tools/todo"
	"pollux/llm"
	"pollux/tool"
)

// TestFacts takes the todo list from the newest result, else from an earlier summary, and leaves out one that the
// conversation still has or that was cleared.
func TestFacts(t *testing.T) {
	t.Parallel()
	set := func(args string) agent.Message {
		inv, err := tool.Build(todo.New(), []byte(args))
		if err != nil {
			t.Fatal(err)
		}
		text := inv.Run(t.Context(), tool.Host{}).Content[0].Text
		return agent.Message{Content: llm.User(llm.Part{FunctionResponse: llm.Output("1", "write_todos", text)})}
	}
	first := set(`{"todos":[{"description":"Write","status":"in_progress"}]}`)
	second := set(`{"todos":[{"description":"Write","status":"completed"},{"description":"Test","status":"pending"}]}`)
	none := set(`{"todos":[]}`)
	refused := agent.Message{Content: llm.User(llm.Part{FunctionResponse: llm.Output("2", "write_todos", "Invalid parameters")})}
	summary := agent.Message{Content: llm.User(llm.Text("<state_snapshot>\n<todo_list>\nno\n</todo_list>\n</state_snapshot>\n\n[]\n<todo_list>\n1. [pending] Old\n</todo_list>\n\n[]"))}
	for name, tt := range map[string]struct {
		removed, kept []agent.Message
		want          string
	}{
		"no list":      {},
		"the newest":   {[]agent.Message{summary, first, second, refused}, nil, "1. [completed] Write\n2. [pending] Test"},
		"kept":         {[]agent.Message{first}, []agent.Message{second}, ""},
		"kept cleared": {[]agent.Message{first}, []agent.Message{none}, ""},
		"cleared":      {[]agent.Message{summary, first, none}, nil, ""},
		"of a summary": {[]agent.Message{summary, refused}, []agent.Message{refused}, "1. [pending] Old"},
	} {
		var want []compress.Fact
		if tt.want != "" {
			want = append(want, compress.Fact{Name: todoFact, Text: tt.want})
		}
		want = append(want, compress.Fact{Name: runningFact, Text: "PID 7: serve"})
		b := &Builder{Running: func() string { return "PID 7: serve" }}
		if diff := cmp.Diff(want, withText(b.facts(tt.removed, tt.kept))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func withText(facts []compress.Fact) (list []compress.Fact) {
	for _, f := range facts {
		if f.Text != "" {
			list = append(list, f)
		}
	}
	return list
}
