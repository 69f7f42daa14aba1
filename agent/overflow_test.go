package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/tool"
)

// summary compresses any history to one message if it is forced to.
type summary struct {
	status agent.CompressionStatus
	forced int
	tokens int // of the history, as last reported
}

func (s *summary) Compress(_ context.Context, o agent.CompressRequest) ([]agent.Message, agent.Compression) {
	h, tokens, force := o.History, o.Tokens, o.Force
	if !force {
		return h, agent.Compression{Status: agent.CompressNoOp}
	}
	if h[0].ID == "summary" { // there is nothing else
		return h, agent.Compression{Status: agent.CompressNoOp}
	}
	s.forced++
	s.tokens = tokens
	if s.status != agent.CompressedOK && s.status != agent.CompressContentTruncated {
		return h, agent.Compression{Status: s.status}
	}
	short := []agent.Message{{ID: "summary", Content: llm.User(llm.Text("summary"))}}
	if calls := h[len(h)-1].Content.FunctionCalls(); len(calls) > 0 { // a result is to come
		short = append(short, h[len(h)-1])
	}
	return short, agent.Compression{Status: s.status, Before: tokens, After: 5}
}

// A request that the vendor refuses as too long is sent once more after a compression;
// otherwise the run ends with Overflow. Both leave a valid history and journal.
func TestTooLong(t *testing.T) {
	t.Parallel()
	tooLong := &llm.Error{Kind: llm.KindContextWindow, Status: 400, Size: llm.RequestSize{Prompt: 1030, Window: 1000}, Message: "prompt is too long: 1030 tokens > 1000 maximum"}
	vague := &llm.Error{Kind: llm.KindContextWindow, Message: "Your input exceeds the context window of this model."}
	type answers = []func(context.Context, func(*llm.Response, error) bool)
	first := says(text("one")) // of an earlier prompt
	toTheTool := lines("requested look__c1", "end of turn STOP", "updated look__c1 validating",
		"updated look__c1 scheduled", "updated look__c1 executing", "finished look__c1 success")
	tests := []struct {
		name    string
		status  agent.CompressionStatus // 0: no compressor
		answers answers
		want    string
		history string
		forced  int
	}{
		{
			name: "a prompt", status: agent.CompressedOK, forced: 1,
			answers: answers{first, breaks(tooLong), says(text("two"))},
			want:    lines("TurnStarted", "ModelInfo", "Compressed", "text two", "end of turn STOP"),
			history: lines("user: summary", "user: hi", "model: two"),
		},
		{
			name: "cut tool output is enough", status: agent.CompressContentTruncated, forced: 1,
			answers: answers{first, breaks(vague), says(text("two"))},
			want:    lines("TurnStarted", "ModelInfo", "Compressed", "text two", "end of turn STOP"),
			history: lines("user: summary", "user: hi", "model: two"),
		},
		{
			name: "in the middle of the answer", status: agent.CompressedOK, forced: 1,
			answers: answers{first, breaks(tooLong, chunk("", llm.Text("tw"))), says(text("two"))},
			want:    lines("TurnStarted", "ModelInfo", "text tw", "Compressed", "retried CONTEXT_WINDOW", "text two", "end of turn STOP"),
			history: lines("user: summary", "user: hi", "model: two"),
		},
		{
			name: "results of tools", status: agent.CompressedOK, forced: 1,
			answers: answers{first, says(calls("look")), breaks(tooLong), says(text("two"))},
			want:    lines("TurnStarted", "ModelInfo") + toTheTool + lines("TurnStarted", "Compressed", "text two", "end of turn STOP"),
			history: lines("user: summary", "model: call look__c1", `user: response look__c1 {"output":"look done"}`, "model: two"),
		},
		{
			name: "still too long", status: agent.CompressedOK, forced: 1,
			answers: answers{first, breaks(tooLong), breaks(tooLong)},
			want:    lines("TurnStarted", "ModelInfo", "Compressed", "overflow 1030 of 1000"),
			history: lines("user: summary"),
		},
		{
			name: "results, still too long", status: agent.CompressedOK, forced: 1,
			answers: answers{first, says(calls("look")), breaks(tooLong), breaks(vague)},
			want:    lines("TurnStarted", "ModelInfo") + toTheTool + lines("TurnStarted", "Compressed", "overflow 8 of 0"),
			history: lines("user: summary", "model: call look__c1", `user: response look__c1 {"output":"look done"}`),
		},
		{
			name: "another failure after that", status: agent.CompressedOK, forced: 1,
			answers: answers{first, breaks(tooLong), breaks(&llm.Error{Kind: llm.KindBadRequest, Message: "bad"})},
			want:    lines("TurnStarted", "ModelInfo", "Compressed", "error: bad"),
			history: lines("user: summary"),
		},
		{
			name:    "no compressor",
			answers: answers{first, breaks(tooLong)},
			want:    lines("TurnStarted", "ModelInfo", "overflow 1030 of 1000"),
			history: lines("user: hi", "model: one"),
		},
		{
			name: "nothing to compress", status: agent.CompressNoOp, forced: 1,
			answers: answers{first, says(calls("look")), breaks(vague)},
			want:    lines("TurnStarted", "ModelInfo") + toTheTool + lines("TurnStarted", "overflow 13 of 0"),
			history: lines("user: hi", "model: one", "user: hi", "model: call look__c1", `user: response look__c1 {"output":"look done"}`),
		},
		{
			name: "a summary that is longer", status: agent.CompressInflated, forced: 1,
			answers: answers{first, breaks(tooLong)},
			want:    lines("TurnStarted", "ModelInfo", "overflow 1030 of 1000"),
			history: lines("user: hi", "model: one"),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, journal := &summary{status: tt.status}, &book{}
			change := func(cfg *agent.Config) {
				cfg.Journal = journal
				if tt.status != 0 {
					cfg.Compressor = c
				}
			}
			a := newAgent(t, &script{answers: tt.answers}, change, echo("look"))
			play(t.Context(), a, "hi")
			got := ""
			for e, err := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("hi")}, Shown: "shown"}) {
				if err != nil {
					got += fmt.Sprintf("error: %v\n", err)
					continue
				}
				if o, ok := e.(agent.Overflow); ok && o.Err == nil {
					t.Error("Overflow does not say what the vendor said")
				}
				got += line(e) + "\n"
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			var contents []*llm.Content
			shown := 0
			for _, m := range a.History() {
				contents = append(contents, m.Content)
				if m.Shown == "shown" {
					shown++
					if m.Content.Text() != "hi" {
						t.Errorf("%q is said to be the prompt", m.Content.Text())
					}
				}
			}
			if diff := cmp.Diff(tt.history, wire(contents)); diff != "" {
				t.Errorf("history (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.history, wire(journal.contents())); diff != "" {
				t.Errorf("journal (-want +got):\n%s", diff)
			}
			if slices.ContainsFunc(contents, func(c *llm.Content) bool { return c.Text() == "two" }) && shown != 1 && tt.name != "results of tools" { // there it is in the summary
				t.Errorf("the prompt as the user wrote it is kept %d times", shown)
			}
			if c.forced != tt.forced {
				t.Errorf("compressed %d times", c.forced)
			}
			checkPaired(t, a.History())
		})
	}
}

