package plain

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/face/kit"
	"pollux/internal/terminal"
	"pollux/tool"
)

// Each kind of display is shown.
func TestEveryDisplay(t *testing.T) {
	samples := map[reflect.Type]tool.Display{}
	for _, d := range []tool.Display{
		tool.TextDisplay("marker"), tool.TerminalDisplay("marker"),
		&tool.DiffDisplay{Diff: "--- f\n+++ f\n@@ -1 +1 @@\n-a\n+marker\n", FileName: "f"},
		&tool.ListDisplay{Summary: "marker"}, &tool.MatchDisplay{Summary: "marker"},
		&tool.TodoDisplay{Todos: []tool.Todo{{Description: "marker", Status: tool.TodoPending}}},
		&tool.AgentDisplay{Agent: "a", Result: "marker"}, &tool.ProgressDisplay{Message: "marker"},
	} {
		samples[reflect.TypeOf(d)] = d
	}
	for _, kind := range tool.Displays() {
		d, ok := samples[reflect.TypeOf(kind)]
		if !ok {
			t.Errorf("%T is new: show it in calls.go of the plain face, and add a sample here", kind)
			continue
		}
		t.Run(reflect.TypeOf(kind).String(), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				call := callOf("look", "1")
				got := tells(t, backend{}, agenttest.Finished(call, agent.Success, &tool.Result{Display: d}))
				if !strings.Contains(got, "marker") {
					t.Errorf("plain: %T leaves no trace: %q", kind, got)
				}
			})
		})
	}
}

// Each kind of block of a question is shown.
func TestEveryBlock(t *testing.T) {
	for _, kind := range kit.Blocks() {
		t.Run(reflect.TypeOf(kind).String(), func(t *testing.T) {
			var b kit.Block
			switch kind.(type) {
			case *kit.Change:
				b = &kit.Change{DiffDisplay: &tool.DiffDisplay{Diff: "@@ -1 +1 @@\n-a\n+marker\n"}}
			case *kit.Command:
				b = &kit.Command{Text: "marker"}
			case *kit.Text:
				b = &kit.Text{Text: "marker"}
			case *kit.Request:
				b = &kit.Request{Args: []byte(`{"a":"marker"}`)}
			case *kit.Plan:
				b = &kit.Plan{Text: "marker"}
			}
			d := &dialog{page: newPage(newScreen(&terminal.Terminal{Width: 80}))}
			d.showBlock(b, false)
			if !strings.Contains(d.page.take(), "marker") {
				t.Errorf("plain: %T is new: show it in confirm.go of the plain face, and add a sample here", kind)
			}
		})
	}
}

// Each kind of event of the driver is handled.
func TestEveryDriverEvent(t *testing.T) {
	source, err := os.ReadFile("job.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range kit.Events() {
		if name := reflect.TypeOf(kind).Name(); !strings.Contains(string(source), "case kit."+name+":") {
			t.Errorf("plain: kit.%s is new: handle it in job.go of the plain face", name)
		}
	}
}
