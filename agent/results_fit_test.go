package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// cutter is a [agent.Shortener] that cuts the results of a message to the given tokens, and
// records them.
type cutter struct {
	sizes []int
	stuck bool // it cannot make anything shorter
}

func (c *cutter) Shorten(_ context.Context, m *llm.Content, tokens int) *llm.Content {
	c.sizes = append(c.sizes, tokens)
	if c.stuck {
		return m
	}
	parts := make([]llm.Part, len(m.Parts))
	for i, p := range m.Parts {
		parts[i] = p
		if r := p.FunctionResponse; r != nil {
			parts[i].FunctionResponse = llm.Output(r.ID, r.Name, strings.Repeat("word ", tokens/len(m.Parts)))
		}
	}
	return llm.User(parts...)
}

// logbook compresses the history to nothing but its last message, and records the requests.
type logbook struct {
	requests []agent.CompressRequest
	after    int // tokens; negative for a failure
}

func (l *logbook) Compress(_ context.Context, o agent.CompressRequest) ([]agent.Message, agent.Compression) {
	if !o.Force {
		return o.History, agent.Compression{Status: agent.CompressNoOp}
	}
	l.requests = append(l.requests, o)
	if l.after < 0 {
		return o.History, agent.Compression{Status: agent.CompressEmptySummary}
	}
	last := o.History[len(o.History)-1]
	return []agent.Message{{Content: llm.User(llm.Text("summary"))}, last}, agent.Compression{Status: agent.CompressedOK, Before: o.Tokens, After: l.after}
}

// printing is a tool whose result has about so many tokens.
func printing(tokens int) *toy {
	return newToy("look", func(context.Context, tool.Host, json.RawMessage) *tool.Result {
		return tool.Text(strings.Repeat("word ", tokens))
	})
}

// Results share half of the free part of the window. If that is little, the agent compresses the
// history first, to free more.
func TestResultsFit(t *testing.T) {
	t.Parallel()
	const window = 10_000
	for _, tt := range []struct {
		name       string
		used       int // tokens of the history, as the model counts them
		result     int // tokens
		after      int // tokens after a compression
		stuck      bool
		sizes      []int // that the shortener gets
		rooms      []int // that the compressor gets
		overflows  bool
		noShortens bool
	}{
		{name: "short", used: 2000, result: 1000},
		{name: "long", used: 2000, result: 6000, sizes: []int{4000}},
		{name: "longer than the window", used: 2000, result: 60_000, sizes: []int{4000}},
		{name: "little is left", used: 8000, result: 6000, after: 1000, sizes: []int{4500}, rooms: []int{5000}},
		{name: "little is left, and no summary", used: 8000, result: 6000, after: -1, sizes: []int{1000}, rooms: []int{5000}},
		{name: "little is left, but enough", used: 8000, result: 500},
		{name: "nothing gets shorter", used: 2000, result: 9800, after: 1500, stuck: true, sizes: []int{4000, 4250}, rooms: []int{1000}, overflows: true},
		{name: "only the history gets shorter", used: 5000, result: 7000, after: 1500, stuck: true, sizes: []int{2500, 4250}, rooms: []int{3000}},
		{name: "no shortener", used: 2000, result: 9800, after: 1500, rooms: []int{1000}, overflows: true, noShortens: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			first := calls("look")
			first.Usage = &llm.Usage{Prompt: tt.used}
			s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(first), says(text("done"))}}
			cut, log := &cutter{stuck: tt.stuck}, &logbook{after: tt.after}
			a := newAgent(t, s, func(c *agent.Config) {
				c.Compressor, c.Limit = log, func(string) int { return window }
				if !tt.noShortens {
					c.Shortener = cut
				}
			}, printing(tt.result))
			got := play(t.Context(), a, "go")
			if overflows := strings.Contains(got, "overflow"); overflows != tt.overflows {
				t.Errorf("events:\n%s", got)
			}
			near := func(a, b int) bool { return a-b < 30 && b-a < 30 }
			if len(cut.sizes) != len(tt.sizes) {
				t.Fatalf("shortened to %d, want %d", cut.sizes, tt.sizes)
			}
			for i, want := range tt.sizes {
				if !near(cut.sizes[i], want) {
					t.Errorf("shortened to %d, want %d", cut.sizes, tt.sizes)
				}
			}
			var rooms []int
			for _, r := range log.requests {
				rooms = append(rooms, r.Room)
			}
			if len(rooms) != len(tt.rooms) {
				t.Fatalf("compressed to %d, want %d", rooms, tt.rooms)
			}
			for i, want := range tt.rooms {
				if d := rooms[i] - want; d > 700 || d < -700 { // the estimate of the result
					t.Errorf("compressed to %d, want %d", rooms, tt.rooms)
				}
			}
			checkPaired(t, a.History())
		})
	}
}