// The window that the vendor reports applies for the rest of the session.
func TestLearnedWindow(t *testing.T) {
	t.Parallel()
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		breaks(&llm.Error{Kind: llm.KindContextWindow, Size: llm.RequestSize{Prompt: 700, Answer: 1000, Window: 1600}}),
		says(text("ok")), says(text("other")),
	}}
	c := &summary{status: agent.CompressNoOp}
	a := newAgent(t, s, func(cfg *agent.Config) { cfg.Compressor = c }, echo("look"))
	long := string(slices.Repeat([]byte("word "), 800))
	tokens, fixed := llm.EstimateTokens([]llm.Part{llm.Text(long)}), a.RequestConfig("")
	a.SetHistory(t.Context(), []agent.Message{{ID: "1", Content: llm.User(llm.Text("before"))}})
	if got, want := play(t.Context(), a, "hi"), lines("TurnStarted", "ModelInfo", "overflow 1700 of 1600"); got != want {
		t.Errorf("got\n%s", got)
	}
	if c.tokens != 699 { // one is of the prompt
		t.Errorf("the compressor got %d tokens, not the vendor's count", c.tokens)
	}
	a.SetHistory(t.Context(), nil)
	if got, want := play(t.Context(), a, long), lines(fmt.Sprintf("overflow %d of %d", tokens, 600-fixed.Tokens())); got != want {
		t.Errorf("got\n%s", got)
	}
	a.SetModel("gemini-2.5-flash") // which has not complained
	if got, want := play(t.Context(), a, long), lines("TurnStarted", "ModelInfo", "text ok", "end of turn STOP"); got != want {
		t.Errorf("got\n%s", got)
	}
	if len(s.requests) != 2 {
		t.Errorf("%d requests", len(s.requests))
	}
}

