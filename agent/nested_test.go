package agent_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

type answersOf = []func(context.Context, func(*llm.Response, error) bool)

// delegate returns a tool that runs an agent with its own tool and gate. Its result is the
// agent's last text.
func delegate(t *testing.T, model *script, inner ...tool.Tool) *toy {
	return newToy("delegate", func(ctx context.Context, host tool.Host, _ json.RawMessage) *tool.Result {
		a := newAgent(t, model, func(c *agent.Config) { c.Gate = openGate{asks: true} }, inner...)
		last := ""
		for e, err := range agent.Forward(host, a.Run(ctx, agent.Prompt{Parts: []llm.Part{llm.Text("work")}})) {
			if err != nil {
				return tool.Fail(tool.ErrExecutionFailed, err.Error())
			}
			if text, ok := e.(agent.Text); ok {
				last = text.Text
			}
		}
		return tool.Text(last)
	})
}

// An agent inside a tool call shows its work, and the consumer of the outer run
// answers its questions.
func TestNested(t *testing.T) {
	t.Parallel()
	for outcome, end := range map[tool.Outcome]agent.Status{tool.ProceedOnce: agent.Success, tool.Cancel: agent.CallCancelled} {
		inner := &script{answers: answersOf{says(calls("look")), says(text("found it"))}}
		outer := &script{answers: answersOf{says(calls("delegate")), says(text("done"))}}
		a := newAgent(t, outer, nil, delegate(t, inner, echo("look")))
		var got []string
		for e, err := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("hi")}}) {
			if err != nil {
				t.Fatal(err)
			}
			switch e := e.(type) {
			case agent.Nested:
				if e.Call.Name != "delegate" {
					t.Errorf("nested in %s", e.Call.Name)
				}
				switch e.Event.(type) {
				case agent.ToolRequested, agent.ToolFinished, agent.Text:
					got = append(got, "nested "+line(e.Event))
				}
			case agent.ToolAsked:
				got = append(got, "asked "+e.Call.Name+" within "+e.Within[0].Name)
				e.Answer(tool.Answer{Outcome: outcome})
			case agent.ToolFinished:
				got = append(got, line(e))
			}
		}
		want := []string{"nested requested look__c1", "asked look within delegate", "nested finished look__c1 " + string(end)}
		if outcome == tool.ProceedOnce {
			want = append(want, "nested text found it")
		}
		want = append(want, "finished delegate__c1 success")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", outcome, diff)
		}
	}
}

// Cancelling the outer run ends the inner one, too, while it asks or works.
func TestNestedCancelled(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"asked", "working", "left"} {
		ctx, cancel := context.WithCancel(t.Context())
		stopped := make(chan error, 1)
		wait := newToy("wait", func(ctx context.Context, _ tool.Host, _ json.RawMessage) *tool.Result {
			if at == "working" {
				cancel()
			}
			<-ctx.Done()
			stopped <- ctx.Err()
			return tool.Text("stopped")
		})
		inner := &script{answers: answersOf{says(calls("wait"))}}
		outer := &script{answers: answersOf{says(calls("delegate"))}}
		a := newAgent(t, outer, nil, delegate(t, inner, wait))
		last := ""
		for e := range a.Run(ctx, agent.Prompt{Parts: []llm.Part{llm.Text("hi")}}) {
			last = line(e)
			q, ok := e.(agent.ToolAsked)
			if !ok {
				continue
			}
			if at == "left" {
				break
			}
			if at == "asked" {
				cancel()
				continue
			}
			q.Answer(tool.Answer{Outcome: tool.ProceedOnce})
		}
		if at != "left" && last != "Cancelled" {
			t.Errorf("%s: the last event is %s", at, last)
		}
		if at == "working" && <-stopped == nil {
			t.Error("the inner call was not stopped")
		}
		if h := a.History(); !h[len(h)-1].Content.HasFunctionResponse() {
			t.Errorf("%s: a call without its response", at)
		}
		cancel()
	}
}

// A tool may ask a person while it runs.
func TestHostAsk(t *testing.T) {
	t.Parallel()
	curious := newToy("curious", func(ctx context.Context, host tool.Host, _ json.RawMessage) *tool.Result {
		a, err := host.Ask(ctx, &tool.InfoConfirmation{Title: "really?"})
		if err != nil {
			return tool.Fail(tool.ErrUnhandled, err.Error())
		}
		return tool.Text(string(a.Outcome))
	})
	s := &script{answers: answersOf{says(calls("curious")), says(text("done"))}}
	a := newAgent(t, s, nil, curious)
	for e := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("hi")}}) {
		switch e := e.(type) {
		case agent.ToolAsked:
			if e.Call.Name != "curious" || e.Within != nil {
				t.Errorf("asked by %s within %v", e.Call.Name, e.Within)
			}
			e.Answer(tool.Answer{Outcome: tool.ProceedOnce})
		case agent.ToolFinished:
			if got := llm.PartsText(e.Result.Content); got != "proceed_once" {
				t.Errorf("the tool got %q", got)
			}
		}
	}
}

// Without a host that can ask, the questions of a nested agent are refused.
func TestForwardWithoutHost(t *testing.T) {
	t.Parallel()
	inner := &script{answers: answersOf{says(calls("look"))}}
	d := delegate(t, inner, echo("look"))
	if r := d.run(t.Context(), tool.Host{}, nil); r.Error != nil || len(inner.requests) != 1 {
		t.Errorf("%+v after %d requests", r.Error, len(inner.requests))
	}
}

// A question after the end of its call returns an error and does not wait.
func TestHostAskTooLate(t *testing.T) {
	t.Parallel()
	late := make(chan tool.Host, 1)
	leaky := newToy("leaky", func(_ context.Context, host tool.Host, _ json.RawMessage) *tool.Result {
		late <- host
		return tool.Text("ok")
	})
	s := &script{answers: answersOf{says(calls("leaky")), says(text("done"))}}
	play(t.Context(), newAgent(t, s, nil, leaky), "hi")
	if _, err := (<-late).Ask(t.Context(), &tool.InfoConfirmation{}); err == nil {
		t.Error("a question after the end was answered")
	}
}
