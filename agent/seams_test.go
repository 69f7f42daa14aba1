package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/llm"
)

// diary is a journal that writes changes to a log that it shares with other parts.
type diary struct {
	lines []string
	ids   map[string]int
}

func (d *diary) Begin(_ context.Context, session string, history []agent.Message) error {
	d.lines = append(d.lines, fmt.Sprintf("begin %s with %d", session, len(history)))
	return nil
}

func (d *diary) Append(_ context.Context, m agent.Entry) error {
	if d.ids == nil {
		d.ids = map[string]int{}
	}
	d.ids[m.ID] = len(d.ids) + 1
	line := strings.TrimSuffix(wire([]*llm.Content{m.Content}), "\n")
	if m.Shown != "" {
		line += " (shown: " + m.Shown + ")"
	}
	d.lines = append(d.lines, fmt.Sprintf("append %d %s", d.ids[m.ID], line))
	return fmt.Errorf("the disk is full") // which must not stop a run
}

func (d *diary) Rewind(_ context.Context, id string) error {
	d.lines = append(d.lines, fmt.Sprintf("rewind %d", d.ids[id]))
	return nil
}

// The journal receives each message before it is sent or acted on, and each removal.
func TestJournal(t *testing.T) {
	t.Parallel()
	var d diary
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(calls("look")), says(text("done")), breaks(&llm.Error{Kind: llm.KindBadRequest, Message: "no"}),
	}}
	look := echo("look")
	a := newAgent(t, s, func(c *agent.Config) { c.Journal = &d }, look)
	for range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("read it, all of it")}, Shown: "read @it"}) {
		if len(s.requests) > 0 && len(d.lines) < 2 {
			t.Error("sent before it was written down")
		}
	}
	play(t.Context(), a, "more")
	want := []string{
		"begin s with 0",
		"append 1 user: read it, all of it (shown: read @it)",
		"append 2 model: call look__c1",
		`append 3 user: response look__c1 {"output":"look done"}`,
		"append 4 model: done",
		"append 5 user: more",
		"rewind 5",
	}
	if diff := cmp.Diff(want, d.lines); diff != "" {
		t.Error(diff)
	}
}

func (d *diary) Replace(_ context.Context, history []agent.Message) error {
	d.lines = append(d.lines, fmt.Sprintf("replace %d", len(history)))
	return nil
}

// fakeHooks returns the verdicts that the test sets and records its arguments.
type fakeHooks struct {
	log    []string
	before func(prompt string) agent.Verdict
	after  func(response string, again bool) agent.Verdict
	model  func(*llm.Request) (agent.Verdict, *llm.Response)
	chunk  func(*llm.Response) (agent.Verdict, *llm.Response)
}

func (h *fakeHooks) BeforeAgent(_ context.Context, prompt string) agent.Verdict {
	h.log = append(h.log, "before "+prompt)
	if h.before == nil {
		return agent.Verdict{}
	}
	return h.before(prompt)
}

func (h *fakeHooks) AfterAgent(_ context.Context, prompt, response string, again bool) agent.Verdict {
	h.log = append(h.log, fmt.Sprintf("after %s: %s (%v)", prompt, response, again))
	if h.after == nil {
		return agent.Verdict{}
	}
	return h.after(response, again)
}

func (h *fakeHooks) BeforeModel(_ context.Context, req *llm.Request) (agent.Verdict, *llm.Response) {
	h.log = append(h.log, "model")
	if h.model == nil {
		return agent.Verdict{}, nil
	}
	return h.model(req)
}

func (h *fakeHooks) AfterModel(_ context.Context, _ *llm.Request, chunk *llm.Response) (agent.Verdict, *llm.Response) {
	if h.chunk == nil {
		return agent.Verdict{}, nil
	}
	return h.chunk(chunk)
}

func (h *fakeHooks) PreCompress(_ context.Context, trigger agent.CompressTrigger) {
	h.log = append(h.log, "compress "+string(trigger))
}

