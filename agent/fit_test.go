package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pollux/agent"
	"pollux/llm"
)

// scale is a scripted model that counts n tokens for each prompt, unless n is 0.
type scale struct {
	*script
	n       int
	weighed int
}

func (s *scale) CountTokens(context.Context, *llm.Request) (int, error) {
	s.weighed++
	if s.n == 0 {
		return 0, errors.New("no scale")
	}
	return s.n, nil
}

// A request that fits exactly is sent. If it does not fit, but may after a compression, the
// history is compressed first.
func TestFit(t *testing.T) {
	t.Parallel()
	opening := opened(strings.Repeat("word ", 400))
	fixed := newAgent(t, &script{}, nil, echo("look")).RequestConfig("")
	before := opening[0].Content.Tokens() + fixed.Tokens()
	words, image := llm.Text(strings.Repeat("text ", 160)), llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte("x")}}
	film := llm.Part{FileData: &llm.FileData{MIMEType: "video/mp4", FileURI: "file"}}
	need := llm.EstimateTokens([]llm.Part{words})
	crowded := int(float64(need) / 0.95) // the smallest window that is not crowded
	guess := llm.EstimateTokens([]llm.Part{image})
	const after = 5 // tokens of a compressed history
	if need <= after || before <= need || guess == 100 {
		t.Fatal(before, need, guess)
	}
	for _, tt := range []struct {
		name    string
		prompt  llm.Part
		counted int // by the vendor
		status  agent.CompressionStatus
		share   float64
		limit   int
		sent    bool
		forced  int // compressions
		weighed int // countings
		left    int
		needed  int
	}{
		{name: "no limit", prompt: words, sent: true},
		{name: "with room for the answer", prompt: words, limit: before + crowded, sent: true},
		{name: "with a token less", prompt: words, limit: before + crowded - 1, sent: true, forced: 1},
		{name: "to the last token", prompt: words, limit: before + need, sent: true, forced: 1},
		{name: "within its share", prompt: words, share: 0.5, limit: before + 2*need, sent: true},
		{name: "beyond its share", prompt: words, share: 0.5, limit: before + 2*need - 1, forced: 1, left: need - 1, needed: need},
		{name: "beyond its share of an empty window", prompt: words, share: 0.5, limit: before + 1, forced: 1, left: 0, needed: need},
		{name: "within its share behind a summary", prompt: words, share: 0.5, status: agent.CompressedOK, limit: after + 2*need, sent: true, forced: 1},
		{name: "one token too many", prompt: words, limit: before + need - 1, forced: 1, left: need - 1, needed: need},
		{name: "fits behind a summary", prompt: words, status: agent.CompressedOK, limit: after + need, sent: true, forced: 1},
		{name: "does not fit behind a summary", prompt: words, status: agent.CompressedOK, limit: after + need - 1, forced: 1, left: need - 1, needed: need},
		{name: "fits behind nothing but a summary of no tokens", prompt: words, limit: need + 1, forced: 1, left: need + 1 - before, needed: need},
		{name: "as large as the window", prompt: words, limit: need, left: need - before, needed: need},
		{name: "media, counted by the vendor", prompt: image, counted: 100, limit: before + 106, sent: true, weighed: 1},
		{name: "media, one token too many", prompt: image, counted: 100, limit: before + 99, forced: 1, weighed: 1, left: 99, needed: 100},
		{name: "a file, counted by the vendor", prompt: film, counted: 100, limit: before + 106, sent: true, weighed: 1},
		{name: "media that the vendor cannot count", prompt: image, limit: before + guess, sent: true, forced: 1, weighed: 1},
		{name: "more of them", prompt: image, limit: before + guess - 1, forced: 1, weighed: 1, left: guess - 1, needed: guess},
		{name: "media without a limit", prompt: image, counted: 100, sent: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &scale{script: &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(text("ok"))}}, n: tt.counted}
			c := &summary{status: tt.status}
			a := newAgent(t, s.script, func(cfg *agent.Config) {
				cfg.Generator, cfg.Compressor, cfg.Context = s, c, opening
				cfg.Limit, cfg.Share = func(string) int { return tt.limit }, tt.share
			}, echo("look"))
			var over *agent.Overflow
			for e, err := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{tt.prompt}}) {
				if err != nil {
					t.Error(err)
				}
				if o, ok := e.(agent.Overflow); ok {
					over = &o
				}
			}
			if sent := len(s.requests) == 1; sent != tt.sent || sent == (over != nil) {
				t.Errorf("%d requests, overflow %+v", len(s.requests), over)
			}
			if over != nil && (over.Estimate != tt.needed || over.Remaining != max(0, tt.left) || over.Err != nil) {
				t.Errorf("%+v, want %d of %d", *over, tt.needed, tt.left)
			}
			if c.forced != tt.forced || s.weighed != tt.weighed {
				t.Errorf("%d compressions, %d countings", c.forced, s.weighed)
			}
		})
	}
}

