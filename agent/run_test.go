package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func lines(s ...string) string { return strings.Join(s, "\n") + "\n" }

// Each case is a complete prompt: the model's responses, the events, and the history
// afterwards.
func TestRun(t *testing.T) {
	t.Parallel()
	broken := &llm.Error{Kind: llm.KindNetwork, Message: "connection reset"}
	half := &llm.Error{Kind: llm.KindIncomplete, Message: "Incomplete JSON segment"}
	refused := &llm.Error{Kind: llm.KindBadRequest, Status: 400, Message: "bad"}
	none := chunk(llm.FinishStop)
	type answers = []func(context.Context, func(*llm.Response, error) bool)
	tests := []struct {
		name    string
		answers answers
		change  func(*agent.Config)
		want    string
		history string
	}{
		{
			name:    "an answer",
			answers: answers{says(chunk("", thought("**Plan** go on"), llm.Text("Hel")), chunk(llm.FinishStop, llm.Text("lo")))},
			want:    lines("TurnStarted", "ModelInfo", "thinking Plan|**Plan** go on", "thought Plan|go on", "text Hel", "text lo", "end of turn STOP"),
			history: lines("user: hi", "model: Hello"),
		},
		{
			name:    "a tool, then the answer",
			answers: answers{says(calls("look")), says(text("done"))},
			want: lines("TurnStarted", "ModelInfo", "requested look__c1", "end of turn STOP",
				"updated look__c1 validating", "updated look__c1 scheduled", "updated look__c1 executing",
				"finished look__c1 success", "TurnStarted", "text done", "end of turn STOP"),
			history: lines("user: hi", "model: call look__c1", `user: response look__c1 {"output":"look done"}`, "model: done"),
		},
		{
			name:    "an unknown tool is answered with the nearest names",
			answers: answers{says(calls("lok")), says(text("sorry"))},
			want: lines("TurnStarted", "ModelInfo", "requested lok__c1", "end of turn STOP",
				"updated lok__c1 validating", "finished lok__c1 error", "TurnStarted", "text sorry", "end of turn STOP"),
			history: lines("user: hi", "model: call lok__c1",
				`user: response lok__c1 {"error":"Tool \"lok\" not found. Did you mean one of: \"look\", \"edit\"?"}`, "model: sorry"),
		},
		{
			name:    "calls with the same id get ids of their own",
			answers: answers{says(chunk(llm.FinishStop, call("x", "look", `{}`), call("x", "look", `[]`))), says(text("ok"))},
			want: lines("TurnStarted", "ModelInfo", "requested look__x", "requested look__x_2", "end of turn STOP",
				"updated look__x validating", "finished look__x_2 error", "finished look__x success",
				"TurnStarted", "text ok", "end of turn STOP"),
			history: lines("user: hi", "model: call look__x call look__x_2",
				`user: response look__x {"output":"look done"} response look__x_2 {"error":"Value of params must be an object"}`, "model: ok"),
		},
		{
			name:    "calls of different tools, too",
			answers: answers{says(chunk(llm.FinishStop, call("x", "look", `{}`), call("x", "edit", `{}`), call("look__x", "look", `{}`))), says(text("ok"))},
			want: lines("TurnStarted", "ModelInfo", "requested look__x", "requested edit__x_2", "requested look__x_3", "end of turn STOP",
				"updated look__x validating", "updated look__x scheduled", "updated look__x executing", "finished look__x success",
				"updated edit__x_2 validating", "updated edit__x_2 scheduled", "updated edit__x_2 executing", "finished edit__x_2 success",
				"updated look__x_3 validating", "updated look__x_3 scheduled", "updated look__x_3 executing", "finished look__x_3 success",
				"TurnStarted", "text ok", "end of turn STOP"),
			history: lines("user: hi", "model: call look__x call edit__x_2 call look__x_3",
				`user: response look__x {"output":"look done"} response edit__x_2 {"output":"edit done"} response look__x_3 {"output":"look done"}`, "model: ok"),
		},
		{
			name:    "an answer without text is asked for again, with a nudge",
			answers: answers{says(none), says(chunk(llm.FinishStop, thought("hm"))), says(text("ok"))},
			want: lines("TurnStarted", "ModelInfo", "retried NO_RESPONSE_TEXT", "thinking |hm", "thought |hm",
				"retried THINKING_ONLY_RESPONSE", "text ok", "end of turn STOP"),
			history: lines("user: hi", "model: ok"),
		},
		{
			name:    "the prompt stays that got no usable answer at all",
			answers: answers{says(none), says(none), says(none), says(none)},
			want: lines("TurnStarted", "ModelInfo", "retried NO_RESPONSE_TEXT", "retried NO_RESPONSE_TEXT",
				"retried NO_RESPONSE_TEXT", "invalid NO_RESPONSE_TEXT"),
			history: lines("user: hi"),
		},
		{
			name:    "it goes with its answer",
			change:  func(c *agent.Config) { c.DropInvalidPrompts, c.Retry.Attempts = true, 1 },
			answers: answers{says(none)},
			want:    lines("TurnStarted", "ModelInfo", "invalid NO_RESPONSE_TEXT"),
		},
		{
			name: "a reminder is sent when the model has given its answer",
			change: func(c *agent.Config) {
				left := []string{"One thing runs."}
				c.Reminder = func() (text string) {
					if len(left) > 0 {
						text, left = left[0], nil
					}
					return text
				}
			},
			answers: answers{says(chunk(llm.FinishStop, call("x", "look", `{}`))), says(text("done")), says(text("ok"))},
			want: lines("TurnStarted", "ModelInfo", "requested look__x", "end of turn STOP",
				"updated look__x validating", "updated look__x scheduled", "updated look__x executing", "finished look__x success",
				"TurnStarted", "text done", "end of turn STOP", "TurnStarted", "text ok", "end of turn STOP"),
			history: lines("user: hi", "model: call look__x", `user: response look__x {"output":"look done"}`, "model: done", "user: One thing runs.", "model: ok"),
		},
		{
			name:    "the seeds' rule: one request to go on",
			change:  func(c *agent.Config) { c.ContinueInvalid = true; c.Retry.Attempts = 1 },
			answers: answers{says(none), says(text("ok"))},
			want:    lines("TurnStarted", "ModelInfo", "invalid NO_RESPONSE_TEXT", "TurnStarted", "text ok", "end of turn STOP"),
			history: lines("user: hi", "user: System: Please continue.", "model: ok"),
		},
		{
			name: "the seeds' rule, without the prompt",
			change: func(c *agent.Config) {
				c.ContinueInvalid, c.DropInvalidPrompts, c.Retry.Attempts = true, true, 1
			},
			answers: answers{says(none), says(text("ok"))},
			want:    lines("TurnStarted", "ModelInfo", "invalid NO_RESPONSE_TEXT", "TurnStarted", "text ok", "end of turn STOP"),
			history: lines("user: System: Please continue.", "model: ok"),
		},
		{
			name:    "an empty answer to a tool's result is an answer",
			answers: answers{says(calls("look")), says(none)},
			want: lines("TurnStarted", "ModelInfo", "requested look__c1", "end of turn STOP",
				"updated look__c1 validating", "updated look__c1 scheduled", "updated look__c1 executing",
				"finished look__c1 success", "TurnStarted", "end of turn STOP"),
			history: lines("user: hi", "model: call look__c1", `user: response look__c1 {"output":"look done"}`, "model:"),
		},
		{
			name:    "a connection that breaks before text was seen",
			answers: answers{breaks(broken, chunk("", thought("hm"))), says(text("ok"))},
			want:    lines("TurnStarted", "ModelInfo", "thinking |hm", "retried INCOMPLETE_STREAM", "text ok", "end of turn STOP"),
			history: lines("user: hi", "model: ok"),
		},
		{
			name:    "a connection that breaks after text was seen",
			answers: answers{breaks(broken, chunk("", llm.Text("He"))), says(text("ok"))},
			want:    lines("TurnStarted", "ModelInfo", "text He", "retried INCOMPLETE_STREAM", "text ok", "end of turn STOP"),
			history: lines("user: hi", "model: ok"),
		},
		{
			name: "each kind of failure that may pass, after text",
			answers: answers{
				breaks(&llm.Error{Kind: llm.KindServer}, chunk("", llm.Text("a"))),
				breaks(&llm.Error{Kind: llm.KindCapacity}, chunk("", llm.Text("b"))),
				breaks(&llm.Error{Kind: llm.KindRateLimit}, chunk("", llm.Text("c"))),
				says(text("ok")),
			},
			want: lines("TurnStarted", "ModelInfo", "text a", "retried INCOMPLETE_STREAM", "text b", "retried INCOMPLETE_STREAM",
				"text c", "retried INCOMPLETE_STREAM", "text ok", "end of turn STOP"),
			history: lines("user: hi", "model: ok"),
		},
		{
			name: "a connection that breaks four times",
			answers: answers{
				breaks(broken, chunk("", llm.Text("a"))), breaks(broken, chunk("", llm.Text("b"))),
				breaks(broken, chunk("", llm.Text("c"))), breaks(broken, chunk("", llm.Text("d"))),
			},
			want: lines("TurnStarted", "ModelInfo", "text a", "retried INCOMPLETE_STREAM", "text b", "retried INCOMPLETE_STREAM",
				"text c", "retried INCOMPLETE_STREAM", "text d", "error: connection reset"),
		},
		{
			name:    "a refusal after text is not asked again",
			answers: answers{breaks(refused, chunk("", llm.Text("He")))},
			want:    lines("TurnStarted", "ModelInfo", "text He", "error: bad"),
		},
		{
			name:    "a used-up quota after text is not asked again",
			answers: answers{breaks(&llm.Error{Kind: llm.KindQuota, Message: "no more"}, chunk("", llm.Text("He")))},
			want:    lines("TurnStarted", "ModelInfo", "text He", "error: no more"),
		},
		{
			name:    "text after a tool's result that ends without a reason was cut off",
			answers: answers{says(calls("look")), says(chunk("", llm.Text("He"))), says(text("ok"))},
			want: lines("TurnStarted", "ModelInfo", "requested look__c1", "end of turn STOP",
				"updated look__c1 validating", "updated look__c1 scheduled", "updated look__c1 executing",
				"finished look__c1 success", "TurnStarted", "text He", "retried NO_FINISH_REASON", "text ok", "end of turn STOP"),
			history: lines("user: hi", "model: call look__c1", `user: response look__c1 {"output":"look done"}`, "model: ok"),
		},
		{
			name:    "calls of a broken attempt never run",
			answers: answers{breaks(half, calls("look")), says(text("ok"))},
			want:    lines("TurnStarted", "ModelInfo", "retried INCOMPLETE_STREAM", "text ok", "end of turn STOP"),
			history: lines("user: hi", "model: ok"),
		},
		{
			name:    "a refused request takes the prompt back",
			answers: answers{breaks(refused)},
			want:    lines("TurnStarted", "ModelInfo", "error: bad"),
		},
		{
			name:    "a refusal after an unusable answer is not asked again",
			answers: answers{says(none), breaks(refused)},
			want:    lines("TurnStarted", "ModelInfo", "retried NO_RESPONSE_TEXT", "error: bad"),
		},
		{
			name:    "a refused result stays in the history",
			answers: answers{says(calls("look")), breaks(refused)},
			want: lines("TurnStarted", "ModelInfo", "requested look__c1", "end of turn STOP",
				"updated look__c1 validating", "updated look__c1 scheduled", "updated look__c1 executing",
				"finished look__c1 success", "TurnStarted", "error: bad"),
			history: lines("user: hi", "model: call look__c1", `user: response look__c1 {"output":"look done"}`),
		},
		{
			name:    "a prompt that the vendor blocks is not asked again",
			answers: answers{says(&llm.Response{PromptFeedback: &llm.PromptFeedback{BlockReason: "SAFETY"}})},
			want:    lines("TurnStarted", "ModelInfo", "invalid SAFETY_BLOCKED"),
		},
		{
			name:    "the session's last turn",
			change:  func(c *agent.Config) { c.MaxTurns = new(1) },
			answers: answers{says(calls("look"))},
			want: lines("TurnStarted", "ModelInfo", "requested look__c1", "end of turn STOP",
				"updated look__c1 validating", "updated look__c1 scheduled", "updated look__c1 executing",
				"finished look__c1 success", "MaxTurns"),
			history: lines("user: hi", "model: call look__c1", `user: response look__c1 {"output":"look done"}`),
		},
		{
			name:   "a request that cannot fit",
			change: func(c *agent.Config) { c.Limit = func(string) int { return 0 + 1 }; c.Model = "tiny" },
			want:   "",
		},
		{
			name: "sources are listed once",
			answers: answers{says(&llm.Response{Candidates: []llm.Candidate{{
				Content: llm.Model(llm.Text("so")), FinishReason: llm.FinishStop,
				Citations: []llm.Citation{{URI: "b", Title: "B"}, {URI: "a"}, {URI: "a"}},
			}}})},
			want:    lines("TurnStarted", "ModelInfo", "text so", "citations Citations: (B) b a", "end of turn STOP"),
			history: lines("user: hi", "model: so"),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &script{answers: tt.answers}
			edit := echo("edit")
			edit.spec.Serial = true
			a := newAgent(t, s, tt.change, echo("look"), edit)
			prompt := "hi"
			if tt.want == "" { // the overflow case
				prompt, tt.want = "a prompt of many words", lines("overflow 5 of 0")
			}
			got := play(t.Context(), a, prompt)
			leaveAnywhere(t, tt.answers, tt.change, prompt, strings.Count(got, "\n"))
			// The events of calls that run beside each other interleave freely.
			if diff := cmp.Diff(tt.want, settle(got)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			var contents []*llm.Content
			for _, m := range a.History() {
				contents = append(contents, m.Content)
			}
			if diff := cmp.Diff(tt.history, wire(contents)); diff != "" {
				t.Errorf("history (-want +got):\n%s", diff)
			}
		})
	}
}

