package subagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/subagent"
	"pollux/llm"
	"pollux/tool"
)

// model is a model with a response for each request; the last one repeats.
type model struct {
	mu       sync.Mutex
	answers  []answer
	requests []*llm.Request
}

type answer func(ctx context.Context) (*llm.Response, error)

func (m *model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		m.mu.Lock()
		next := m.answers[min(len(m.requests), len(m.answers)-1)]
		m.requests = append(m.requests, req)
		m.mu.Unlock()
		yield(next(ctx))
	}
}

func (m *model) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	return nil, errors.New("not scripted")
}

func (m *model) CountTokens(context.Context, *llm.Request) (int, error) { return 0, nil }

func (m *model) Embed(context.Context, string, []string) ([][]float32, error) { return nil, nil }

func (m *model) lastPrompt() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	contents := m.requests[len(m.requests)-1].Contents
	return contents[len(contents)-1].Text()
}

func says(parts ...llm.Part) answer {
	return func(context.Context) (*llm.Response, error) {
		return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(parts...), FinishReason: llm.FinishStop}}}, nil
	}
}

func call(name, args string) llm.Part {
	return llm.Part{FunctionCall: &llm.FunctionCall{Name: name, Args: json.RawMessage(args)}}
}

// hangs answers nothing until the request is cancelled.
func hangs(ctx context.Context) (*llm.Response, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// gate lets every call run, and asks about those of "ask".
type gate struct{}

func (gate) Admit(ctx context.Context, c *agent.ToolCall, t tool.Tool, ask agent.Ask) agent.Admission {
	admitted := agenttest.Admit(c, t)
	switch {
	case admitted.Run == nil:
	case t.Spec().Name == "ask":
		if _, err := ask(ctx, agenttest.Question(c, &tool.InfoConfirmation{Title: "really?"})); err != nil {
			return agenttest.Refuse(c, &tool.Result{})
		}
	case t.Spec().Name == "stop":
		admitted.Run = func(context.Context, agent.Host) []agent.Execution {
			return []agent.Execution{agent.Refused(c, tool.Fail(tool.ErrStopExecution, "enough"))}
		}
	}
	return admitted
}

// outcome is the result of a subagent for its caller and its face.
type outcome struct {
	text     string
	display  *tool.AgentDisplay
	events   []subagent.Event
	closed   string // the summary that the worker was closed with
	requests int
	stopped  *agent.Stopped
}

// play runs a subagent with a model, and answers its questions after a time.
func play(ctx context.Context, t *testing.T, m *model, d subagent.Definition, answerAfter time.Duration) outcome {
	t.Helper()
	d.Name, d.Kind, d.Description = "worker", subagent.LocalKind, "works"
	set, _ := subagent.NewSet([]*subagent.Definition{&d}, nil)
	var o outcome
	var mu sync.Mutex
	invoke := subagent.NewTool(subagent.Options{
		Agents: func() *subagent.Set { return set },
		Start: func(_ context.Context, d *subagent.Definition, prompt string, done *subagent.Completion) (*subagent.Worker, error) {
			look, err := tool.Func("look", "looks", func(context.Context, struct{}) (string, error) { return "seen", nil }, tool.ReadOnly)
			if err != nil {
				return nil, err
			}
			ask, err := tool.Func("ask", "asks", func(context.Context, struct{}) (string, error) { return "yes", nil })
			if err != nil {
				return nil, err
			}
			stop, err := tool.Func("stop", "stops", func(context.Context, struct{}) (string, error) { return "", nil })
			if err != nil {
				return nil, err
			}
			turns := d.MaxTurns
			a := agent.New(agent.Config{
				Generator: m, Model: "m", Tools: tool.NewRegistry(done, look, ask, stop), Gate: gate{}, SessionID: "s", MaxTurns: &turns, Retry: agent.StreamRetry{Attempts: 1},
			})
			return &subagent.Worker{
				ID: "id", Agent: a, Prompt: []llm.Part{llm.Text(prompt)}, Turns: &turns, Title: func(name string) string { return strings.ToUpper(name) },
				Close: func(summary string) { o.closed = "closed: " + summary },
			}, nil
		},
		Observe: func(e subagent.Event) {
			mu.Lock()
			defer mu.Unlock()
			e.Duration = e.Duration.Truncate(time.Minute)
			o.events = append(o.events, e)
		},
	})
	outer := agent.New(agent.Config{
		Generator: &model{answers: []answer{says(call("invoke_agent", `{"agent_name":"worker","prompt":"do it"}`)), says(llm.Text("end"))}},
		Model:     "m", Tools: tool.NewRegistry(invoke), Gate: gate{},
	})
	for e, err := range outer.Run(ctx, agent.Prompt{Parts: []llm.Part{llm.Text("go")}}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case agent.ToolAsked:
			if len(e.Within) != 1 || e.Within[0].Name != "invoke_agent" || subagent.NameOf(e.Within[0]) != "worker" {
				t.Errorf("asked within %v", e.Within)
			}
			time.AfterFunc(answerAfter, func() { e.Answer(tool.Answer{Outcome: tool.ProceedOnce}) })
		case agent.Stopped:
			o.stopped = &e
		case agent.ToolFinished:
			o.text = llm.PartsText(e.Result.Content)
			o.display, _ = e.Result.Display.(*tool.AgentDisplay)
		}
	}
	o.requests = len(m.requests)
	return o
}