func TestHooks(t *testing.T) {
	t.Parallel()
	type answers = []func(context.Context, func(*llm.Response, error) bool)
	tests := []struct {
		name    string
		hooks   fakeHooks
		answers answers
		want    string
		log     []string
		sent    string // the last request's contents
		kept    string // the history at the end, if it matters
	}{
		{
			name:    "context joins the prompt, escaped",
			hooks:   fakeHooks{before: func(string) agent.Verdict { return agent.Verdict{Context: "<b>"} }},
			answers: answers{says(text("ok"))},
			want:    lines("TurnStarted", "ModelInfo", "text ok", "end of turn STOP"),
			log:     []string{"before hi", "model", "after hi: ok (false)"},
			sent:    "user: hi <hook_context>&lt;b&gt;</hook_context>\n",
		},
		{
			name:  "a blocked prompt is not sent",
			hooks: fakeHooks{before: func(string) agent.Verdict { return agent.Verdict{Block: true, Reason: "no"} }},
			want:  lines("Blocked"),
			log:   []string{"before hi"},
		},
		{
			name: "a blocked answer goes back with the reason, once asked for",
			hooks: fakeHooks{after: func(_ string, again bool) agent.Verdict {
				return agent.Verdict{Block: !again, Reason: "say more"}
			}},
			answers: answers{says(text("a")), says(text("b"))},
			want:    lines("TurnStarted", "ModelInfo", "text a", "end of turn STOP", "Blocked", "TurnStarted", "text b", "end of turn STOP"),
			log:     []string{"before hi", "model", "after hi: a (false)", "before say more", "model", "after hi: a\nb (true)"},
			sent:    "user: hi\nmodel: a\nuser: say more\n",
		},
		{
			name: "a blocked request, with an answer in place of the model's",
			hooks: fakeHooks{model: func(*llm.Request) (agent.Verdict, *llm.Response) {
				return agent.Verdict{Block: true, Reason: "no"}, text("canned")
			}},
			want: lines("TurnStarted", "ModelInfo", "Blocked", "text canned", "end of turn STOP"),
			log:  []string{"before hi", "model", "after hi: canned (false)"},
			kept: "user: hi\n",
		},
		{
			name: "an answer without a block is ignored",
			hooks: fakeHooks{model: func(*llm.Request) (agent.Verdict, *llm.Response) {
				return agent.Verdict{}, text("canned")
			}},
			answers: answers{says(text("real"))},
			want:    lines("TurnStarted", "ModelInfo", "text real", "end of turn STOP"),
			log:     []string{"before hi", "model", "after hi: real (false)"},
			sent:    "user: hi\n",
			kept:    "user: hi\nmodel: real\n",
		},
		{
			name: "a stopped request keeps the prompt",
			hooks: fakeHooks{model: func(*llm.Request) (agent.Verdict, *llm.Response) {
				return agent.Verdict{Stop: true, Reason: "no"}, nil
			}},
			want: lines("TurnStarted", "ModelInfo", "Stopped"),
			log:  []string{"before hi", "model", "after hi: [no response text] (false)"},
			kept: "user: hi\n",
		},
		{
			name: "a chunk in another's place, in the history too",
			hooks: fakeHooks{chunk: func(*llm.Response) (agent.Verdict, *llm.Response) {
				return agent.Verdict{}, text("***")
			}},
			answers: answers{says(text("secret"))},
			want:    lines("TurnStarted", "ModelInfo", "text ***", "end of turn STOP"),
			log:     []string{"before hi", "model", "after hi: *** (false)"},
			sent:    "user: hi\n",
			kept:    "user: hi\nmodel: ***\n",
		},
		{
			name: "a blocked chunk is neither shown nor kept",
			hooks: fakeHooks{chunk: func(c *llm.Response) (agent.Verdict, *llm.Response) {
				if c.Text() == "secret" {
					return agent.Verdict{Block: true, Reason: "no"}, text("[removed]")
				}
				return agent.Verdict{}, nil
			}},
			answers: answers{says(chunk("", llm.Text("the ")), text("secret"), text("tail"))},
			want:    lines("TurnStarted", "ModelInfo", "text the ", "Blocked", "text [removed]", "end of turn STOP"),
			log:     []string{"before hi", "model", "after hi: [removed] (false)"},
			sent:    "user: hi\n",
			kept:    "user: hi\n",
		},
		{
			name:    "AfterAgent runs after a failure too",
			answers: answers{breaks(&llm.Error{Kind: llm.KindBadRequest, Message: "bad"})},
			want:    lines("TurnStarted", "ModelInfo", "error: bad"),
			log:     []string{"before hi", "model", "after hi: [no response text] (false)"},
			sent:    "user: hi\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &script{answers: tt.answers}
			h := tt.hooks
			a := newAgent(t, s, func(c *agent.Config) { c.Hooks = &h }, echo("look"))
			if diff := cmp.Diff(tt.want, play(t.Context(), a, "hi")); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.log, h.log); diff != "" {
				t.Errorf("hooks (-want +got):\n%s", diff)
			}
			if tt.kept != "" {
				var kept []*llm.Content
				for _, m := range a.History() {
					kept = append(kept, m.Content)
				}
				if diff := cmp.Diff(tt.kept, wire(kept)); diff != "" {
					t.Errorf("history (-want +got):\n%s", diff)
				}
			}
			if n := len(s.requests); n > 0 {
				if diff := cmp.Diff(tt.sent, wire(s.requests[n-1].Contents)); diff != "" {
					t.Errorf("sent (-want +got):\n%s", diff)
				}
			} else if tt.sent != "" {
				t.Error("nothing was sent")
			}
		})
	}
}