// A window that the vendor reports gives the instruction and the tools another form, in the same
// prompt and in a later one, without a compression where that is enough.
func TestLearnedForm(t *testing.T) {
	t.Parallel()
	refuse := breaks(&llm.Error{Kind: llm.KindContextWindow, Size: llm.RequestSize{Prompt: 4300, Window: 4096}})
	for name, answers := range map[string][]func(context.Context, func(*llm.Response, error) bool){
		"first prompt": {refuse, says(text("ok")), says(text("ok"))},
		"later prompt": {says(text("ok")), refuse, says(text("ok"))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &script{answers: answers}
			c := &summary{status: agent.CompressNoOp}
			texts := map[tool.Form]*llm.Content{
				tool.Full:    llm.User(llm.Text(strings.Repeat("many words ", 1000))),
				tool.Compact: llm.User(llm.Text("few words")),
			}
			a := newAgent(t, s, func(cfg *agent.Config) {
				cfg.Compressor = c
				cfg.Limit = func(string) int { return 0 }
				cfg.System = func(f tool.Form) *llm.Content { return texts[f] }
				cfg.Form = func(_ string, window int) tool.Form {
					if catalog.IsSmall(window) {
						return tool.Compact
					}
					return tool.Full
				}
			}, echo("look"))
			for range 2 {
				want := lines("TurnStarted", "ModelInfo", "text ok", "end of turn STOP")
				if got := play(t.Context(), a, "hi"); got != want {
					t.Errorf("got\n%s", got)
				}
			}
			isCompact := false
			for i, r := range s.requests {
				isCompact = isCompact || i > 0 && len(s.requests[i-1].Contents) == len(r.Contents) // sent again
				if got := r.Config.SystemInstruction == texts[tool.Compact]; got != isCompact {
					t.Errorf("request %d: compact is %v", i, got)
				}
			}
			if window := a.Window(s.requests[0].Model); len(s.requests) != 3 || c.forced != 0 || window != 4096 {
				t.Errorf("%d requests, %d compressions, a window of %d", len(s.requests), c.forced, window)
			}
		})
	}
}

// ForgetCancelled leaves a valid history even if the prompt and earlier messages were
// compressed together.
func TestForgetCompressed(t *testing.T) {
	t.Parallel()
	for try := range 72 {
		after, opening := try/3, make([]agent.Message, try%3) // which shift where the prompt stands
		for i := range opening {
			opening[i] = agent.Message{ID: fmt.Sprint(i), Content: llm.User(llm.Text("opening"))}
		}
		s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
			says(text("one")), says(calls("look")), says(calls("look")), says(calls("look")), says(text("done")),
		}}
		journal := &book{}
		a := newAgent(t, s, func(c *agent.Config) {
			c.Compressor, c.Journal, c.ForgetCancelled, c.Context = &scissors{}, journal, true, opening
		}, echo("look"))
		play(t.Context(), a, "first")
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		for range a.Run(ctx, agent.Prompt{Parts: []llm.Part{llm.Text("hi")}}) {
			if n == after {
				cancel()
			}
			n++
		}
		cancel()
		var contents []*llm.Content
		for i, m := range a.History() {
			contents = append(contents, m.Content)
			if m.Content.HasFunctionResponse() && (i == 0 || len(a.History()[i-1].Content.FunctionCalls()) == 0) {
				t.Errorf("cancelled after %d events: results without a call", after)
			}
		}
		checkPaired(t, a.History())
		contents = slices.DeleteFunc(contents, func(c *llm.Content) bool { return c.Text() == "opening" })
		if diff := cmp.Diff(wire(contents), wire(journal.contents())); diff != "" {
			t.Errorf("cancelled after %d events: history and journal differ:\n%s", after, diff)
		}
	}
}

// Results that do not fit join the history before a hook sends another prompt.
func TestHookAfterOverflow(t *testing.T) {
	t.Parallel()
	journal := &book{}
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(calls("look")), breaks(&llm.Error{Kind: llm.KindContextWindow}), says(text("done")),
	}}
	hooks := &fakeHooks{after: func(_ string, again bool) agent.Verdict { return agent.Verdict{Block: !again, Reason: "go on"} }}
	a := newAgent(t, s, func(c *agent.Config) { c.Hooks, c.Journal = hooks, journal }, echo("look"))
	play(t.Context(), a, "hi")
	const want = `user: hi
model: call look__c1
user: response look__c1 {"output":"look done"}
model: [The previous response was interrupted before it completed.]
user: go on
`
	if got := wire(s.requests[2].Contents); got != want {
		t.Errorf("sent\n%s", got)
	}
	if diff := cmp.Diff(want+"model: done\n", wire(journal.contents())); diff != "" || len(journal.failures) > 0 {
		t.Errorf("journal %v (-want +got):\n%s", journal.failures, diff)
	}
	for _, m := range a.History() {
		if m.IsPrompt != (m.Content.Text() == "hi") {
			t.Errorf("prompt %v: %s", m.IsPrompt, m.Content.Text())
		}
	}
}