// leaveAnywhere stops reading after each of a run's events in turn. No event may follow, and
// the history must be valid.
func leaveAnywhere(t *testing.T, answers []func(context.Context, func(*llm.Response, error) bool), change func(*agent.Config), prompt string, events int) {
	t.Helper()
	for after := range events {
		a := newAgent(t, &script{answers: answers}, change, echo("look"), echo("edit"))
		n := 0
		for range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text(prompt)}}) {
			if n == after {
				break
			}
			n++
		}
		checkPaired(t, a.History())
	}
}

// settle removes the progress of parallel calls from events, because its order varies.
func settle(events string) string {
	if !strings.Contains(events, "look__x_2") {
		return events
	}
	var kept []string
	seen := false
	for l := range strings.Lines(events) {
		if strings.HasPrefix(l, "updated") {
			if !seen {
				kept = append(kept, "updated look__x validating\n")
			}
			seen = true
			continue
		}
		kept = append(kept, l)
	}
	return strings.Join(kept, "")
}

// Calls run at the same time if they may. A serial call waits for earlier calls, and later
// calls wait for it. Results keep the order of the calls.
func TestParallelCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		var order []string
		beside := newToy("look", func(context.Context, tool.Host, json.RawMessage) *tool.Result {
			n := running.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(time.Second) // in the time of the bubble; all three meet here
			running.Add(-1)
			return tool.Text("looked")
		})
		alone := newToy("edit", func(context.Context, tool.Host, json.RawMessage) *tool.Result {
			if n := running.Load(); n != 0 {
				t.Errorf("%d calls run beside one that runs alone", n)
			}
			order = append(order, "edit")
			return tool.Text("edited")
		})
		alone.spec.Serial = true
		after := newToy("after", func(context.Context, tool.Host, json.RawMessage) *tool.Result {
			order = append(order, "after")
			return tool.Text("after")
		})
		s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
			says(chunk(llm.FinishStop, call("1", "look", `{}`), call("2", "look", `{}`), call("3", "look", `{}`),
				call("4", "edit", `{}`), call("5", "after", `{}`), call("6", "after", `{"wait_for_previous":true}`))),
			says(text("ok")),
		}}
		a := newAgent(t, s, nil, beside, alone, after)
		play(t.Context(), a, "go")
		if most.Load() != 3 {
			t.Errorf("%d calls ran at the same time, want 3", most.Load())
		}
		if diff := cmp.Diff([]string{"edit", "after", "after"}, order); diff != "" {
			t.Error(diff)
		}
		want := "user: response look__1 {\"output\":\"looked\"} response look__2 {\"output\":\"looked\"} response look__3 {\"output\":\"looked\"}" +
			" response edit__4 {\"output\":\"edited\"} response after__5 {\"output\":\"after\"} response after__6 {\"output\":\"after\"}\n"
		if diff := cmp.Diff(want, wire(s.requests[1].Contents[2:])); diff != "" {
			t.Error(diff)
		}
	})
}

