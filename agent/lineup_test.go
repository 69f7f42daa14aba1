package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// slowGate asks about each call; for the longer, the less the calls' number, it finds out what to ask. It does not ask about calls of "quiet".
type slowGate struct{ calls int }

func (g slowGate) Admit(ctx context.Context, c *agent.ToolCall, t tool.Tool, ask agent.Ask) agent.Admission {
	n, _ := strconv.Atoi(c.ID[strings.LastIndex(c.ID, "c")+1:])
	time.Sleep(time.Duration(g.calls-n) * time.Second) // in the time of the bubble
	return openGate{asks: c.Name != "quiet"}.Admit(ctx, c, t, ask)
}

// TestLineup checks that questions about calls that are prepared at the same time come in the order of the calls, and all of them before the first answer,
// as many as are prepared at the same time.
func TestLineup(t *testing.T) {
	t.Parallel()
	for name, count := range map[string]int{"few calls": 4, "more than run at the same time": 80} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				run := func(context.Context, tool.Host, json.RawMessage) *tool.Result { return tool.Text("done") }
				names := slices.Repeat([]string{"loud", "quiet"}, count/2)
				s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(calls(names...)), says(text("ok"))}}
				a := newAgent(t, s, func(c *agent.Config) { c.Gate = slowGate{count} }, newToy("loud", run), newToy("quiet", run))
				var asked []agent.ToolAsked
				var ended int
				for e := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("go")}}) {
					switch e := e.(type) {
					case agent.ToolAsked:
						if want := fmt.Sprintf("loud__c%d", 2*len(asked)+1); e.Call.ID != want {
							t.Errorf("asked about %s, want %s", e.Call.ID, want)
						}
						if want := min(count/2, 32) - 1 - len(asked); len(asked) < 32 && e.Following != want {
							t.Errorf("%d questions follow %s, want %d", e.Following, e.Call.ID, want)
						}
						if asked = append(asked, e); len(asked) < min(count/2, 32) {
							continue // all that can be prepared have a question before the first answer
						}
						for _, q := range asked {
							q.Answer(tool.Answer{Outcome: tool.ProceedOnce})
							q.Answer(tool.Answer{Outcome: tool.Cancel}) // too late
						}
					case agent.ToolFinished:
						if ended++; e.Status != agent.Success {
							t.Errorf("%s: %s", e.Call.ID, e.Status)
						}
					}
				}
				if ended != count {
					t.Errorf("%d calls ended, want %d", ended, count)
				}
			})
		})
	}
}

// TestLineupCancelled checks that a question that waits for another call is not asked after the run was cancelled.
func TestLineupCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		run := func(context.Context, tool.Host, json.RawMessage) *tool.Result { return tool.Text("done") }
		s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(calls("loud", "loud")), says(text("ok"))}}
		a := newAgent(t, s, func(c *agent.Config) { c.Gate = slowGate{10} }, newToy("loud", run))
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(8500*time.Millisecond, func() { cancel(errors.New("enough")) })
		for e := range a.Run(ctx, agent.Prompt{Parts: []llm.Part{llm.Text("go")}}) {
			switch e := e.(type) {
			case agent.ToolAsked:
				t.Errorf("asked about %s", e.Call.ID)
			case agent.ToolFinished:
				if e.Status == agent.Success {
					t.Errorf("%s: %s", e.Call.ID, e.Status)
				}
			}
		}
	})
}

// twiceGate asks about each call twice. Between the questions about "slow", a second passes.
type twiceGate struct{}

func (twiceGate) Admit(ctx context.Context, c *agent.ToolCall, t tool.Tool, ask agent.Ask) agent.Admission {
	if a := (openGate{asks: true}).Admit(ctx, c, t, ask); a.Run == nil {
		return a
	}
	if c.Name == "slow" {
		time.Sleep(time.Second) // in the time of the bubble
	}
	return openGate{asks: true}.Admit(ctx, c, t, ask)
}

// TestLineupAnsweredAgain checks that a second answer to a question does not remove the next question about the same call, which waits for
// another call.
func TestLineupAnsweredAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		run := func(context.Context, tool.Host, json.RawMessage) *tool.Result { return tool.Text("done") }
		s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(calls("quick", "slow")), says(text("ok"))}}
		a := newAgent(t, s, func(c *agent.Config) { c.Gate = twiceGate{} }, newToy("quick", run), newToy("slow", run))
		asked := 0
		for e := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("go")}}) {
			if q, ok := e.(agent.ToolAsked); ok {
				asked++
				q.Answer(tool.Answer{Outcome: tool.ProceedOnce})
				time.AfterFunc(time.Second/2, func() { q.Answer(tool.Answer{Outcome: tool.ProceedOnce}) })
			}
		}
		if asked != 4 {
			t.Errorf("asked %d times, want 4", asked)
		}
	})
}