// scissors compresses any history to its last message.
type scissors struct{ limit int }

func (c *scissors) Compress(_ context.Context, o agent.CompressRequest) ([]agent.Message, agent.Compression) {
	h, tokens := o.History, o.Tokens
	c.limit = o.Limit
	if len(h) < 3 {
		return h, agent.Compression{Status: agent.CompressNoOp}
	}
	return h[len(h)-1:], agent.Compression{Status: agent.CompressedOK, Before: tokens, After: 1}
}

func TestCompression(t *testing.T) {
	t.Parallel()
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(text("one")), says(text("two")), says(text("three")),
	}}
	c := &scissors{}
	a := newAgent(t, s, func(cfg *agent.Config) {
		cfg.Compressor = c
		cfg.Limit = func(string) int { return 777 }
	}, echo("look"))
	play(t.Context(), a, "first")
	play(t.Context(), a, "second")
	got := play(t.Context(), a, "third")
	if want := lines("Compressed", "TurnStarted", "ModelInfo", "text three", "end of turn STOP"); got != want {
		t.Errorf("got\n%s", got)
	}
	if want := "model: two\nuser: third\n"; wire(s.requests[2].Contents) != want {
		t.Errorf("sent\n%s", wire(s.requests[2].Contents))
	}
	if c.limit != 777 {
		t.Errorf("limit = %d", c.limit)
	}
}

// parrot finds a loop in any text that occurs twice.
type parrot struct {
	seen map[string]int
	most int
}

func (p *parrot) Reset(string) { p.seen = map[string]int{} }

func (p *parrot) CheckTurn(context.Context, []agent.Message) (agent.Loop, bool) {
	return agent.Loop{}, false
}

func (p *parrot) Observe(e agent.Event) (agent.Loop, bool) {
	t, ok := e.(agent.Text)
	if !ok {
		return agent.Loop{}, false
	}
	p.seen[t.Text]++
	return agent.Loop{Kind: "chanting"}, p.seen[t.Text] > p.most
}

// After the first loop the model gets a warning and the prompt again; the second ends the run.
func TestLoops(t *testing.T) {
	t.Parallel()
	om := chunk("", llm.Text("om "))
	for name, tt := range map[string]struct {
		second []*llm.Response
		ends   string
	}{
		"comes to its senses": {[]*llm.Response{text("sorry")}, "end of turn STOP\n"},
		"goes on":             {[]*llm.Response{om, om, om, text("end")}, "LoopDetected\n"},
	} {
		s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(om, om, om, om), says(tt.second...)}}
		a := newAgent(t, s, func(c *agent.Config) { c.LoopDetector = &parrot{most: 2} }, echo("look"))
		got := play(t.Context(), a, "sing")
		if !strings.HasPrefix(wire(s.requests[1].Contents), "user: sing System: Potential loop detected. Details: chanting.") {
			t.Errorf("%s: sent\n%s", name, wire(s.requests[1].Contents))
		}
		if !strings.HasSuffix(got, tt.ends) || !strings.Contains(got, "text om \nretried LOOP_DETECTED\nTurnStarted\n") {
			t.Errorf("%s: got\n%s", name, got)
		}
		checkPaired(t, a.History())
	}
}