// A panic of a gate or tool reaches the caller of Run, who may recover it.
func TestPanic(t *testing.T) {
	t.Parallel()
	bad := newToy("bad", func(context.Context, tool.Host, json.RawMessage) *tool.Result { panic("bug") })
	model := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(calls("bad"))}}
	a := newAgent(t, model, nil, bad)
	defer func() {
		v := recover()
		if text, _ := v.(string); !strings.HasPrefix(text, "bug\n") || !strings.Contains(text, "TestPanic") {
			t.Errorf("the panic is %v", v)
		}
	}()
	run(t, a, "go")
	t.Error("there was no panic")
}

// The duration of a call is its own, not that of the calls beside it.
func TestDurationOfParallelCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wait := func(d time.Duration) func(context.Context, tool.Host, json.RawMessage) *tool.Result {
			return func(context.Context, tool.Host, json.RawMessage) *tool.Result {
				time.Sleep(d) // in the time of the bubble
				return tool.Text("done")
			}
		}
		s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(calls("quick", "slow")), says(text("ok"))}}
		a := newAgent(t, s, func(c *agent.Config) { c.Now = time.Now }, newToy("quick", wait(time.Second)), newToy("slow", wait(time.Hour)))
		got := map[string]time.Duration{}
		for e := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("hi")}}) {
			if f, ok := e.(agent.ToolFinished); ok {
				got[f.Call.Name] = f.Duration
			}
		}
		if diff := cmp.Diff(map[string]time.Duration{"quick": time.Second, "slow": time.Hour}, got); diff != "" {
			t.Errorf("durations (-want +got):\n%s", diff)
		}
	})
}

