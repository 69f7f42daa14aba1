package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

func prompt(text string) agent.Prompt { return agent.Prompt{Parts: []llm.Part{llm.Text(text)}} }

// A prompt added while tools run follows their results in the same message, and is in the
// journal.
func TestSteerBehindResults(t *testing.T) {
	t.Parallel()
	b := &book{}
	var a *agent.Agent
	look := newToy("look", func(context.Context, tool.Host, json.RawMessage) *tool.Result {
		a.Steer(agent.Prompt{Parts: []llm.Part{llm.Text("mind the tests, all of them")}, Shown: "mind @tests"})
		a.Steer(prompt("and be quick"))
		return tool.Text("seen")
	})
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(calls("look")), says(text("done"))}}
	a = newAgent(t, s, func(c *agent.Config) { c.Journal = b }, look)
	want := lines("TurnStarted", "ModelInfo", "requested look__c1", "end of turn STOP",
		"updated look__c1 validating", "updated look__c1 scheduled", "updated look__c1 executing", "finished look__c1 success",
		"Joined", "Joined", "TurnStarted", "text done", "end of turn STOP")
	if diff := cmp.Diff(want, play(t.Context(), a, "hi")); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	want = lines("user: hi", "model: call look__c1", `user: response look__c1 {"output":"seen"} mind the tests, all of them and be quick`)
	if got := wire(s.requests[1].Contents); got != want {
		t.Errorf("sent\n%s", got)
	}
	e := b.entries[2]
	if e.Shown != "mind @tests\n\nand be quick" || len(e.Calls) != 1 || e.Content.Text() == "" {
		t.Errorf("the journal has %+v", e)
	}
	if left := a.Withdraw(); len(left) != 0 {
		t.Errorf("%d prompts still wait", len(left))
	}
}

// A prompt added during the last response is sent in the same run, and NextSpeaker is not
// called.
func TestSteerBehindTheAnswer(t *testing.T) {
	t.Parallel()
	var a *agent.Agent
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		func(ctx context.Context, yield func(*llm.Response, error) bool) {
			a.Steer(prompt("wait"))
			says(text("done"))(ctx, yield)
		},
		says(text("I wait")),
	}}
	asked := &eager{n: 0}
	a = newAgent(t, s, func(c *agent.Config) { c.NextSpeaker = asked }, echo("look"))
	want := lines("TurnStarted", "ModelInfo", "text done", "end of turn STOP", "Joined", "TurnStarted", "text I wait", "end of turn STOP")
	if diff := cmp.Diff(want, play(t.Context(), a, "hi")); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if got, want := wire(s.requests[1].Contents), lines("user: hi", "model: done", "user: wait"); got != want {
		t.Errorf("sent\n%s", got)
	}
	if asked.n != -1 {
		t.Errorf("asked who speaks next %d times", -asked.n)
	}
}

// A prompt that no turn follows precedes the next prompt. It can be withdrawn, and Restart
// drops it.
func TestSteerBetweenRuns(t *testing.T) {
	t.Parallel()
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(text("one")), says(text("two")), says(text("three"))}}
	a := newAgent(t, s, nil, echo("look"))
	a.Steer(prompt("first"))
	play(t.Context(), a, "second")
	if got, want := wire(s.requests[0].Contents), lines("user: first second"); got != want {
		t.Errorf("sent\n%s", got)
	}
	if shown := a.History()[0].Shown; shown != "first\n\nsecond" {
		t.Errorf("shown as %q", shown)
	}
	a.Steer(prompt("a"))
	a.Steer(prompt("b"))
	if left := a.Withdraw(); len(left) != 2 || left[0].Parts[0].Text != "a" || left[1].Parts[0].Text != "b" {
		t.Errorf("taken back: %+v", left)
	}
	play(t.Context(), a, "third")
	if got, want := wire(s.requests[1].Contents), lines("user: first second", "model: one", "user: third"); got != want {
		t.Errorf("sent\n%s", got)
	}
	a.Steer(prompt("lost"))
	a.Restart(t.Context(), "other", nil)
	play(t.Context(), a, "fourth")
	if got, want := wire(s.requests[2].Contents), lines("user: fourth"); got != want {
		t.Errorf("sent\n%s", got)
	}
}