// blotter masks all results but those of the last message.
type blotter struct{}

func (blotter) Mask(_ context.Context, h []agent.Message, _ int) ([]agent.Message, int) {
	h, saved := slices.Clone(h), 0
	for i := range h {
		if i < len(h)-1 && h[i].Content.HasFunctionResponse() && !strings.Contains(wire([]*llm.Content{h[i].Content}), "blot") {
			r := *h[i].Content.Parts[0].FunctionResponse
			r.Response = json.RawMessage(`{"output":"blot"}`)
			h[i].Content = llm.User(llm.Part{FunctionResponse: &r})
			saved += 10
		}
	}
	return h, saved
}

// desk is an IDE with one open file.
type desk struct{ asked []bool }

func (d *desk) Context(full bool) string {
	d.asked = append(d.asked, full)
	return map[bool]string{true: "open: a.go"}[full]
}

// Old results are masked before the next request. A prompt is preceded by the full IDE
// context.
func TestMaskAndLook(t *testing.T) {
	t.Parallel()
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(calls("look")), says(text("one")), says(text("two")), says(text("three")), says(text("four")),
	}}
	d := &desk{}
	a := newAgent(t, s, func(c *agent.Config) { c.Masker, c.IDE = blotter{}, d }, echo("look"))
	play(t.Context(), a, "first")
	play(t.Context(), a, "second")
	if got := wire(s.requests[1].Contents); !strings.HasPrefix(got, "user: open: a.go\nuser: first") || strings.Contains(got, "blot") {
		t.Errorf("the second request is\n%s", got)
	}
	if got := wire(s.requests[2].Contents); strings.Count(got, "open: a.go") != 1 || !strings.Contains(got, "blot") {
		t.Errorf("the third request is\n%s", got)
	}
	a.SetHistory(t.Context(), a.History()) // a model that has seen nothing
	play(t.Context(), a, "third")
	a.Restart(t.Context(), "other", nil)
	play(t.Context(), a, "fourth")
	if diff := cmp.Diff([]bool{true, false, true, true}, d.asked); diff != "" {
		t.Errorf("asked for all (-want +got):\n%s", diff)
	}
	checkPaired(t, a.History())
}

// After a compression the model gets the full IDE context again.
func TestLookAfterCompression(t *testing.T) {
	t.Parallel()
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(text("one")), says(text("two"))}}
	d := &desk{}
	a := newAgent(t, s, func(c *agent.Config) { c.IDE, c.Compressor = d, &summary{status: agent.CompressedOK} }, echo("look"))
	play(t.Context(), a, "first")
	if _, err := a.Compress(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	play(t.Context(), a, "second")
	if diff := cmp.Diff([]bool{true, true}, d.asked); diff != "" {
		t.Errorf("asked for all (-want +got):\n%s", diff)
	}
}

// eager lets the model continue n times.
type eager struct{ n int }

func (e *eager) Next(context.Context, []agent.Message) llm.Role {
	e.n--
	if e.n < 0 {
		return llm.RoleUser
	}
	return llm.RoleModel
}

// The number of requests of a prompt without calls is limited.
func TestContinuations(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{0: 1, 2: 3, 1000: 100} {
		s := &script{}
		for range 200 {
			s.answers = append(s.answers, says(text("more")))
		}
		a := newAgent(t, s, func(c *agent.Config) { c.NextSpeaker = &eager{n} }, echo("look"))
		isExhausted := false
		for e, err := range a.Run(t.Context(), agent.TextPrompt("go")) {
			if err != nil {
				t.Error(err)
			}
			if x, ok := e.(agent.Exhausted); ok {
				isExhausted = x.Requests == 100
			}
		}
		if len(s.requests) != want || isExhausted != (n == 1000) {
			t.Errorf("%d times: %d requests, want %d; exhausted: %v", n, len(s.requests), want, isExhausted)
		}
	}
}