// The time in which a person thinks about a question, of this call or another one, is no time
// in which the call was active.
func TestActiveTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		work := func(context.Context, tool.Host, json.RawMessage) *tool.Result {
			time.Sleep(time.Second) // in the time of the bubble
			return tool.Text("done")
		}
		s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(calls("one", "two")), says(text("ok"))}}
		a := newAgent(t, s, func(c *agent.Config) { c.Now, c.Gate = time.Now, openGate{asks: true} }, newToy("one", work), newToy("two", work))
		for e := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("hi")}}) {
			switch e := e.(type) {
			case agent.ToolAsked:
				go func() {
					time.Sleep(time.Hour)
					e.Answer(tool.Answer{Outcome: tool.ProceedOnce})
				}()
			case agent.ToolFinished:
				if e.Active != time.Second || e.Duration < time.Hour {
					t.Errorf("%s was active for %v of %v", e.Call.Name, e.Active, e.Duration)
				}
			}
		}
	})
}

// Wherever a run is cut off, every call in the history has its response, and
// the next prompt finds a conversation that a vendor accepts. Calls keep their order, and so do
// their results.
func TestFirstCalls(t *testing.T) {
	t.Parallel()
	var order []string
	noted := func(name string) *toy {
		one := newToy(name, func(_ context.Context, _ tool.Host, args json.RawMessage) *tool.Result {
			order = append(order, name+string(args))
			return tool.Text(name)
		})
		one.spec.Serial = true
		return one
	}
	edit, topic := noted("edit"), noted("topic")
	topic.spec.First = true
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(chunk(llm.FinishStop, call("1", "edit", `{}`), call("2", "topic", `{"n":1}`), call("3", "nothing", `{}`), call("4", "topic", `{"n":2}`))),
		says(text("ok")),
	}}
	play(t.Context(), newAgent(t, s, nil, edit, topic), "go")
	if diff := cmp.Diff([]string{`topic{"n":1}`, `topic{"n":2}`, "edit{}"}, order); diff != "" {
		t.Error(diff)
	}
	want := "user: response topic__2 {\"output\":\"topic\"} response topic__4 {\"output\":\"topic\"} response edit__1 {\"output\":\"edit\"}" +
		" response nothing__3 {"
	if got := wire(s.requests[1].Contents[2:]); !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestCancelledAnywhere(t *testing.T) {
	t.Parallel()
	for _, leave := range []bool{false, true} { // cancel the context, or stop reading
		for after := range 12 {
			s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
				says(chunk("", llm.Text("let me see")), calls("look", "slow", "edit")), says(text("done")), says(text("again")),
			}}
			edit := echo("edit")
			edit.spec.Serial = true
			slow := newToy("slow", func(ctx context.Context, host tool.Host, _ json.RawMessage) *tool.Result {
				host.Output(tool.TextDisplay("half"))
				if ctx.Err() != nil {
					return tool.Text("half")
				}
				return tool.Text("whole")
			})
			a := newAgent(t, s, nil, echo("look"), slow, edit)
			ctx, cancel := context.WithCancel(t.Context())
			n := 0
			for range a.Run(ctx, agent.Prompt{Parts: []llm.Part{llm.Text("hi")}}) {
				if n == after {
					if leave {
						break
					}
					cancel()
				}
				n++
			}
			cancel()
			checkPaired(t, a.History())
			s.mu.Lock()
			s.answers = append(s.answers[:len(s.requests):len(s.requests)], says(text("fine")))
			s.mu.Unlock()
			if got := play(t.Context(), a, "again"); !strings.Contains(got, "text fine") {
				t.Errorf("left %v after %d events: the next prompt gave\n%s", leave, after, got)
			}
			last := s.requests[len(s.requests)-1].Contents
			for i, c := range last[1:] {
				if c.HasFunctionResponse() && len(last[i].FunctionCalls()) == 0 {
					t.Errorf("a response follows no call:\n%s", wire(last))
				}
			}
		}
	}
}