// A prompt added with Steer is never lost: if its request gets no response, it waits again,
// before later ones.
func TestSteerAndFailure(t *testing.T) {
	t.Parallel()
	bad := &llm.Error{Kind: llm.KindBadRequest, Message: "bad"}
	for name, tt := range map[string]struct {
		answers []func(context.Context, func(*llm.Response, error) bool)
		change  func(*agent.Config)
		later   bool   // another prompt comes while the first request is under way
		left    string // prompts that wait
		history string
	}{
		"a refused prompt": {
			answers: []func(context.Context, func(*llm.Response, error) bool){breaks(bad)},
			left:    "steer",
		},
		"a refused prompt, and a later one": {
			answers: []func(context.Context, func(*llm.Response, error) bool){breaks(bad)},
			later:   true,
			left:    "steer, later",
		},
		"no room": {
			change: func(c *agent.Config) { c.Limit = func(string) int { return 1 } },
			left:   "steer",
		},
		"no turns": {
			change: func(c *agent.Config) { c.MaxTurns = new(int) },
			left:   "steer",
		},
		"refused results": {
			answers: []func(context.Context, func(*llm.Response, error) bool){says(calls("look")), breaks(bad)},
			history: lines("user: steer hi", "model: call look__c1", `user: response look__c1 {"output":"look done"} later`),
		},
		"results that are too long": {
			answers: []func(context.Context, func(*llm.Response, error) bool){says(calls("look")), breaks(&llm.Error{Kind: llm.KindContextWindow})},
			history: lines("user: steer hi", "model: call look__c1", `user: response look__c1 {"output":"look done"} later`),
		},
		"no room for the results": {
			answers: []func(context.Context, func(*llm.Response, error) bool){func(ctx context.Context, yield func(*llm.Response, error) bool) {
				r := calls("look")
				r.Usage = &llm.Usage{Prompt: 9_999}
				says(r)(ctx, yield)
			}},
			change:  func(c *agent.Config) { c.Limit = func(string) int { return 10_000 } },
			left:    "later",
			history: lines("user: steer hi", "model: call look__c1", `user: response look__c1 {"output":"look done"}`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, &script{answers: tt.answers}, tt.change, echo("look"))
			a.Steer(prompt("steer"))
			for e := range a.Run(t.Context(), prompt("hi")) {
				_, finished := e.(agent.ToolFinished)
				if _, started := e.(agent.TurnStarted); finished || started && tt.later {
					a.Steer(prompt("later"))
				}
			}
			var left []string
			for _, p := range a.Withdraw() {
				left = append(left, p.Parts[0].Text)
			}
			if got := strings.Join(left, ", "); got != tt.left {
				t.Errorf("left: %q", got)
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

// Many goroutines add prompts during a run; each prompt is sent once.
func TestSteerAnytime(t *testing.T) {
	t.Parallel()
	const each, from = 20, 5
	s := &script{}
	for range each * from * 2 {
		s.answers = append(s.answers, says(text("ok")))
	}
	a := newAgent(t, s, nil, echo("look"))
	var all sync.WaitGroup
	for n := range from {
		all.Go(func() {
			for i := range each {
				a.Steer(prompt(fmt.Sprintf("<%d.%d>", n, i)))
			}
		})
	}
	play(t.Context(), a, "hi")
	all.Wait()
	play(t.Context(), a, "hi")
	said := words(a.History())
	for n := range from {
		for i := range each {
			if p := fmt.Sprintf("<%d.%d>", n, i); strings.Count(said, p) != 1 {
				t.Errorf("%s is there %d times", p, strings.Count(said, p))
			}
		}
	}
}

// The PreCompress hook runs before each check of the size of a history.
func TestPreCompress(t *testing.T) {
	t.Parallel()
	play := func(change func(*agent.Config)) []string {
		h := &fakeHooks{}
		s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(calls("look")), says(text("done"))}}
		a := newAgent(t, s, func(c *agent.Config) {
			c.Hooks = h
			change(c)
		}, echo("look"))
		run(t, a, "hi")
		if _, err := a.Compress(t.Context(), ""); err != nil {
			t.Error(err)
		}
		return h.log
	}
	var seen int // by the compressor
	c := &counting{n: &seen}
	want := []string{"before hi", "model", "compress auto", "model", "after hi: done (false)", "compress manual"}
	if diff := cmp.Diff(want, play(func(cfg *agent.Config) { cfg.Compressor = c })); diff != "" || seen != 2 {
		t.Errorf("hooks, %d checks (-want +got):\n%s", seen, diff)
	}
	want = append([]string{"before hi", "compress auto"}, want[1:]...)
	if diff := cmp.Diff(want, play(func(cfg *agent.Config) { cfg.Compressor, cfg.Context = c, opened("hello") })); diff != "" {
		t.Errorf("with a context (-want +got):\n%s", diff)
	}
	want = []string{"before hi", "model", "model", "after hi: done (false)"}
	if diff := cmp.Diff(want, play(func(*agent.Config) {})); diff != "" {
		t.Errorf("without a compressor (-want +got):\n%s", diff)
	}
}

// counting counts its calls.
type counting struct{ n *int }

func (c *counting) Compress(_ context.Context, o agent.CompressRequest) ([]agent.Message, agent.Compression) {
	*c.n++
	return o.History, agent.Compression{Status: agent.CompressNoOp}
}