// The compressor gets the size of the conversation: the model's count, less masked results,
// plus later messages.
func TestTokensToTheCompressor(t *testing.T) {
	t.Parallel()
	counted := func(r *llm.Response, n int) func(context.Context, func(*llm.Response, error) bool) {
		r.Usage = &llm.Usage{Prompt: n}
		return says(r)
	}
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		counted(calls("look"), 100), counted(text("one"), 200), counted(text("two"), 300), counted(text("three"), 400),
	}}
	seen, d := &watching{}, &desk{}
	a := newAgent(t, s, func(c *agent.Config) { c.Masker, c.IDE, c.Compressor = blotter{}, d, seen }, echo("look"))
	play(t.Context(), a, "first")
	news := llm.User(llm.Text("some news that no one has heard"))
	a.AddMessage(t.Context(), agent.Message{Content: news})
	play(t.Context(), a, "second") // which masks, and that saves 10
	play(t.Context(), a, "third")
	want := []int{100, 200 + news.Tokens(), 300}
	for i := range want {
		if i >= len(seen.tokens) || seen.tokens[i] != want[i] {
			t.Fatalf("told of %d tokens, want %d", seen.tokens, want)
		}
	}
}

// Masked output no longer counts, and IDE context does, before the vendor has counted either.
func TestTokensOfMaskAndLook(t *testing.T) {
	t.Parallel()
	first := calls("look")
	first.Usage = &llm.Usage{Prompt: 100}
	one := text("one")
	one.Usage = &llm.Usage{Prompt: 200}
	prompt := llm.User(llm.Text("first"))
	for name, tt := range map[string]struct {
		masker agent.Masker
		editor agent.IDE
		limit  int
	}{
		"neither": {nil, nil, 200},
		"mask":    {blotter{}, nil, 190},
	} {
		for _, room := range []int{0, -1} {
			s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(first), says(one), says(text("two"))}}
			limit := 1 << 20
			a := newAgent(t, s, func(c *agent.Config) {
				c.Masker, c.IDE = tt.masker, tt.editor
				c.Limit = func(string) int { return limit }
			}, echo("look"))
			play(t.Context(), a, "first")
			limit = tt.limit + prompt.Tokens() + room
			play(t.Context(), a, "first")
			if sent := len(s.requests) == 3; sent != (room == 0) {
				t.Errorf("%s: with %d tokens of room: %t", name, room, sent)
			}
		}
	}
	shown := llm.User(llm.Text("open: a.go")).Tokens()
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){breaks(&llm.Error{Kind: llm.KindBadRequest, Message: "no"})}}
	seen := &watching{}
	a := newAgent(t, s, func(c *agent.Config) { c.IDE, c.Compressor = &desk{}, seen }, echo("look"))
	fixed := a.RequestConfig("")
	shown += fixed.Tokens()
	play(t.Context(), a, "refused")
	play(t.Context(), a, "refused")
	if len(seen.tokens) != 1 || seen.tokens[0] != shown {
		t.Errorf("told of %d tokens, want %d", seen.tokens, shown)
	}
}

// watching compresses nothing, and records the tokens that it gets.
type watching struct{ tokens []int }

func (w *watching) Compress(_ context.Context, o agent.CompressRequest) ([]agent.Message, agent.Compression) {
	w.tokens = append(w.tokens, o.Tokens)
	return o.History, agent.Compression{Status: agent.CompressNoOp}
}