func checkPaired(t *testing.T, history []agent.Message) {
	t.Helper()
	for i, m := range history {
		calls := m.Content.FunctionCalls()
		if len(calls) == 0 {
			continue
		}
		if i+1 == len(history) {
			t.Errorf("%d calls without a response", len(calls))
			continue
		}
		answered := map[string]bool{}
		for _, p := range history[i+1].Content.Parts {
			if p.FunctionResponse != nil {
				answered[p.FunctionResponse.ID] = true
			}
		}
		for _, c := range calls {
			if !answered[c.ID] {
				t.Errorf("call %s has no response", c.ID)
			}
		}
	}
}

// If a person refuses a call, the calls after it are cancelled, and the run ends.
func TestRefusal(t *testing.T) {
	t.Parallel()
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(calls("edit", "edit", "look"))}}
	edit := echo("edit")
	edit.spec.Serial = true
	a := newAgent(t, s, func(c *agent.Config) { c.Gate = openGate{asks: true} }, edit, echo("look"))
	asked := 0
	var last agent.Event
	for e, err := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("hi")}}) {
		if err != nil {
			t.Fatal(err)
		}
		if q, ok := e.(agent.ToolAsked); ok {
			asked++
			q.Answer(tool.Answer{Outcome: tool.Cancel})
			q.Answer(tool.Answer{Outcome: tool.ProceedOnce}) // too late
		}
		last = e
	}
	if asked != 1 || last != (agent.Cancelled{}) {
		t.Errorf("asked %d times, ended with %#v", asked, last)
	}
	checkPaired(t, a.History())
}

