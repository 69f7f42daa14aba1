package plain

import (
	"reflect"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/agenttest"
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
		&tool.AgentDisplay{Agent: "a", Result: "marker"},
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

// Each kind of confirmation can be asked.
func TestEveryConfirmation(t *testing.T) {
	for _, kind := range tool.Confirmations() {
		if d := (&dialog{q: &question{details: kind}}); d.askFunc() == nil {
			t.Errorf("plain: %T is new: ask it in confirm.go of the plain face", kind)
		}
	}
}
