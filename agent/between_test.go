package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// summariser replaces all messages but the opening by one, and records the request.
type summariser struct {
	asked agent.CompressRequest
	c     agent.Compression
}

func (s *summariser) Compress(_ context.Context, o agent.CompressRequest) ([]agent.Message, agent.Compression) {
	s.asked = o
	if !s.c.Shorter() {
		return o.History, s.c
	}
	return append(slices.Clip(o.History[:1]), agent.Message{Content: llm.User(llm.Text("summary"))}), s.c
}

func opened(text string) []agent.Message {
	return []agent.Message{{ID: "context", Content: llm.User(llm.Text(text))}}
}

func words(history []agent.Message) string {
	var all []string
	for _, m := range history {
		all = append(all, m.Content.Text())
	}
	return strings.Join(all, " | ")
}

// talked returns an agent that has answered one prompt; the model counted 90 tokens.
func talked(t *testing.T, s *summariser) *agent.Agent {
	t.Helper()
	answer := text("answer")
	answer.Usage = &llm.Usage{Prompt: 90, Candidates: 10, Total: 100}
	model := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(answer), says(text("again"))}}
	a := newAgent(t, model, func(cfg *agent.Config) {
		cfg.Context = opened("hello")
		if s != nil {
			cfg.Compressor = s
		}
	})
	run(t, a, "prompt")
	return a
}

func run(t *testing.T, a *agent.Agent, prompt string) {
	t.Helper()
	for _, err := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text(prompt)}}) {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A person requests a compression between two prompts.
func TestCompressByHand(t *testing.T) {
	t.Parallel()
	s := &summariser{c: agent.Compression{Status: agent.CompressedOK, Before: 100, After: 7}}
	a := talked(t, s)
	c, err := a.Compress(t.Context(), "the schema")
	if err != nil || c != s.c {
		t.Fatal(c, err)
	}
	if !s.asked.Force || s.asked.Focus != "the schema" || s.asked.Model != "gemini-2.5-pro" || !strings.HasPrefix(s.asked.PromptID, "compress-") {
		t.Errorf("asked %+v", s.asked)
	}
	if got := words(a.History()); got != "hello | summary" {
		t.Errorf("history: %s", got)
	}
	s.c = agent.Compression{Status: agent.CompressInflated, Before: 7, After: 9}
	if c, err := a.Compress(t.Context(), ""); err != nil || c != s.c || words(a.History()) != "hello | summary" {
		t.Errorf("%v, %v, history: %s", c, err, words(a.History()))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Compress(ended, ""); err == nil {
		t.Error("a compression that was called off says nothing of it")
	}
	if c, err := talked(t, nil).Compress(t.Context(), ""); err != nil || c.Status != agent.CompressNoOp {
		t.Errorf("without a compressor: %v, %v", c, err)
	}
}

// Restart starts a new conversation and keeps nothing of the old one.
func TestRestart(t *testing.T) {
	t.Parallel()
	a := talked(t, nil)
	a.Restart(t.Context(), "other", opened("good day"))
	if got := words(a.History()); got != "good day" {
		t.Errorf("history: %s", got)
	}
	if s := a.Size("gemini-2.5-pro"); s.Counted != 0 || s.Messages != 0 || s.Context == 0 {
		t.Errorf("size: %+v", s)
	}
	run(t, a, "more")
	if got := words(a.History()); got != "good day | more | again" {
		t.Errorf("history: %s", got)
	}
}

// ReplaceContext replaces the opening messages and keeps all others.
func TestReplaceContext(t *testing.T) {
	t.Parallel()
	a := talked(t, nil)
	before := a.Size("gemini-2.5-pro").Counted
	if !a.ReplaceContext(t.Context(), opened("hello, with "+strings.Repeat("many ", 50)+"words")) {
		t.Error("it was not taken")
	}
	if got := words(a.History()); !strings.HasSuffix(got, "words | prompt | answer") || strings.HasPrefix(got, "hello |") {
		t.Errorf("history: %s", got)
	}
	if now := a.Size("gemini-2.5-pro").Counted; now <= before {
		t.Errorf("%d tokens, before %d", now, before)
	}
	a.SetHistory(t.Context(), opened("another's"))
	if a.ReplaceContext(t.Context(), opened("hello")) || words(a.History()) != "another's" {
		t.Errorf("a loaded history has become %s", words(a.History()))
	}
}

func TestAddMessage(t *testing.T) {
	t.Parallel()
	a := talked(t, nil)
	a.AddMessage(t.Context(), agent.Message{Content: llm.User(llm.Text("news"))})
	all := a.History()
	if got := words(all); got != "hello | prompt | answer | news" {
		t.Errorf("history: %s", got)
	}
	if last := all[len(all)-1]; last.ID == "" || last.Time.IsZero() {
		t.Errorf("the message is %+v", last)
	}
}

// The sizes of the parts add up to the whole. Size may be called during a run.
func TestSize(t *testing.T) {
	t.Parallel()
	a := talked(t, nil)
	s := a.Size("gemini-2.5-pro")
	if s.Context == 0 || s.Messages == 0 || s.Counted != 90 || s.Estimated() != s.System+s.Tools+s.Context+s.Messages {
		t.Errorf("%+v", s)
	}
	for e := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("more")}}) {
		if _, ok := e.(agent.TurnStarted); ok {
			if during := a.Size("gemini-2.5-pro"); during.Counted != 0 || during.Estimated() < s.Estimated() {
				t.Errorf("during a run: %+v", during)
			}
		}
	}
}