// If a person refuses a call with feedback, the run continues.
func TestRefusalWithFeedback(t *testing.T) {
	t.Parallel()
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(calls("edit", "look")), says(text("I see")),
	}}
	edit := echo("edit")
	edit.spec.Serial = true
	a := newAgent(t, s, func(c *agent.Config) { c.Gate = openGate{asks: true} }, edit, echo("look"))
	var said string
	for e, err := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("hi")}}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case agent.ToolAsked:
			e.Answer(tool.Answer{Outcome: tool.Cancel, Feedback: "the other file"})
		case agent.ToolFinished:
			if e.Status != agent.CallCancelled {
				t.Errorf("%s: %s", e.Call.Name, e.Status)
			}
		case agent.Text:
			said += e.Text
		}
	}
	if said != "I see" {
		t.Errorf("the model said %q", said)
	}
	checkPaired(t, a.History())
	want := `user: response edit__c1 {"error":"The user refused this call, and it was not run. Do what they say instead: the other file"}` +
		` response look__c2 {"error":"Not run, because the user refused a call before it. Call it again if it is still needed."}` + "\n"
	if diff := cmp.Diff(want, wire(s.requests[1].Contents[2:])); diff != "" {
		t.Error(diff)
	}
}

// If only some of the calls are refused, without feedback, the run continues.
func TestRefusalAmongOthers(t *testing.T) {
	t.Parallel()
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(calls("look", "edit", "look")), says(text("I see")),
	}}
	edit := echo("edit")
	edit.spec.Serial = true
	a := newAgent(t, s, func(c *agent.Config) { c.Gate = openGate{asks: true} }, edit, echo("look"))
	for e := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("hi")}}) {
		if q, ok := e.(agent.ToolAsked); ok {
			q.Answer(tool.Answer{Outcome: map[string]tool.Outcome{"look": tool.ProceedOnce, "edit": tool.Cancel}[q.Call.Name]})
		}
	}
	want := `user: response look__c1 {"output":"look done"}` +
		` response edit__c2 {"error":"The user refused this call, and it was not run. Do not repeat it: go on another way, or ask what they prefer."}` +
		` response look__c3 {"error":"Not run, because the user refused a call before it. Call it again if it is still needed."}` + "\n"
	if diff := cmp.Diff(want, wire(s.requests[1].Contents[2:])); diff != "" {
		t.Error(diff)
	}
}

