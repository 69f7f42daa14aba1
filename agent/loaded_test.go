package agent_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/llm"
)

// A loaded history may end with calls without a response, because the program was killed. Each
// call gets a response before the next message joins the history.
func TestLoadedHistoryEndsWithCalls(t *testing.T) {
	t.Parallel()
	const cancelled = ` {"error":"[Operation Cancelled] Reason: Operation cancelled"}`
	prompt := agent.Message{Content: llm.User(llm.Text("look"))}
	called := agent.Message{Content: llm.Model(call("look__1", "look", `{}`), call("look__2", "look", `{}`))}
	first := agent.Message{Content: llm.User(llm.Part{FunctionResponse: llm.Output("look__1", "look", "seen")})}
	later := agent.Message{Content: llm.Model(llm.Text("later"))}
	for name, tt := range map[string]struct {
		loaded []agent.Message
		want   string // of the loaded history, as the model gets it
	}{
		"no response": {
			[]agent.Message{prompt, called},
			lines("user: look", "model: call look__1 call look__2", "user: response look__1"+cancelled+" response look__2"+cancelled),
		},
		"one response": {
			[]agent.Message{prompt, called, first},
			lines("user: look", "model: call look__1 call look__2", `user: response look__1 {"output":"seen"}`, "user: response look__2"+cancelled),
		},
		"text after the calls": {
			[]agent.Message{prompt, called, later},
			lines("user: look", "model: call look__1 call look__2", "model: later", "user: response look__1"+cancelled+" response look__2"+cancelled),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(text("ok"))}}
			b := &book{}
			a := newAgent(t, s, func(c *agent.Config) { c.Journal = b }, echo("look"))
			a.SetHistory(t.Context(), tt.loaded)
			if got := len(a.History()); got != len(tt.loaded) {
				t.Errorf("%d messages before the run", got)
			}
			play(t.Context(), a, "go on")
			want := tt.want + lines("model: [The previous response was interrupted before it completed.]", "user: go on")
			if diff := cmp.Diff(want, wire(s.requests[0].Contents)); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want+lines("model: ok"), wire(b.contents())); diff != "" || len(b.failures) > 0 {
				t.Errorf("journal: %v\n%s", b.failures, diff)
			}

			a.SetHistory(t.Context(), tt.loaded)
			a.AddMessage(t.Context(), agent.Message{Content: llm.User(llm.Text("told"))})
			var contents []*llm.Content
			for _, m := range a.History() {
				contents = append(contents, m.Content)
			}
			if diff := cmp.Diff(tt.want+lines("user: told"), wire(contents)); diff != "" {
				t.Errorf("history after AddMessage (-want +got):\n%s", diff)
			}
		})
	}
}
