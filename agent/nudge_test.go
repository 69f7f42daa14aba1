package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/llm"
)

// announces reports responses that begin with "I will" and empty ones.
func announces(e agent.Ending) bool { return e.Text == "" || strings.HasPrefix(e.Text, "I will") }

const nudged = "[System: You wrote no tool call, so nothing was run. If work is left, call the tool for its next step now. " +
	"If not, give your final answer.]"

const nudgedLater = "[System: Your last message has no tool call. If work is left, call the tool for its next step now. " +
	"If not, give your final answer.]"

const cut = "[System: Your last reply was cut off at the limit of its length, so nothing of it was run. Think less before you act. " +
	"Write less in one call: the beginning of a long file first, then the rest with edits of its last lines.]"

// The agent continues a response that leaves work undone, by a request that is not part of the
// history. Text that was shown stays.
func TestNudge(t *testing.T) {
	t.Parallel()
	withCheck := func(c *agent.Config) { c.Unfinished = announces }
	signed := llm.Part{Text: "hm", Thought: true, ThoughtSignature: "s"}
	for _, tt := range []struct {
		name    string
		answers []func(context.Context, func(*llm.Response, error) bool)
		change  func(*agent.Config)
		events  string
		asked   string // the contents of the second request after its common head
		history string
	}{
		{
			"a call follows",
			[]func(context.Context, func(*llm.Response, error) bool){
				says(text("I will look.")), says(chunk(llm.FinishStop, signed, call("c1", "look", "{}"))), says(text("It is red.")),
			},
			withCheck,
			lines("TurnStarted", "ModelInfo", "text I will look.", "thinking |hm", "thought |hm", "requested look__c1", "end of turn STOP",
				"updated look__c1 validating", "updated look__c1 scheduled", "updated look__c1 executing", "finished look__c1 success",
				"TurnStarted", "text It is red.", "end of turn STOP"),
			"model: I will look.\nuser: " + nudged + "\n",
			"user: go\nmodel: hm I will look. call look__c1\nuser: response look__c1 {\"output\":\"look done\"}\nmodel: It is red.\n",
		},
		{
			"an answer follows",
			[]func(context.Context, func(*llm.Response, error) bool){says(text("I will look.")), says(text("It is "), text("red."))},
			withCheck,
			lines("TurnStarted", "ModelInfo", "text I will look.", "text \n\nIt is ", "text red.", "end of turn STOP"),
			"model: I will look.\nuser: " + nudged + "\n",
			"user: go\nmodel: I will look.\n\nIt is red.\n",
		},
		{
			"once",
			[]func(context.Context, func(*llm.Response, error) bool){says(text("I will look.")), says(text("I will look again."))},
			withCheck,
			lines("TurnStarted", "ModelInfo", "text I will look.", "text \n\nI will look again.", "end of turn STOP"),
			"model: I will look.\nuser: " + nudged + "\n",
			"user: go\nmodel: I will look.\n\nI will look again.\n",
		},
		{
			"twice, if a call was made in between",
			[]func(context.Context, func(*llm.Response, error) bool){
				says(text("I will look.")), says(calls("look")), says(text("I will look on.")), says(calls("look")), says(text("I will look more.")),
			},
			withCheck,
			lines("TurnStarted", "ModelInfo", "text I will look.", "requested look__c1", "end of turn STOP",
				"updated look__c1 validating", "updated look__c1 scheduled", "updated look__c1 executing", "finished look__c1 success",
				"TurnStarted", "text I will look on.", "requested look__c1", "end of turn STOP",
				"updated look__c1 validating", "updated look__c1 scheduled", "updated look__c1 executing", "finished look__c1 success",
				"TurnStarted", "text I will look more.", "end of turn STOP"),
			"model: I will look.\nuser: " + nudged + "\nmodel: I will look on.\nuser: " + nudgedLater + "\n",
			"user: go\nmodel: I will look. call look__c1\nuser: response look__c1 {\"output\":\"look done\"}\n" +
				"model: I will look on. call look__c1\nuser: response look__c1 {\"output\":\"look done\"}\nmodel: I will look more.\n",
		},
		{
			"an empty response to results",
			[]func(context.Context, func(*llm.Response, error) bool){says(calls("look")), says(chunk(llm.FinishStop)), says(text("It is red."))},
			withCheck,
			lines("TurnStarted", "ModelInfo", "requested look__c1", "end of turn STOP",
				"updated look__c1 validating", "updated look__c1 scheduled", "updated look__c1 executing", "finished look__c1 success",
				"TurnStarted", "text It is red.", "end of turn STOP"),
			"model: [Tool execution completed.]\nuser: [System: your last reply held no visible text and no tool call. Reply now with the final answer, or call a tool.]\n",
			"user: go\nmodel: call look__c1\nuser: response look__c1 {\"output\":\"look done\"}\nmodel: It is red.\n",
		},
		{
			"nothing follows",
			[]func(context.Context, func(*llm.Response, error) bool){says(text("I will look.")), says(chunk(llm.FinishStop))},
			withCheck,
			lines("TurnStarted", "ModelInfo", "text I will look.", "end of turn STOP"),
			"model: I will look.\nuser: " + nudged + "\n",
			"user: go\nmodel: I will look.\n",
		},
		{
			"the request fails after some text",
			[]func(context.Context, func(*llm.Response, error) bool){
				says(text("I will look.")), breaks(&llm.Error{Kind: llm.KindNetwork}, chunk("", llm.Text("It"))),
			},
			withCheck,
			lines("TurnStarted", "ModelInfo", "text I will look.", "end of turn STOP"),
			"model: I will look.\nuser: " + nudged + "\n",
			"user: go\nmodel: I will look.\n",
		},
		{
			"off",
			[]func(context.Context, func(*llm.Response, error) bool){says(text("I will look."))},
			nil,
			lines("TurnStarted", "ModelInfo", "text I will look.", "end of turn STOP"),
			"", "user: go\nmodel: I will look.\n",
		},
		{
			"no turn is left",
			[]func(context.Context, func(*llm.Response, error) bool){says(text("I will look."))},
			func(c *agent.Config) { withCheck(c); c.MaxTurns = new(1) },
			lines("TurnStarted", "ModelInfo", "text I will look.", "end of turn STOP"),
			"", "user: go\nmodel: I will look.\n",
		},
		{
			"a value was asked for",
			[]func(context.Context, func(*llm.Response, error) bool){says(text("I will look."))},
			func(c *agent.Config) {
				withCheck(c)
				c.Sampling = func(string, bool) llm.Config { return llm.Config{ResponseMIMEType: "application/json"} }
			},
			lines("TurnStarted", "ModelInfo", "text I will look.", "end of turn STOP"),
			"", "user: go\nmodel: I will look.\n",
		},
		{
			"the response was cut off at the limit of its length",
			[]func(context.Context, func(*llm.Response, error) bool){says(chunk(llm.FinishMaxTokens, llm.Text("I will look."))), says(text("Red."))},
			withCheck,
			lines("TurnStarted", "ModelInfo", "text I will look.", "text \n\nRed.", "end of turn STOP"),
			"model: I will look.\nuser: " + cut + "\n", "user: go\nmodel: I will look.\n\nRed.\n",
		},
		{
			"an answer was cut off",
			[]func(context.Context, func(*llm.Response, error) bool){says(chunk(llm.FinishMaxTokens, llm.Text("It is")))},
			withCheck,
			lines("TurnStarted", "ModelInfo", "text It is", "end of turn MAX_TOKENS"),
			"", "user: go\nmodel: It is\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &script{answers: tt.answers}
			a := newAgent(t, s, tt.change, echo("look"))
			if got := play(t.Context(), a, "go"); got != tt.events {
				t.Errorf("events %s, want %s", got, tt.events)
			}
			var contents []*llm.Content
			for _, m := range a.History() {
				contents = append(contents, m.Content)
			}
			if got := wire(contents); got != tt.history {
				t.Errorf("history\n%s, want\n%s", got, tt.history)
			}
			var asked string
			for i := 1; i < len(s.requests); i++ {
				if before, now := wire(s.requests[i-1].Contents), wire(s.requests[i].Contents); strings.Contains(now, "[System: ") {
					rest, isPrefix := strings.CutPrefix(now, before)
					if asked += rest; !isPrefix {
						t.Errorf("request %d does not begin with the one before", i+1)
					}
				}
			}
			if asked != tt.asked {
				t.Errorf("asked %q, want %q", asked, tt.asked)
			}
		})
	}
}

// A run that is cancelled while the model is asked to go on keeps the first response.
func TestNudgeCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(text("I will look.")),
		func(ctx context.Context, yield func(*llm.Response, error) bool) {
			cancel()
			yield(nil, errors.New("cancelled"))
		},
	}}
	a := newAgent(t, s, func(c *agent.Config) { c.Unfinished = announces }, echo("look"))
	want := lines("TurnStarted", "ModelInfo", "text I will look.", "end of turn STOP", "Cancelled")
	if got := play(ctx, a, "go"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if h := a.History(); len(h) != 2 || llm.PartsText(h[1].Content.Parts) != "I will look." {
		t.Errorf("history %v", h)
	}
}