// KeepUnanswered decides whether a prompt stays whose request fails. The next request has it, too.
func TestKeepUnansweredAfterError(t *testing.T) {
	t.Parallel()
	passing := &llm.Error{Kind: llm.KindServer, Message: "later"}
	lasting := &llm.Error{Kind: llm.KindBadRequest, Message: "never"}
	for failure, want := range map[*llm.Error]string{passing: "user: hi\nuser: go on\n", lasting: "user: go on\n"} {
		s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){breaks(failure), says(text("done"))}}
		a := newAgent(t, s, func(c *agent.Config) { c.KeepUnanswered = func(err error) bool { return errors.Is(err, passing) } })
		play(t.Context(), a, "hi")
		play(t.Context(), a, "go on")
		if diff := cmp.Diff(want, wire(s.requests[1].Contents)); diff != "" {
			t.Errorf("%v: %s", failure, diff)
		}
	}
}

// KeepUnanswered decides by the cause whether a prompt stays that is cancelled before its response.
func TestKeepUnanswered(t *testing.T) {
	t.Parallel()
	errEnd := errors.New("the program ends")
	for cause, want := range map[error]int{errEnd: 1, nil: 0} {
		ctx, cancel := context.WithCancelCause(t.Context())
		s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
			func(ctx context.Context, yield func(*llm.Response, error) bool) { cancel(cause); yield(nil, ctx.Err()) },
		}}
		a := newAgent(t, s, func(c *agent.Config) { c.KeepUnanswered = func(cause error) bool { return cause == errEnd } })
		if got := play(ctx, a, "hi"); !strings.HasSuffix(got, "Cancelled\n") {
			t.Error(got)
		}
		if h := a.History(); len(h) != want {
			t.Errorf("%v: %d messages are left", cause, len(h))
		}
	}
}