// A call that a person requests passes the gate and does not join the conversation.
func TestRunTool(t *testing.T) {
	t.Parallel()
	var seen *agent.ToolCall
	a := newAgent(t, &script{}, func(cfg *agent.Config) {
		cfg.Context = opened("hello")
		cfg.Gate = watchedGate{openGate{}, &seen}
	}, echo("known"))
	done := func(ctx context.Context, name string, own *toy) string {
		var b strings.Builder
		for e, err := range a.RunTool(ctx, agent.ToolCall{Name: name}, own.orNil()) {
			if err != nil {
				t.Error(err)
				continue
			}
			b.WriteString(line(e) + "; ")
		}
		return b.String()
	}
	for _, c := range []struct {
		name string
		tool *toy
		want string
	}{
		{"known", nil, "updated known__client_0 validating; updated known__client_0 scheduled; updated known__client_0 executing; finished known__client_0 success; "},
		{"own", echo("own"), "updated own__client_1 validating; updated own__client_1 scheduled; updated own__client_1 executing; finished own__client_1 success; "},
		{"nothing", nil, "updated nothing__client_2 validating; finished nothing__client_2 error; "},
	} {
		if got := done(t.Context(), c.name, c.tool); got != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	if seen == nil || !seen.FromClient || seen.Name != "own" {
		t.Errorf("the gate sees %+v", seen)
	}
	ctx, cancel := context.WithCancel(t.Context())
	slow := newToy("slow", func(ctx context.Context, _ tool.Host, _ json.RawMessage) *tool.Result {
		cancel()
		<-ctx.Done()
		return tool.Text("so far")
	})
	if got := done(ctx, "slow", slow); !strings.HasSuffix(got, "finished slow__client_3 cancelled; Cancelled; ") {
		t.Errorf("cancelled: %s", got)
	}
	for range a.RunTool(t.Context(), agent.ToolCall{Name: "known"}, nil) {
		break // no one reads the events, and nothing hangs
	}
	if h := a.History(); len(h) != 1 {
		t.Errorf("the model hears %s", words(h))
	}
}

// watchedGate records the last call that it has admitted.
type watchedGate struct {
	openGate
	seen **agent.ToolCall
}

func (g watchedGate) Admit(ctx context.Context, c *agent.ToolCall, t tool.Tool, ask agent.Ask) agent.Admission {
	*g.seen = c
	return g.openGate.Admit(ctx, c, t, ask)
}

func (t *toy) orNil() tool.Tool {
	if t == nil {
		return nil
	}
	return t
}

// Rewind returns to the state before a prompt. Opening messages stay.
func TestRewind(t *testing.T) {
	t.Parallel()
	journal := &book{}
	model := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(calls("look")), says(text("one")), says(text("two")), says(text("three")),
	}}
	a := newAgent(t, model, func(cfg *agent.Config) { cfg.Context, cfg.Journal = opened("hello"), journal })
	run(t, a, "first")
	run(t, a, "second")
	var prompts []agent.Message
	for _, m := range a.History() {
		if m.IsPrompt {
			prompts = append(prompts, m)
		}
	}
	if got := words(prompts); got != "first | second" {
		t.Errorf("prompts: %s", got)
	}
	if a.Rewind(t.Context(), "context") || a.Rewind(t.Context(), "unknown") {
		t.Error("rewound to a message that is none of the conversation")
	}
	if !a.Rewind(t.Context(), prompts[1].ID) {
		t.Error("not rewound")
	}
	run(t, a, "other")
	if got := words(a.History()); !strings.HasSuffix(got, " | one | other | three") || words(journal.history()) != got {
		t.Errorf("history %q, journal %q", got, words(journal.history()))
	}
	if journal.failures != nil {
		t.Error(journal.failures)
	}
}