// A refused prompt is removed from the history, the journal and the token count.
func TestRefusedPromptIsTakenBack(t *testing.T) {
	t.Parallel()
	one := text("one")
	one.Usage = &llm.Usage{Prompt: 100}
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(one), breaks(&llm.Error{Kind: llm.KindBadRequest, Message: "no"}), says(text("three")),
	}}
	seen, b := &watching{}, &book{}
	a := newAgent(t, s, func(c *agent.Config) { c.Compressor, c.Journal = seen, b }, echo("look"))
	play(t.Context(), a, "first")
	play(t.Context(), a, "second")
	if got, want := wire(b.contents()), lines("user: first", "model: one"); got != want || len(b.failures) > 0 {
		t.Errorf("journal: %s%v", got, b.failures)
	}
	play(t.Context(), a, "third")
	if got, want := wire(s.requests[2].Contents), lines("user: first", "model: one", "user: third"); got != want {
		t.Errorf("sent\n%s", got)
	}
	if len(seen.tokens) != 2 || seen.tokens[1] != 100 {
		t.Errorf("told of %d tokens", seen.tokens)
	}
}

// The retry after a broken response waits as long as the vendor asks, but at most one minute,
// and at least the configured delay.
func TestBrokenAnswerWaits(t *testing.T) {
	t.Parallel()
	for asked, want := range map[time.Duration]time.Duration{
		0: 2 * time.Second, time.Second: 2 * time.Second, 7 * time.Second: 7 * time.Second, time.Hour: time.Minute,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
				breaks(&llm.Error{Kind: llm.KindIncomplete, Message: "cut", RetryAfter: asked}, chunk("", thought("hm"))), says(text("ok")),
			}}
			a := newAgent(t, s, func(c *agent.Config) { c.Retry.Delay = 2 * time.Second }, echo("look"))
			began := time.Now() // of the bubble
			got := play(t.Context(), a, "hi")
			if waited := time.Since(began); waited != want || !strings.Contains(got, "retried INCOMPLETE_STREAM") {
				t.Errorf("the vendor asks for %v: waited %v, want %v\n%s", asked, waited, want, got)
			}
		})
	}
}

// If a vendor refuses a request that should fit, and reports no sizes, the overflow event
// reports an unknown window.
func TestVagueRefusal(t *testing.T) {
	t.Parallel()
	opening := opened(strings.Repeat("word ", 400))
	prompt := llm.User(llm.Text("hi"))
	fixed := newAgent(t, &script{}, nil, echo("look")).RequestConfig("")
	all := opening[0].Content.Tokens() + prompt.Tokens() + fixed.Tokens()
	for limit, want := range map[int]int{all: 0, all + 1: 0} {
		s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){breaks(&llm.Error{Kind: llm.KindContextWindow})}}
		a := newAgent(t, s, func(c *agent.Config) {
			c.Context, c.Limit = opening, func(string) int { return limit }
		}, echo("look"))
		for e := range a.Run(t.Context(), agent.Prompt{Parts: prompt.Parts}) {
			if o, ok := e.(agent.Overflow); ok && (o.Estimate != all || o.Remaining != want) {
				t.Errorf("limit %d: %d of %d, want %d of %d", limit, o.Estimate, o.Remaining, all, want)
			}
		}
	}
}

// Room of a call is half of the tokens that the last request left, but at least an eighth of the
// window, for which the history would be compressed; never 0, which would mean no limit.
func TestRoomOfCalls(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]int{1000: 350, 400: 50, 300: 37, 4: 1} {
		known := calls("look")
		known.Usage = &llm.Usage{Prompt: 300}
		s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(known), says(text("done"))}}
		a := newAgent(t, s, func(c *agent.Config) { c.Limit = func(string) int { return limit } }, echo("look"))
		for e := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("hi")}}) {
			if r, ok := e.(agent.ToolRequested); ok && r.Call.Room != want {
				t.Errorf("limit %d: room for %d tokens, want %d", limit, r.Call.Room, want)
			}
		}
	}
	two := calls("look", "look") // share it
	two.Usage = &llm.Usage{Prompt: 300}
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(two), says(text("done"))}}
	a := newAgent(t, s, func(c *agent.Config) { c.Limit = func(string) int { return 1000 } }, echo("look"))
	for e := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("hi")}}) {
		if r, ok := e.(agent.ToolRequested); ok && r.Call.Room != 175 {
			t.Errorf("room for %d tokens of each of two calls, want 175", r.Call.Room)
		}
	}
}