// The agent shortens a request each time that the vendor refuses it as too long: much larger
// results before the history, else the history first.
func TestRefusedResultsShrink(t *testing.T) {
	t.Parallel()
	vague := breaks(&llm.Error{Kind: llm.KindContextWindow})
	for _, tt := range []struct {
		name     string
		history  int // tokens of an earlier prompt
		after    int // tokens after a compression
		refusals int
		want     []string // the repair of each
	}{
		{"large results", 100, 50, 3, []string{"results", "results", "results"}},
		{"a large history", 6000, 50, 3, []string{"history", "results", "results"}},
		{"a large history, and no summary", 6000, -1, 2, []string{"history", "results", "history", "results"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			answers := []func(context.Context, func(*llm.Response, error) bool){says(text("hm")), says(calls("look"))}
			for range tt.refusals {
				answers = append(answers, vague)
			}
			s := &script{answers: append(answers, says(text("done")))}
			cut, log := &cutter{}, &logbook{after: tt.after}
			a := newAgent(t, s, func(c *agent.Config) {
				c.Compressor, c.Shortener, c.Limit = log, cut, func(string) int { return 0 }
			}, printing(5000))
			play(t.Context(), a, strings.Repeat("word ", tt.history))
			if got := play(t.Context(), a, "go"); !strings.Contains(got, "text done") {
				t.Fatalf("events:\n%s", got)
			}
			results := 0
			for _, w := range tt.want {
				if w == "results" {
					results++
				}
			}
			if len(cut.sizes) != results || len(log.requests) != len(tt.want)-results {
				t.Errorf("%d and %d", cut.sizes, len(log.requests))
			}
			for i := 1; i < len(cut.sizes); i++ {
				if cut.sizes[i] >= cut.sizes[i-1] {
					t.Errorf("sizes %d do not fall", cut.sizes)
				}
			}
			for _, r := range log.requests {
				if r.Room <= 0 || r.Room > r.Tokens/2 {
					t.Errorf("room %d for %d tokens", r.Room, r.Tokens)
				}
			}
			checkPaired(t, a.History())
		})
	}
}

// The room of a prompt is half of the free part of the window, by estimates.
func TestAgentRoom(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{0, 1, 4000} {
		s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(text("ok"))}}
		a := newAgent(t, s, func(c *agent.Config) { c.Limit = func(string) int { return limit } }, echo("look"))
		fixed := a.RequestConfig("")
		if got, want := a.Room(), max(min(limit, 1), (limit-fixed.Tokens())/2); got != want {
			t.Errorf("limit %d: room for %d, want %d", limit, got, want)
		}
		if limit < 1000 {
			continue
		}
		before := a.Room()
		play(t.Context(), a, strings.Repeat("word ", 1000))
		if after := a.Room(); before-after < 400 || before-after > 600 {
			t.Errorf("room for %d after %d", after, before)
		}
	}
}

// A conversation counts its system instruction and tools once, whatever happens to it.
func TestOverheadCountsOnce(t *testing.T) {
	t.Parallel()
	bad := breaks(&llm.Error{Kind: llm.KindBadRequest, Message: "no"})
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){bad, bad, bad, bad, bad, bad}}
	seen := &watching{}
	a := newAgent(t, s, func(c *agent.Config) { c.Compressor, c.ForgetCancelled = seen, true }, echo("look"))
	fixed := a.RequestConfig("")
	note := agent.Message{Content: llm.User(llm.Text("a note"))}
	a.AddMessage(t.Context(), note)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range a.Run(ctx, agent.Prompt{Parts: []llm.Part{llm.Text("cancelled")}}) {
		cancel() // which removes the prompt
	}
	play(t.Context(), a, "one")
	play(t.Context(), a, "two")
	a.SetHistory(t.Context(), []agent.Message{note})
	play(t.Context(), a, "three")
	a.Restart(t.Context(), "other", nil)
	a.AddMessage(t.Context(), note)
	play(t.Context(), a, "four")
	want := fixed.Tokens() + note.Content.Tokens()
	if got := fmt.Sprint(seen.tokens); got != fmt.Sprint([]int{want, want, want, want, want}) {
		t.Errorf("told of %s tokens, want %d each time", got, want)
	}
}