// What has arrived of an answer stays in the history with the prompt if a person cancels, and the next prompt
// follows it. An answer that was not shown, or of which only thoughts had come, does not.
func TestBrokenOff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		came []*llm.Response
		want string // the last message
		kept int    // messages
	}{
		{"text", []*llm.Response{chunk("", llm.Text("One, ")), chunk("", llm.Text("two\n"))}, "One, two\n\n[This answer was interrupted here.]", 2},
		{"nothing", nil, "", 0},
		{"white space", []*llm.Response{chunk("", llm.Text(" \n"))}, "", 0},
		{"thoughts", []*llm.Response{chunk("", thought("Hm."))}, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
				func(ctx context.Context, yield func(*llm.Response, error) bool) {
					for _, r := range tt.came {
						if !yield(r, nil) {
							return
						}
					}
					cancel()
					yield(nil, ctx.Err())
				},
				says(text("Done.")),
			}}
			a := newAgent(t, s, nil)
			if got := play(ctx, a, "count"); !strings.HasSuffix(got, "Cancelled\n") {
				t.Error(got)
			}
			h := a.History()
			if len(h) != tt.kept || tt.kept > 0 && llm.PartsText(h[len(h)-1].Content.Parts) != tt.want {
				t.Fatalf("%d messages: %v", len(h), h)
			}
			play(t.Context(), a, "go on")
			if got := len(s.requests[1].Contents); got != tt.kept+1 {
				t.Errorf("the next request has %d messages", got)
			}
		})
	}
}

// ForgetCancelled removes the whole prompt.
func TestForgetCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(calls("look")),
		func(ctx context.Context, yield func(*llm.Response, error) bool) { cancel(); yield(nil, ctx.Err()) },
	}}
	a := newAgent(t, s, func(c *agent.Config) { c.ForgetCancelled = true }, echo("look"))
	if got := play(ctx, a, "hi"); !strings.HasSuffix(got, "Cancelled\n") {
		t.Error(got)
	}
	if h := a.History(); len(h) != 0 {
		t.Errorf("%d messages are left", len(h))
	}
}

// suspicious finds a loop in every call.
type suspicious struct{ agent.LoopDetector }

func (suspicious) Reset(string) {}

func (suspicious) CheckTurn(context.Context, []agent.Message) (agent.Loop, bool) {
	return agent.Loop{}, false
}

func (suspicious) Observe(e agent.Event) (agent.Loop, bool) {
	_, ok := e.(agent.ToolRequested)
	return agent.Loop{Kind: "calls"}, ok
}

// The second loop in calls ends the run, and no call of the response runs.
func TestLoopsInCalls(t *testing.T) {
	t.Parallel()
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(calls("look")), says(calls("look", "look"))}}
	a := newAgent(t, s, func(c *agent.Config) { c.LoopDetector = suspicious{} }, echo("look"))
	want := lines("TurnStarted", "ModelInfo", "requested look__c1", "end of turn STOP", "updated look__c1 validating", "finished look__c1 error",
		"TurnStarted", "end of turn STOP", "LoopDetected")
	if diff := cmp.Diff(want, play(t.Context(), a, "hi")); diff != "" {
		t.Error(diff)
	}
	checkPaired(t, a.History())
}

// Sampling gets whether the request is sent again.
func TestSamplingAgain(t *testing.T) {
	t.Parallel()
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(chunk(llm.FinishStop)), says(text("ok"))}}
	var retries []bool
	a := newAgent(t, s, func(c *agent.Config) {
		c.Sampling = func(_ string, retry bool) llm.Config { retries = append(retries, retry); return llm.Config{} }
	}, echo("look"))
	play(t.Context(), a, "hi")
	if n := len(retries); n < 2 || retries[n-2] || !retries[n-1] {
		t.Errorf("retries %v", retries)
	}
}

// After results without a response, because no request was left, a text reports the limit.
func TestAfterLimit(t *testing.T) {
	t.Parallel()
	limit := 1
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(calls("look")), says(text("ok"))}}
	a := newAgent(t, s, func(c *agent.Config) { c.MaxTurns = &limit }, echo("look"))
	play(t.Context(), a, "hi")
	limit = 2
	play(t.Context(), a, "go on")
	want := "model: [The limit of requests was reached.]\nuser: go on\n"
	if got := wire(s.requests[1].Contents); !strings.HasSuffix(got, want) {
		t.Errorf("sent\n%s", got)
	}
}