// The journal keeps tool results that the vendor refused.
func TestRefusedResultsStay(t *testing.T) {
	t.Parallel()
	var d diary
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(calls("look")), breaks(&llm.Error{Kind: llm.KindBadRequest, Message: "no"}),
	}}
	play(t.Context(), newAgent(t, s, func(c *agent.Config) { c.Journal = &d }, echo("look")), "hi")
	want := []string{"begin s with 0", "append 1 user: hi", "append 2 model: call look__c1", `append 3 user: response look__c1 {"output":"look done"}`}
	if !slices.Equal(d.lines, want) {
		t.Errorf("journal: %q", d.lines)
	}
}

// ForgetCancelled removes nothing of earlier prompts, and keeps their token count.
func TestForgetLeavesEarlierPrompts(t *testing.T) {
	t.Parallel()
	one, look := text("one"), calls("look")
	one.Usage, look.Usage = &llm.Usage{Prompt: 100}, &llm.Usage{Prompt: 300}
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(one), says(look), says(text("three"))}}
	seen := &watching{}
	a := newAgent(t, s, func(c *agent.Config) { c.ForgetCancelled, c.Compressor = true, seen }, echo("look"))
	play(t.Context(), a, "first")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for e := range a.Run(ctx, agent.Prompt{Parts: []llm.Part{llm.Text("second")}}) {
		if _, ok := e.(agent.ToolFinished); ok {
			cancel()
		}
	}
	if got := words(a.History()); got != "first | one" {
		t.Errorf("history: %s", got)
	}
	play(t.Context(), a, "third")
	if last := seen.tokens[len(seen.tokens)-1]; last != 100 {
		t.Errorf("%d tokens before the third prompt", last)
	}
}

// Overflow names the part of the request to make smaller.
func TestOverflowCause(t *testing.T) {
	t.Parallel()
	fixed := newAgent(t, &script{}, nil, echo("look")).RequestConfig("")
	base := fixed.Tokens()
	short, long := strings.Repeat("word ", 50), strings.Repeat("word ", 900)
	for _, tt := range []struct {
		name    string
		before  string // an earlier prompt
		prompt  string
		context string
		want    agent.OverflowCause
	}{
		{"a long prompt", short, long, "", agent.OverflowPrompt},
		{"much before it", strings.Repeat("word ", 650), strings.Repeat("word ", 300), "", agent.OverflowHistory},
		{"much in each session", "", short, strings.Repeat("word ", 860), agent.OverflowFixed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(text("ok")), says(text("ok"))}}, func(c *agent.Config) {
				c.Limit = func(string) int { return base + 800 }
				if tt.context != "" {
					c.Context = opened(tt.context)
				}
			}, echo("look"))
			if tt.before != "" {
				play(t.Context(), a, tt.before)
			}
			var over agent.Overflow
			for e := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text(tt.prompt)}}) {
				if o, ok := e.(agent.Overflow); ok {
					over = o
				}
			}
			if over.Cause != tt.want {
				t.Errorf("%+v, want %q", over, tt.want)
			}
		})
	}
}

// The first prompt is refused for a size that the vendor counts and the estimates do not show: a new
// session would not help.
func TestOverflowCauseFirstPrompt(t *testing.T) {
	t.Parallel()
	refuse := breaks(&llm.Error{Kind: llm.KindContextWindow, Size: llm.RequestSize{Prompt: 8250, Window: 8192}})
	for _, tt := range []struct {
		name, before, prompt string
		want                 agent.OverflowCause
	}{
		{"a short prompt", "", "hi", agent.OverflowFixed},
		{"a long prompt", "", strings.Repeat("word ", 5000), agent.OverflowPrompt},
		{"a later prompt", "hello", "hi", agent.OverflowHistory},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			answers := slices.Repeat([]func(context.Context, func(*llm.Response, error) bool){refuse}, 20)
			if tt.before != "" {
				answers = slices.Insert(answers, 0, says(text("ok")))
			}
			a := newAgent(t, &script{answers: answers}, func(c *agent.Config) {
				c.Limit = func(string) int { return 8192 }
				c.Context = opened("the place")
			}, echo("look"))
			if tt.before != "" {
				play(t.Context(), a, tt.before)
			}
			var over agent.Overflow
			for e := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text(tt.prompt)}}) {
				if o, ok := e.(agent.Overflow); ok {
					over = o
				}
			}
			if over.Cause != tt.want {
				t.Errorf("%+v, want %q", over, tt.want)
			}
		})
	}
}