// fixed routes all prompts to one model.
type fixed string

func (f fixed) Route(context.Context, agent.RouteRequest) string { return string(f) }

// All requests of a prompt use one model. SetModel takes effect with the next prompt.
func TestModels(t *testing.T) {
	t.Parallel()
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(calls("look")), says(text("a")), says(text("b")), says(text("c")),
	}}
	a := newAgent(t, s, nil, echo("look"))
	for e := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("hi")}}) {
		if _, ok := e.(agent.ModelInfo); ok {
			a.SetModel("other")
			if len(a.History()) != 0 {
				t.Error("a message before the request")
			}
		}
	}
	play(t.Context(), a, "hi")
	var models []string
	for _, r := range s.requests {
		models = append(models, r.Model)
	}
	if diff := cmp.Diff([]string{"gemini-2.5-pro", "gemini-2.5-pro", "other"}, models); diff != "" {
		t.Error(diff)
	}

	s = &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(text("a"))}}
	play(t.Context(), newAgent(t, s, func(c *agent.Config) { c.Router = fixed("routed") }, echo("look")), "hi")
	if s.requests[0].Model != "routed" {
		t.Errorf("model = %s", s.requests[0].Model)
	}
}

// After a switch, the rest of the prompt uses the other model for the configuration, the
// window and the history. The next prompt uses the first model again.
func TestSwitched(t *testing.T) {
	t.Parallel()
	s := &script{}
	stepIn := func(ctx context.Context, yield func(*llm.Response, error) bool) {
		s.requests[len(s.requests)-1].OnSwitch(llm.Switch{From: "gemini-2.5-pro", To: "stand-in", Err: errors.New("no quota")})
		says(calls("look"))(ctx, yield)
	}
	s.answers = []func(context.Context, func(*llm.Response, error) bool){stepIn, says(text("done")), says(text("fine"))}
	var limits []string
	a := newAgent(t, s, func(c *agent.Config) {
		c.Limit = func(model string) int {
			if n := len(limits); n == 0 || limits[n-1] != model {
				limits = append(limits, model)
			}
			return 1000
		}
	}, echo("look"))
	want := lines("TurnStarted", "ModelInfo", "switched to stand-in", "requested look__c1", "end of turn STOP",
		"updated look__c1 validating", "updated look__c1 scheduled", "updated look__c1 executing",
		"finished look__c1 success", "TurnStarted", "text done", "end of turn STOP")
	if diff := cmp.Diff(want, play(t.Context(), a, "hi")); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	play(t.Context(), a, "again")
	var asked, answered []string
	for _, r := range s.requests {
		asked = append(asked, r.Model)
	}
	for _, m := range a.History() {
		if m.Content.Role == llm.RoleModel {
			answered = append(answered, m.Model)
		}
	}
	if diff := cmp.Diff([]string{"gemini-2.5-pro", "stand-in", "gemini-2.5-pro"}, asked); diff != "" {
		t.Errorf("asked:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"stand-in", "stand-in", "gemini-2.5-pro"}, answered); diff != "" {
		t.Errorf("answered:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"gemini-2.5-pro", "stand-in", "gemini-2.5-pro"}, limits); diff != "" {
		t.Errorf("limits:\n%s", diff)
	}
}

// TestModelOfHook checks that the history names the model that a hook selected, and not the one of the prompt.
func TestModelOfHook(t *testing.T) {
	t.Parallel()
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(text("one"))}}
	a := newAgent(t, s, func(cfg *agent.Config) {
		cfg.Hooks = &fakeHooks{model: func(req *llm.Request) (agent.Verdict, *llm.Response) {
			req.Model = "other"
			return agent.Verdict{}, nil
		}}
	})
	play(t.Context(), a, "go")
	history := a.History()
	if last := history[len(history)-1]; last.Model != "other" || s.requests[0].Model != "other" {
		t.Errorf("asked %q, recorded %q", s.requests[0].Model, last.Model)
	}
}