const complete = "complete_task"

var limits = subagent.Definition{MaxTurns: 3, Timeout: 10 * time.Minute}

func TestRun(t *testing.T) {
	t.Parallel()
	done := says(call(complete, `{"result":"found"}`))
	report := limits
	report.Output = &subagent.Output{Name: "report", Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`), Text: func(v json.RawMessage) string { return "report " + string(v) }}
	for _, c := range []struct {
		name     string
		d        subagent.Definition
		answers  []answer
		text     string
		requests int
		recovery string // the text of the last request, "" for no recovery
	}{
		{"goal", limits, []answer{says(call("look", "{}")), done}, "Subagent 'worker' finished.\nTermination Reason: GOAL\nResult:\nfound", 2, ""},
		{"the first result counts", limits, []answer{says(call(complete, `{"result":"one"}`), call(complete, `{"result":"two"}`))}, "Subagent 'worker' finished.\nTermination Reason: GOAL\nResult:\none", 1, ""},
		{"other calls of the turn run", limits, []answer{says(call(complete, `{"result":"one"}`), call("look", `{}`))}, "Subagent 'worker' finished.\nTermination Reason: GOAL\nResult:\none", 1, ""},
		{"an invalid result", report, []answer{says(call(complete, `{"report":{"n":"x"}}`)), says(call(complete, `{"report":{"n":3}}`))}, "Subagent 'worker' finished.\nTermination Reason: GOAL\nResult:\nreport {\"n\":3}", 2, ""},
		{"no call, then a result", limits, []answer{says(llm.Text("I am done.")), done}, "Subagent 'worker' finished.\nTermination Reason: GOAL\nResult:\nfound", 2, "You have stopped calling tools without finishing."},
		{"no call", limits, []answer{says(llm.Text("I am done."))}, "Subagent 'worker' finished.\nTermination Reason: ERROR_NO_COMPLETE_TASK_CALL\nResult:\nAgent stopped calling tools but did not call 'complete_task'.\nWhat it wrote last, which may be incomplete:\nI am done.", 2, "You have stopped calling tools"},
		{"the answer as text, then another text", limits, []answer{says(llm.Text("The cause is in a.go.")), says(llm.Text("I have said all."))}, "Subagent 'worker' finished.\nTermination Reason: ERROR_NO_COMPLETE_TASK_CALL\nResult:\nAgent stopped calling tools but did not call 'complete_task'.\nWhat it wrote last, which may be incomplete:\nThe cause is in a.go.\n\nI have said all.", 2, "You have stopped calling tools"},
		{"turns", limits, []answer{says(call("look", "{}"))}, "Subagent 'worker' finished.\nTermination Reason: MAX_TURNS\nResult:\nAgent reached max turns limit (3).", 4, "You have exceeded the maximum number of turns."},
		{"turns, then a result", limits, []answer{says(call("look", "{}")), says(call("look", "{}")), says(call("look", "{}")), done}, "Subagent 'worker' finished.\nTermination Reason: GOAL\nResult:\nfound", 4, "You have exceeded the maximum number of turns."},
		{"time", limits, []answer{hangs}, "Subagent 'worker' finished.\nTermination Reason: TIMEOUT\nResult:\nAgent timed out after 10 minutes.", 2, "You have exceeded the time limit."},
		{"time, then a result", limits, []answer{hangs, done}, "Subagent 'worker' finished.\nTermination Reason: GOAL\nResult:\nfound", 2, "You have exceeded the time limit."},
		{"an error", limits, []answer{func(context.Context) (*llm.Response, error) { return nil, errors.New("no quota") }}, "Subagent 'worker' failed. Error: no quota", 1, ""},
		{"a question that waits longer than the time", limits, []answer{says(call("ask", "{}")), done}, "Subagent 'worker' finished.\nTermination Reason: GOAL\nResult:\nfound", 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := &model{answers: c.answers}
				got := play(t.Context(), t, m, c.d, time.Hour)
				if got.text != c.text || got.requests != c.requests {
					t.Errorf("after %d requests:\n%s\nwant after %d:\n%s", got.requests, got.text, c.requests, c.text)
				}
				if c.recovery != "" && !strings.Contains(m.lastPrompt(), c.recovery) {
					t.Errorf("the last prompt is %q", m.lastPrompt())
				}
				if recovered := len(got.events) == 3; recovered != (c.recovery != "") || !strings.HasPrefix(got.closed, "closed: ") {
					t.Errorf("events: %+v; %q", got.events, got.closed)
				}
			})
		})
	}
}

// The last request has the task, whatever ended the run, and describes its end correctly.
func TestRecoveryKeepsTask(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string][]answer{
		"time, in the first request": {hangs},
		"time, in the second":        {says(call("look", "{}")), hangs},
		"turns":                      {says(call("look", "{}"))},
		"no call":                    {says(llm.Text("I am done."))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := &model{answers: answers}
				play(t.Context(), t, m, limits, 0)
				contents := m.requests[len(m.requests)-1].Contents
				if first := contents[0].Text(); !strings.HasPrefix(first, "do it") {
					t.Errorf("the last request begins with %q", first)
				}
				for _, c := range contents {
					if name == "turns" && strings.Contains(c.Text(), "interrupted") {
						t.Errorf("the last request says %q", c.Text())
					}
				}
			})
		})
	}
}

// The display and the record have the actions of the subagent.
func TestDisplay(t *testing.T) {
	t.Parallel()
	m := &model{answers: []answer{says(llm.Part{Text: "**Looking** around", Thought: true}, call("look", "{}"), call("nothing", "{}")), says(call(complete, `{"result":"found"}`))}}
	got := play(t.Context(), t, m, limits, 0)
	for i := range got.display.Activity {
		got.display.Activity[i].ID = ""
	}
	want := &tool.AgentDisplay{
		Agent: "worker", State: tool.AgentCompleted, Result: "found", Reason: "GOAL",
		Activity: []tool.Activity{
			{Type: "thought", Content: "Looking", Status: tool.AgentCompleted},
			{Type: "tool_call", Content: "look", DisplayName: "LOOK", Description: "{}", Args: "{}", Status: tool.AgentCompleted},
			{Type: "tool_call", Content: "nothing", DisplayName: "NOTHING", Args: "{}", Status: tool.AgentError},
			{Type: "tool_call", Content: complete, DisplayName: "COMPLETE_TASK", Description: "Completing task and submitting results.", Args: `{"result":"found"}`, Status: tool.AgentCompleted},
		},
	}
	if diff := cmp.Diff(want, got.display); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	events := []subagent.Event{{Kind: subagent.Started, Agent: "worker", ID: "id"}, {Kind: subagent.Finished, Agent: "worker", ID: "id", Reason: subagent.Goal, Turns: 2}}
	if diff := cmp.Diff(events, got.events); diff != "" || got.closed != "closed: found" {
		t.Errorf("%q (-want +got):\n%s", got.closed, diff)
	}
}

// A hook that stops a call of a subagent stops the agent that called it, too.
func TestStopped(t *testing.T) {
	t.Parallel()
	m := &model{answers: []answer{says(call("stop", "{}"))}}
	got := play(t.Context(), t, m, limits, 0)
	if got.requests != 1 || got.stopped == nil || !got.stopped.ByTool || got.stopped.Reason != "enough" {
		t.Errorf("after %d requests: %+v", got.requests, got.stopped)
	}
}

// A cancelled run ends at once, without a request for a result.
func TestCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		m := &model{answers: []answer{hangs}}
		got := play(ctx, t, m, limits, 0)
		if got.requests != 1 || got.display == nil || got.display.State != tool.AgentCancelled {
			t.Errorf("%+v", got)
		}
		if last := got.events[len(got.events)-1]; last.Reason != subagent.Aborted {
			t.Errorf("%+v", last)
		}
	})
}

// Without a client, a call of a remote subagent fails with a reason; with one, it returns the
// agent's response.
func TestRemote(t *testing.T) {
	t.Parallel()
	set, _ := subagent.NewSet([]*subagent.Definition{{Name: "far", Kind: subagent.RemoteKind, CardURL: "https://h/c"}}, nil)
	run := func(o subagent.Options) string {
		o.Agents = func() *subagent.Set { return set }
		inv, err := tool.Build(subagent.NewTool(o), json.RawMessage(`{"agent_name":"far","prompt":"hi"}`))
		if err != nil {
			t.Fatal(err)
		}
		c, err := inv.Confirmation(t.Context())
		if err != nil || c.(*tool.InfoConfirmation).Title != "Call Remote Agent: far" {
			t.Errorf("confirmation %+v, %v", c, err)
		}
		if urls := c.(*tool.InfoConfirmation).URLs; o.Remote != nil && !slices.Equal(urls, []string{"https://h"}) {
			t.Errorf("the question names %q", urls)
		}
		r := inv.Run(t.Context(), tool.Host{Output: func(tool.Display) {}})
		if r.Error != nil {
			return "error: " + r.Error.Message
		}
		if failed := strings.Contains(llm.PartsText(r.Content), "rror"); failed != strings.HasPrefix(r.Problem, "Subagent 'far' failed: ") {
			t.Errorf("the problem of %+v is %q", r.Content, r.Problem)
		}
		return llm.PartsText(r.Content)
	}
	if got := run(subagent.Options{}); got != "Subagent 'far' failed. Error: remote subagents cannot be reached from this session" {
		t.Errorf("without a client: %q", got)
	}
	client := func(err error) func(*subagent.Definition) (subagent.Remote, error) {
		return func(*subagent.Definition) (subagent.Remote, error) { return remote{err}, nil }
	}
	if got := run(subagent.Options{Remote: client(nil)}); got != tool.Untrusted("heard hi") {
		t.Errorf("with a client: %q", got)
	}
	if got := run(subagent.Options{Remote: client(errors.New("gone"))}); got != tool.Untrusted("heard hi\n\nError calling remote agent: gone") {
		t.Errorf("with a client that fails: %q", got)
	}
}

type remote struct{ err error }

func (remote) Describe(context.Context) (string, error) { return "far away", nil }

func (remote) Address(context.Context) string { return "https://h" }

func (r remote) Send(_ context.Context, text string, update func(string)) (string, error) {
	update("heard")
	return "heard " + text, r.err
}

// BenchmarkParallel runs one subagent, and ten at the same time, on a model that waits.
func BenchmarkParallel(b *testing.B) {
	for name, n := range map[string]int{"one": 1, "ten": 10} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				runParallel(b, n)
			}
		})
	}
}

// waits answers after a time, as models do.
func waits(next answer) answer {
	return func(ctx context.Context) (*llm.Response, error) {
		time.Sleep(50 * time.Millisecond)
		return next(ctx)
	}
}

// runParallel runs n subagents of ten turns in calls of one response.
func runParallel(tb testing.TB, n int) {
	d := &subagent.Definition{Name: "worker", Kind: subagent.LocalKind, MaxTurns: 20, Timeout: time.Minute}
	set, _ := subagent.NewSet([]*subagent.Definition{d}, nil)
	look, err := tool.Func("look", "looks", func(context.Context, struct{}) (string, error) { return "seen", nil }, tool.ReadOnly)
	if err != nil {
		tb.Fatal(err)
	}
	var answers []answer
	for range 9 {
		answers = append(answers, waits(says(call("look", "{}"))))
	}
	answers = append(answers, waits(says(call(complete, `{"result":"found"}`))))
	invoke := subagent.NewTool(subagent.Options{
		Agents: func() *subagent.Set { return set },
		Start: func(_ context.Context, d *subagent.Definition, prompt string, done *subagent.Completion) (*subagent.Worker, error) {
			turns := d.MaxTurns
			a := agent.New(agent.Config{Generator: &model{answers: answers}, Model: "m", Tools: tool.NewRegistry(done, look), Gate: gate{}, MaxTurns: &turns})
			return &subagent.Worker{ID: "id", Agent: a, Prompt: []llm.Part{llm.Text(prompt)}, Turns: &turns, Title: strings.ToUpper, Close: func(string) {}}, nil
		},
	})
	var calls []llm.Part
	for range n {
		calls = append(calls, call("invoke_agent", `{"agent_name":"worker","prompt":"do it"}`))
	}
	outer := agent.New(agent.Config{Generator: &model{answers: []answer{says(calls...), says(llm.Text("end"))}}, Model: "m", Tools: tool.NewRegistry(invoke), Gate: gate{}})
	finished := 0
	for e, err := range outer.Run(context.Background(), agent.Prompt{Parts: []llm.Part{llm.Text("go")}}) {
		if err != nil {
			tb.Fatal(err)
		}
		if f, ok := e.(agent.ToolFinished); ok && strings.Contains(llm.PartsText(f.Result.Content), "GOAL") {
			finished++
		}
	}
	if finished != n {
		tb.Fatalf("%d of %d subagents have returned a result", finished, n)
	}
}
