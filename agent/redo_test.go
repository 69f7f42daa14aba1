package agent_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/llm"
	"pollux/tool"
)

// redone returns an agent whose model has called look, edit and edit, and its journal.
func redone(t *testing.T, gate agent.Gate, forget bool) (*agent.Agent, *script, *book) {
	t.Helper()
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(calls("look", "edit", "edit")), says(text("one")), says(text("two")), says(text("three")),
	}}
	b := &book{}
	edit := echo("edit")
	edit.spec.Kind = tool.KindEdit
	a := newAgent(t, s, func(c *agent.Config) {
		c.Journal, c.Gate, c.ForgetCancelled = b, gate, forget
		c.Context = opened("hello")
	}, echo("look"), edit)
	run(t, a, "first")
	run(t, a, "second")
	if len(b.failures) > 0 || len(b.entries) != 7 {
		t.Fatalf("%d entries, %v", len(b.entries), b.failures)
	}
	return a, s, b
}

// strict asks about the calls that must be asked about.
type strict struct{ refuses string }

func (g strict) Admit(ctx context.Context, c *agent.ToolCall, t tool.Tool, ask agent.Ask) agent.Admission {
	if c.MustAsk && c.ID == g.refuses {
		return agenttest.Refuse(c, &tool.Result{})
	}
	return openGate{asks: c.MustAsk}.Admit(ctx, c, t, ask)
}

// redo proposes a call again, approves all questions, and returns the events, one line each.
func redo(ctx context.Context, a *agent.Agent, p agent.Proposal) string {
	var b strings.Builder
	for e, err := range a.Redo(ctx, p) {
		if err != nil {
			b.WriteString("error: " + err.Error() + "\n")
			continue
		}
		b.WriteString(line(e) + "\n")
		if asked, ok := e.(agent.ToolAsked); ok {
			asked.Answer(tool.Answer{Outcome: tool.ProceedOnce})
		}
	}
	return b.String()
}

// A call and those after it run again, once they are approved. Those before it keep their results.
func TestRedo(t *testing.T) {
	t.Parallel()
	a, s, b := redone(t, strict{}, false)
	results := b.entries[3]
	records := append([]agent.CallRecord(nil), results.Calls...)
	records[0].Description = "from the journal"
	events := redo(t.Context(), a, agent.Proposal{Results: results.ID, CallID: "edit__c2", Records: records})
	for _, want := range []string{"requested edit__c2", "asked edit__c2", "finished edit__c2 success", "asked edit__c3", "finished edit__c3 success", "text three"} {
		if !strings.Contains(events, want+"\n") {
			t.Errorf("no %q in\n%s", want, events)
		}
	}
	if strings.Contains(events, "look") {
		t.Errorf("a call before it runs again:\n%s", events)
	}
	const want = `user: hello
user: first
model: call look__c1 call edit__c2 call edit__c3
user: response look__c1 {"output":"look done"} response edit__c2 {"output":"edit done"} response edit__c3 {"output":"edit done"}
`
	if got := wire(s.requests[3].Contents); got != want {
		t.Errorf("the model gets\n%s", got)
	}
	if len(b.failures) > 0 || len(b.entries) != 5 || b.entries[3].Calls[0].Description != "from the journal" || !b.entries[3].Calls[1].HasRun {
		t.Errorf("%v, %+v", b.failures, b.entries[3].Calls)
	}
}

// noticing is a gate that calls a function before each call.
type noticing struct{ before func() }

func (g noticing) Admit(ctx context.Context, c *agent.ToolCall, t tool.Tool, ask agent.Ask) agent.Admission {
	g.before()
	return openGate{}.Admit(ctx, c, t, ask)
}

// While a call runs again, the journal has the results that stay.
func TestRedoRecordsFirst(t *testing.T) {
	t.Parallel()
	var b *book
	seen := ""
	a, _, journal := redone(t, noticing{func() {
		if b != nil {
			seen = wire(b.contents()[3:])
		}
	}}, false)
	b = journal
	redo(t.Context(), a, agent.Proposal{Results: b.entries[3].ID, CallID: "edit__c2"})
	if seen != "user: response look__c1 {\"output\":\"look done\"}\n" || len(b.entries) != 5 || len(b.failures) > 0 {
		t.Errorf("the journal has %q, then %d entries, %v", seen, len(b.entries), b.failures)
	}
}

// A refused or cancelled proposal leaves a valid history.
func TestRedoRefused(t *testing.T) {
	t.Parallel()
	for name, forget := range map[string]bool{"kept": false, "forgotten": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, _, b := redone(t, strict{refuses: "edit__c2"}, forget)
			events := redo(t.Context(), a, agent.Proposal{Results: b.entries[3].ID, CallID: "edit__c2"})
			if !strings.Contains(events, "finished edit__c2 cancelled\n") || !strings.Contains(events, "finished edit__c3 cancelled\n") || len(b.failures) > 0 {
				t.Errorf("%s\n%v", events, b.failures)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			events = redo(ctx, a, agent.Proposal{Results: b.entries[3].ID, CallID: "look__c1"})
			if !strings.Contains(events, "Cancelled\n") || len(b.failures) > 0 || strings.Contains(events, "success") {
				t.Errorf("cancelled: %s\n%v", events, b.failures)
			}
			run(t, a, "on")
			last := b.entries[3].Content
			if len(last.Parts) != 3 || len(b.failures) > 0 || b.entries[3].Calls[0].HasRun {
				t.Errorf("the results are %d, %v", len(last.Parts), b.failures)
			}
		})
	}
}

// An unknown call changes nothing.
func TestRedoUnknown(t *testing.T) {
	t.Parallel()
	a, _, b := redone(t, openGate{}, false)
	for _, p := range []agent.Proposal{{}, {Results: "nowhere", CallID: "edit__c2"}, {Results: b.entries[3].ID, CallID: "edit__c9"}, {Results: b.entries[0].ID, CallID: "x"}, {Results: b.entries[2].ID, CallID: "edit__c2"}} {
		var got error
		for _, err := range a.Redo(t.Context(), p) {
			got = errors.Join(got, err)
		}
		if !errors.Is(got, agent.ErrNoCall) || len(b.entries) != 7 {
			t.Errorf("%+v: %v, %d entries", p, got, len(b.entries))
		}
	}
}

// A cancelled run that is to be forgotten goes back to the calls, however far it got.
func TestRedoForgotten(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var n atomic.Int32
	a, s, b := redone(t, noticing{func() {
		if n.Add(1) == 3+3+3 { // the first prompt, the calls again, and the last of the next response
			cancel()
		}
	}}, true)
	s.answers[3] = says(calls("look", "look", "look"))
	events := redo(ctx, a, agent.Proposal{Results: b.entries[3].ID, CallID: "look__c1"})
	if !strings.HasSuffix(events, "Cancelled\n") || len(b.entries) != 4 || len(b.failures) > 0 {
		t.Errorf("%d entries, %v\n%s", len(b.entries), b.failures, events)
	}
}
