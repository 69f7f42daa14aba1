package agent_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/llm"
)

// Reasoning is reported as it arrives, and stored as thoughts.
func TestThinking(t *testing.T) {
	t.Parallel()
	seal := llm.Part{Thought: true, ThoughtSignature: "vendor:x"}
	empty := llm.Part{}
	tests := []struct {
		name    string
		chunks  []*llm.Response
		hook    bool // puts another chunk in the place of each that holds "secret"
		want    string
		kept    []agent.Thought
		history string
	}{
		{
			name: "letters",
			chunks: []*llm.Response{
				chunk("", thought("**Lo")), chunk("", thought("oking** at")), chunk("", thought(" it\n\n")),
				chunk("", thought("**Then** do")), chunk(llm.FinishStop, llm.Text("ok")),
			},
			want: lines("thinking |**Lo", "thinking Looking|oking** at", "thinking Looking| it\n\n", "thought Looking|at it",
				"thinking Then|**Then** do", "thought Then|do", "text ok"),
			kept:    []agent.Thought{{Subject: "Looking", Description: "at it"}, {Subject: "Then", Description: "do"}},
			history: "user: hi\nmodel: ok\n",
		},
		{
			name: "one a part",
			chunks: []*llm.Response{
				chunk("", thought("**A**\n\nb\n\n\n")), chunk("", thought("**C**\n\nd\n\n\n")),
				chunk(llm.FinishStop, llm.Text("ok")),
			},
			want: lines("thinking A|**A**\n\nb\n\n\n", "thought A|b", "thinking C|**C**\n\nd\n\n\n", "thought C|d", "text ok"),
			kept: []agent.Thought{{Subject: "A", Description: "b"}, {Subject: "C", Description: "d"}}, history: "user: hi\nmodel: ok\n",
		},
		{
			name: "sealed blocks, empty texts between them",
			chunks: []*llm.Response{
				chunk("", thought("a"), empty), chunk("", empty, thought("b")), chunk("", seal),
				chunk("", thought("c")), chunk("", seal), chunk(llm.FinishStop, llm.Text("ok")),
			},
			want: lines("thinking |a", "thinking |b", "thought |ab", "thinking |c", "thought |c", "text ok"),
			kept: []agent.Thought{{Description: "ab"}, {Description: "c"}}, history: "user: hi\nmodel:     ok\n",
		},
		{
			name:   "a call ends a thought, and so does the end of the answer",
			chunks: []*llm.Response{chunk("", thought("a"), call("c1", "gone", "{}")), chunk(llm.FinishStop, thought("b"))},
			want:   lines("thinking |a", "thought |a", "thinking |b", "thought |b", "requested gone__c1"),
			kept:   []agent.Thought{{Description: "a"}, {Description: "b"}},
			history: "user: hi\nmodel: call gone__c1\n" +
				"user: response gone__c1 {\"error\":\"Tool \\\"gone\\\" not found. Did you mean \\\"look\\\"?\"}\n",
		},
		{
			name: "a hook that hides one", hook: true,
			chunks: []*llm.Response{
				chunk("", thought("a ")), chunk("", thought("secret")), chunk("", thought("b")), chunk(llm.FinishStop, llm.Text("ok")),
			},
			want: lines("thinking |a ", "thinking |***", "thinking |b", "thought |a ***b", "text ok"),
			kept: []agent.Thought{{Description: "a ***b"}}, history: "user: hi\nmodel: ok\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(tt.chunks...)}}
			a := newAgent(t, s, func(c *agent.Config) {
				c.MaxTurns = new(1)
				if tt.hook {
					c.Hooks = &fakeHooks{chunk: func(r *llm.Response) (agent.Verdict, *llm.Response) {
						if len(r.Parts()) > 0 && r.Parts()[0].Text == "secret" {
							return agent.Verdict{}, chunk("", thought("***"))
						}
						return agent.Verdict{}, nil
					}}
				}
			}, echo("look"))
			got := ""
			for e := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("hi")}}) {
				switch e.(type) {
				case agent.Thinking, agent.Thought, agent.Text, agent.ToolRequested:
					got += line(e) + "\n"
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			var contents []*llm.Content
			for _, m := range a.History() {
				contents = append(contents, m.Content)
			}
			for i := range tt.kept {
				tt.kept[i].Time = time.Unix(1700000000, 0)
			}
			if diff := cmp.Diff(tt.kept, a.History()[1].Thoughts); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.history, wire(contents)); diff != "" {
				t.Errorf("history (-want +got):\n%s", diff)
			}
		})
	}
}