// Media of a result that the window has no room for are left out, beside the result or in it. A
// prompt keeps its media, and so does a message that a prompt has joined.
func TestMediaOfResultsFit(t *testing.T) {
	t.Parallel()
	pdf := llm.Part{InlineData: &llm.Blob{MIMEType: "application/pdf", Data: []byte("%PDF")}}
	reader := func(a **agent.Agent, steer bool) *toy {
		return newToy("look", func(context.Context, tool.Host, json.RawMessage) *tool.Result {
			if steer {
				(*a).Steer(agent.Prompt{Parts: []llm.Part{llm.Text("and this")}})
			}
			return &tool.Result{Content: []llm.Part{llm.Text("pages"), pdf}}
		})
	}
	for _, tt := range []struct {
		name  string
		model string // "gemini-3-..." gets media in the result
		steer bool
		limit int
		kept  bool
		sent  bool
	}{
		{name: "beside", model: "m", limit: 10_000, sent: true},
		{name: "within", model: "gemini-3-flash-preview", limit: 10_000, sent: true},
		{name: "room", model: "m", limit: 100_000, kept: true, sent: true},
		{name: "joined by a prompt", model: "m", steer: true, limit: 10_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(calls("look")), says(text("done"))}}
			var a *agent.Agent
			a = newAgent(t, s, func(c *agent.Config) {
				c.Model, c.Limit = tt.model, func(string) int { return tt.limit }
			}, reader(&a, tt.steer))
			got := play(t.Context(), a, "go")
			if sent := len(s.requests) == 2; sent != tt.sent || sent == strings.Contains(got, "overflow") {
				t.Fatalf("%d requests, events:\n%s", len(s.requests), got)
			}
			if !tt.sent {
				return
			}
			media, notes := 0, 0
			for _, p := range s.requests[1].Contents[len(s.requests[1].Contents)-1].Parts {
				if p.InlineData != nil {
					media++
				}
				if p.FunctionResponse != nil {
					media += len(p.FunctionResponse.Parts)
				}
				if p.Text == "[application/pdf was left out: the context window has no room for it]" {
					notes++
				}
			}
			if kept := media == 1; kept != tt.kept || notes == media {
				t.Errorf("%d media, %d notes", media, notes)
			}
			checkPaired(t, a.History())
		})
	}
	prompt := &script{}
	a := newAgent(t, prompt, func(c *agent.Config) { c.Limit = func(string) int { return 10_000 } }, echo("look"))
	over := false
	for e := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{pdf}}) {
		if _, ok := e.(agent.Overflow); ok {
			over = true
		}
	}
	if !over || len(prompt.requests) > 0 {
		t.Error("the medium of a prompt was sent or left out")
	}
}

// seer is a compressor that forecasts a size, and records the questions.
type seer struct {
	logbook
	forecast int
	asked    []agent.CompressRequest
}

func (s *seer) Forecast(o agent.CompressRequest) int {
	s.asked = append(s.asked, o)
	return s.forecast
}

// Calls have half of the part of the window that will be free when their results are sent, also after a compression
// that the results cause because little is left.
func TestRoomAfterCompression(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                   string
		window, used, forecast int
		compressedTo, each     int
	}{
		{name: "no compression", window: 10_000, used: 6000, forecast: 6000, each: 2000},
		{name: "one that is due", window: 10_000, used: 6000, forecast: 2000, each: 4000},
		{name: "one that the results cause", window: 10_000, used: 8000, forecast: 3000, compressedTo: 5000, each: 3500},
		{name: "a larger history", window: 10_000, used: 6000, forecast: 9000, each: 2000},
		{name: "an eighth in any case", window: 10_000, used: 9900, forecast: 9900, compressedTo: 5000, each: 1250},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			first := calls("look")
			first.Usage = &llm.Usage{Prompt: tt.used}
			s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(first), says(text("done"))}}
			c := &seer{forecast: tt.forecast}
			a := newAgent(t, s, func(cfg *agent.Config) { cfg.Compressor, cfg.Limit = c, func(string) int { return tt.window } }, printing(10))
			for e := range a.Run(t.Context(), agent.TextPrompt("go")) {
				if r, ok := e.(agent.ToolRequested); ok && r.Call.Room != tt.each {
					t.Errorf("room for %d tokens, want %d", r.Call.Room, tt.each)
				}
			}
			if len(c.asked) != 1 {
				t.Fatalf("asked %d times, for one response with calls", len(c.asked))
			}
			if o := c.asked[0]; o.Force != (tt.compressedTo > 0) || o.Room != tt.compressedTo || o.Tokens != tt.used || o.Limit != tt.window || len(o.History) != 2 {
				t.Errorf("asked about %+v", o)
			}
		})
	}
}
