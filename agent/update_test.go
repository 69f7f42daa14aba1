package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/llm"
	"pollux/tool"
)

// located is a tool whose calls change a file.
type located struct{ *toy }

func (l located) Build(args json.RawMessage) (tool.Invocation, error) {
	return locatedCall{&toyCall{l.toy, args}}, nil
}

type locatedCall struct{ *toyCall }

func (c locatedCall) Locations() []tool.Location {
	var args struct{ Path string }
	_ = json.Unmarshal(c.args, &args)
	return []tool.Location{{Path: args.Path, Line: 7}}
}

// rewritingGate asks about a call with another path, and continues it with one more.
type rewritingGate struct{}

func (rewritingGate) Admit(ctx context.Context, c *agent.ToolCall, t tool.Tool, ask agent.Ask) agent.Admission {
	admitted := agenttest.Admit(c, t)
	asked, err := admitted.Call.Rewrite(json.RawMessage(`{"path":"/w/hooked"}`), agent.AuthorHook)
	if err != nil {
		panic(err)
	}
	q, err := asked.Approval(ctx, func(details tool.Confirmation) tool.Confirmation { return details })
	if err != nil {
		panic(err)
	}
	if _, err := ask(ctx, q); err != nil {
		panic(err)
	}
	admitted.Call = asked
	admitted.Run = func(ctx context.Context, host agent.Host) []agent.Execution {
		first := asked.Record(agent.Decision{})
		first.Result = asked.Run(ctx, host)
		next, err := asked.Rewrite(json.RawMessage(`{"path":"/w/next"}`), agent.AuthorHook)
		if err != nil {
			panic(err)
		}
		host.Continues(next)
		last := next.Record(agent.Decision{})
		last.Result = next.Run(ctx, host)
		return []agent.Execution{first, last}
	}
	return admitted
}

// TestUpdates checks that the events of a call have the data that an editor shows: kind, locations and output.
func TestUpdates(t *testing.T) {
	t.Parallel()
	write := located{newToy("write", func(ctx context.Context, host tool.Host, _ json.RawMessage) *tool.Result {
		host.Output(tool.TerminalDisplay("half"))
		host.Started(42)
		if _, err := host.Ask(ctx, &tool.InfoConfirmation{Title: "really"}); err != nil {
			t.Error(err)
		}
		return tool.Text("done")
	})}
	write.spec.Kind = tool.KindEdit
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(chunk(llm.FinishStop, call("c1", "write", `{"path":"/w/a"}`), call("c2", "none", `{}`))),
		says(text("ok")),
	}}
	a := newAgent(t, s, func(c *agent.Config) { c.Gate = rewritingGate{} }, write)
	var got []string
	for e, err := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("go")}}) {
		switch e := e.(type) {
		case agent.ToolUpdated:
			if e.Status == agent.Executing != (e.Running != nil && e.Summary == "write at work") && e.Status != agent.Scheduled {
				t.Errorf("%s runs %v, %q", e.Status, e.Running, e.Summary)
			}
			got = append(got, fmt.Sprintf("%s %s %s %v %v %d", e.Call.Name, e.Status, e.Kind, e.Locations, e.Output, e.PID))
		case agent.ToolAsked:
			e.Answer(tool.Answer{Outcome: tool.ProceedOnce})
		}
		if err != nil {
			t.Error(err)
		}
	}
	want := []string{
		"write validating edit [] <nil> 0",
		"write awaiting_approval edit [{/w/hooked 7}] <nil> 0",
		"write scheduled edit [{/w/hooked 7}] <nil> 0",
		"write executing edit [{/w/hooked 7}] <nil> 0",
		"write executing edit [{/w/hooked 7}] half 0",
		"write executing edit [{/w/hooked 7}] half 42",
		"write awaiting_approval edit [{/w/hooked 7}] <nil> 0",
		"write executing edit [{/w/hooked 7}] half 42",
		"write executing edit [{/w/next 7}] <nil> 0",
		"write executing edit [{/w/next 7}] half 0",
		"write executing edit [{/w/next 7}] half 42",
		"write awaiting_approval edit [{/w/next 7}] <nil> 0",
		"write executing edit [{/w/next 7}] half 42",
		"none validating other [] <nil> 0",
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}
