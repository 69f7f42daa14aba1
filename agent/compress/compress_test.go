package compress_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/agent/compress"
	"pollux/llm"
)

// A compression starts when the history reaches the threshold.
func TestTrigger(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		threshold     float64
		limit, tokens int
		force, runs   bool
	}{
		{0, 1_048_576, 524_287, false, false},
		{0, 1_048_576, 524_288, false, true},
		{0.7, 2_097_152, 1_468_006, false, false},
		{0.7, 2_097_152, 1_468_007, false, true},
		{0.7, 1_048_576, 734_003, false, false},
		{0.7, 1_048_576, 734_004, false, true},
		{0.2, 1_048_576, 209_715, false, false},
		{0.2, 1_048_576, 209_716, false, true},
		{0, 1_048_576, 10, true, true},
		{0, 0, 10_000_000, false, false}, // an unknown window
		{0, 0, 10_000_000, true, true},
		{2, 1000, 1999, false, false},
	} {
		t.Run(fmt.Sprintf("%v of %d at %d", tt.threshold, tt.limit, tt.tokens), func(t *testing.T) {
			t.Parallel()
			s := writes(form("go"))
			c := newCompressor(t, s, func(o *compress.Options) { o.Threshold = tt.threshold })
			history := talk(10, tt.tokens/10*4) // as long as tt.tokens requires
			got, done := c.Compress(t.Context(), agent.CompressRequest{History: history, Model: "m", Limit: tt.limit, Tokens: tt.tokens, Force: tt.force})
			if !tt.runs {
				want := agent.Compression{Status: agent.CompressNoOp, Before: tt.tokens, After: tt.tokens}
				if done != want || len(s.requests) > 0 || !cmp.Equal(contents(got), contents(history), pointers) {
					t.Errorf("%+v after %d requests", done, len(s.requests))
				}
			} else if len(s.requests) != 2 || tt.tokens > 10 && done.Status != agent.CompressedOK {
				t.Errorf("%+v after %d requests", done, len(s.requests))
			}
		})
	}
}

// In a window of up to 32k tokens, a compression starts when half of the window is used, or a third of the part that is
// not fixed. A threshold of the user's is a fraction of the part that is not fixed.
func TestTriggerInSmallWindow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		threshold           float64
		limit, fixed, start int
	}{
		{0, 12_000, 0, 6000},
		{0, 12_000, 3000, 6000},
		{0, 12_000, 4500, 7000},
		{0, 12_000, 6000, 8000},
		{0, 12_000, 11_000, 8000}, // an estimate that cannot be right
		{0, 32 << 10, 1000, 16 << 10},
		{0, 40_000, 15_000, 20_000}, // not small
		{0.5, 12_000, 3000, 7500},
		{0.5, 12_000, 0, 6000},
		{0.2, 12_000, 2000, 4000},
		{0.7, 12_000, 2000, 9000},
		{0.7, 40_000, 10_000, 28_000},
	} {
		for _, tokens := range []int{tt.start - 1, tt.start} {
			c := newCompressor(t, writes(form("go")), func(o *compress.Options) { o.Threshold = tt.threshold })
			o := agent.CompressRequest{History: talk(10, tokens/10*4), Model: "m", Limit: tt.limit, Fixed: tt.fixed, Tokens: tokens}
			if _, done := c.Compress(t.Context(), o); (done.Status != agent.CompressNoOp) != (tokens == tt.start) {
				t.Errorf("%v of %d with %d fixed, at %d: %+v", tt.threshold, tt.limit, tt.fixed, tokens, done)
			}
		}
	}
}

var pointers = cmp.Comparer(func(a, b *llm.Content) bool { return a == b })

// The new history holds the opening, the snapshot, the acknowledgement, and the other messages
// with their own contents, not copies.
func TestShape(t *testing.T) {
	t.Parallel()
	history := append([]agent.Message{opening()}, talk(10, 400)...)
	s := writes("<scratchpad>hm</scratchpad>"+form("draft"), form("final"))
	got, done := newCompressor(t, s, nil).Compress(t.Context(), forced(history))
	if done.Status != agent.CompressedOK || done.Before != tokens(history) || done.After != tokens(got) {
		t.Errorf("%+v, the history is of %d and %d tokens", done, tokens(history), tokens(got))
	}
	kept := contents(history[9:]) // 7 of 10 are 70 %, but only the next is a prompt
	if len(got) != 5 || got[0].Content != history[0].Content || !cmp.Equal(contents(got[3:]), kept, pointers) {
		t.Fatalf("%d messages", len(got))
	}
	if m := got[1]; m.ID != "" || m.Content.Role != llm.RoleUser || m.Content.Text() != form("final")+newer {
		t.Errorf("snapshot: %+v %q", m, m.Content.Text())
	}
	if m := got[2]; m.ID != "" || m.Content.Role != llm.RoleModel || m.Content.Text() != "Got it. Thanks for the additional context!" {
		t.Errorf("answer to it: %q", m.Content.Text())
	}
	if got[3].ID != "u" {
		t.Errorf("a message that stays has lost its id")
	}

	// Both requests: the older part and the task; then the draft, and the check.
	first, second := s.requests[0], s.requests[1]
	if !cmp.Equal(first.Contents[:9], contents(history[:9]), pointers) || len(first.Contents) != 10 {
		t.Errorf("first request has %d messages", len(first.Contents))
	}
	if !cmp.Equal(second.Contents[:10], first.Contents, pointers) || len(second.Contents) != 12 ||
		!strings.Contains(second.Contents[10].Text(), "draft") || second.Contents[10].Role != llm.RoleModel {
		t.Errorf("second request has %d messages", len(second.Contents))
	}
	for i, id := range []string{"p1", "p1-verify"} {
		if r := s.requests[i]; r.PromptID != id || r.Use != llm.UseCompressor || r.Model != "lead" {
			t.Errorf("request %d: %s %s %s", i, r.PromptID, r.Use, r.Model)
		}
	}
}

// The status of a compression.
func TestStatus(t *testing.T) {
	t.Parallel()
	long := talk(10, 400)
	refuses := func(reason llm.FinishReason) func(int, *llm.Request) (*llm.Response, error) {
		return func(int, *llm.Request) (*llm.Response, error) {
			r := text("I have to decline.")
			r.Candidates[0].FinishReason = reason
			return r, nil
		}
	}
	fails := func(int, *llm.Request) (*llm.Response, error) {
		return nil, &llm.Error{Kind: llm.KindServer, Message: "Out of order."}
	}
	say := func(s ...string) func(int, *llm.Request) (*llm.Response, error) { return writes(s...).answer }
	for _, tt := range []struct {
		name     string
		history  []agent.Message
		answer   func(int, *llm.Request) (*llm.Response, error)
		want     agent.CompressionStatus
		requests int
		warning  string
	}{
		{"nothing", nil, nil, agent.CompressNoOp, 0, ""},
		{"no more than the opening", []agent.Message{opening()}, nil, agent.CompressNoOp, 0, ""},
		{"one prompt", talk(1, 400), nil, agent.CompressNoOp, 0, ""},
		{"one exchange", talk(2, 400), say(form("x")), agent.CompressedOK, 2, ""},
		{"no more than a summary", []agent.Message{opening(), user(form(strings.Repeat("x ", 400))), model("Got it. Thanks for the additional context!")}, nil, agent.CompressNoOp, 0, ""},
		{"the second is better", long, say(form("a"), form("b")), agent.CompressedOK, 2, ""},
		{"the second is missing", long, say(form("a"), ""), agent.CompressedOK, 2, ""},
		{"the first has not the form", long, say("Well, a lot was said.", form("b")), agent.CompressedOK, 2, ""},
		{"nor has the second", long, say("Well, a lot was said.", "It is fine as it is."), agent.CompressEmptySummary, 2, "in the form"},
		{"without tags", long, say("Overall Goal: none of it"), agent.CompressEmptySummary, 2, "in the form"},
		{"an empty form", long, say("<state_snapshot> <overall_goal>\n<!-- goal --></overall_goal></state_snapshot>", ""), agent.CompressEmptySummary, 1, "empty"},
		{"empty", long, say(" \n"), agent.CompressEmptySummary, 1, "empty"},
		{"refused", long, refuses(llm.FinishSafety), agent.CompressEmptySummary, 1, "safety"},
		{"prose", long, say(strings.Repeat("The user wants the total to be right and the test to pass. ", 6), ""), agent.CompressedOK, 2, ""},
		{"prose, then the form", long, say(strings.Repeat("The user wants the total to be right and the test to pass. ", 6), form("b")), agent.CompressedOK, 2, ""},
		{"a thought about the form", long, say("<think>\nI would write "+form("a")+"\n</think>\nNo.", ""), agent.CompressEmptySummary, 2, "empty"},
		{"refused in words", long, say("I'm sorry, but I can't help with that."), agent.CompressEmptySummary, 2, "in the form"},
		{"blocked", long, func(int, *llm.Request) (*llm.Response, error) {
			return &llm.Response{PromptFeedback: &llm.PromptFeedback{BlockReason: "OTHER"}}, nil
		}, agent.CompressEmptySummary, 1, "OTHER"},
		{"no answer", long, fails, agent.CompressEmptySummary, 1, "Out of order."},
		{"longer", long, say(form(strings.Repeat("far too many words ", 400))), agent.CompressInflated, 1, ""},
		{"huge", long, say(form(strings.Repeat("x", 10<<20))), agent.CompressInflated, 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, warned := &scribe{answer: tt.answer}, ""
			c := newCompressor(t, s, func(o *compress.Options) { o.Warn = func(w string) { warned += w } })
			before := contents(tt.history)
			got, done := c.Compress(t.Context(), forced(tt.history))
			if done.Status != tt.want || len(s.requests) != tt.requests {
				t.Errorf("%+v after %d requests", done, len(s.requests))
			}
			if (tt.warning == "") != (warned == "") || !strings.Contains(warned, tt.warning) {
				t.Errorf("warned %q", warned)
			}
			if done.Status != agent.CompressedOK && !cmp.Equal(contents(got), before, pointers) {
				t.Error("the history is another one")
			}
			if done.Status == agent.CompressInflated && done.After <= done.Before {
				t.Errorf("%+v", done)
			}
		})
	}
}

// A summary may have five sections, and need not be verified.
func TestSeedsForm(t *testing.T) {
	t.Parallel()
	s := writes(form("go"))
	c := newCompressor(t, s, func(o *compress.Options) { o.FiveSections, o.SkipVerification = true, true })
	if _, done := c.Compress(t.Context(), forced(talk(10, 400))); done.Status != agent.CompressedOK || len(s.requests) != 1 {
		t.Fatalf("%+v after %d requests", done, len(s.requests))
	}
	told := s.requests[0].Config.SystemInstruction.Text()
	for _, name := range []string{"overall_goal", "key_knowledge", "file_system_state", "recent_actions", "current_plan"} {
		if !strings.Contains(told, "<"+name+">") {
			t.Errorf("%s is not asked for", name)
		}
	}
	if strings.Contains(told, "task_state") || strings.Contains(told, "artifact_trail") {
		t.Error("today's sections are asked for")
	}
}

// Calls keep their results, both in the summarized part and in the kept part.
func TestCallsAtTheEnd(t *testing.T) {
	t.Parallel()
	history := slices.Concat(talk(2, 100), []agent.Message{user("do it")}, rounds(0, 50, 400), []agent.Message{call("run__50", "run")})
	got, done := newCompressor(t, writes(form("go")), nil).Compress(t.Context(), forced(history))
	if done.Status != agent.CompressedOK || done.After > done.Before/2 {
		t.Errorf("%+v", done)
	}
	if last := got[len(got)-1]; last.Content != history[len(history)-1].Content {
		t.Error("the calls at the end are gone")
	}
	// The prompt that all of this is work for stays.
	if got[2].Content.Text() != "do it" || got[3].Content.Role != llm.RoleModel {
		t.Errorf("%s: %q", got[2].Content.Role, got[2].Content.Text())
	}
	valid(t, got)
}

// A prompt larger than the kept part is summarized.
func TestLongPrompt(t *testing.T) {
	t.Parallel()
	history := slices.Concat([]agent.Message{user(strings.Repeat("much ", 4000))}, rounds(0, 50, 400), []agent.Message{call("run__50", "run")})
	got, done := newCompressor(t, writes(form("go")), nil).Compress(t.Context(), forced(history))
	if done.Status != agent.CompressedOK || len(got) > 60 || !strings.HasPrefix(got[0].Content.Text(), "<state_snapshot>") || got[1].Content.FunctionCalls() == nil {
		t.Errorf("%+v, %d messages", done, len(got))
	}
	valid(t, got)
}

// valid fails the test unless each call is followed by its result, and each result follows its
// call.
func valid(t interface {
	Helper()
	Fatalf(string, ...any)
}, history []agent.Message,
) {
	t.Helper()
	open := map[string]bool{}
	for i, m := range history {
		if m.Content.Role != llm.RoleUser && m.Content.Role != llm.RoleModel || len(m.Content.Parts) == 0 {
			t.Fatalf("message %d: %+v", i, m.Content)
		}
		for _, p := range m.Content.Parts {
			switch {
			case p.FunctionCall != nil:
				open[p.FunctionCall.ID] = true
			case p.FunctionResponse != nil:
				if !open[p.FunctionResponse.ID] {
					t.Fatalf("message %d answers %s, which was not called", i, p.FunctionResponse.ID)
				}
				delete(open, p.FunctionResponse.ID)
			}
		}
		if i > 0 && i < len(history)-1 && m.Content.Role == llm.RoleUser && len(open) > 0 {
			t.Fatalf("message %d comes before the results of %v", i, open)
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	for _, at := range []int{0, 1} {
		ctx, cancel := context.WithCancel(t.Context())
		s := &scribe{}
		s.answer = func(n int, _ *llm.Request) (*llm.Response, error) {
			if n == at {
				cancel()
				return nil, context.Cause(ctx)
			}
			return text(form("go")), nil
		}
		history := talk(10, 400)
		got, done := newCompressor(t, s, nil).Compress(ctx, forced(history))
		if done.Status != agent.CompressNoOp || !cmp.Equal(contents(got), contents(history), pointers) {
			t.Errorf("cancelled at request %d: %+v", at, done)
		}
		cancel()
	}
}

func TestPreCompress(t *testing.T) {
	t.Parallel()
	var triggers []string
	c := newCompressor(t, writes(form("go")), func(o *compress.Options) {
		o.PreCompress = func(_ context.Context, trigger string) { triggers = append(triggers, trigger) }
	})
	over := forced(talk(10, 400))
	c.Compress(t.Context(), over)
	over.Force = false
	c.Compress(t.Context(), over) // far below the threshold
	over.Limit = over.Tokens + 1
	c.Compress(t.Context(), over)
	over.History, over.Force = nil, true
	c.Compress(t.Context(), over)
	if want := []string{"manual", "auto"}; !slices.Equal(triggers, want) {
		t.Errorf("triggers %q, want %q", triggers, want)
	}
}

// After a failure, the next attempt waits until the history has grown by a tenth of the
// window, or the window has changed.
func TestFailureIsRemembered(t *testing.T) {
	t.Parallel()
	s := &scribe{answer: func(int, *llm.Request) (*llm.Response, error) { return nil, errors.New("no") }}
	c := newCompressor(t, s, func(o *compress.Options) { o.Warn = nil })
	over := agent.CompressRequest{History: talk(100, 4000), Model: "m", Tokens: 100_000, Limit: 150_000}
	for _, step := range []struct {
		change   string
		tokens   int
		limit    int
		model    string
		force    bool
		requests int
	}{
		{"the first attempt", 100_000, 150_000, "m", false, 1},
		{"the next turn", 101_000, 150_000, "m", false, 1},
		{"many turns", 114_999, 150_000, "m", false, 1},
		{"a tenth of the window", 115_000, 150_000, "m", false, 2},
		{"the next turn", 116_000, 150_000, "m", false, 2},
		{"a person asks", 116_000, 150_000, "m", true, 3},
		{"the next turn", 117_000, 150_000, "m", false, 3},
		{"a smaller window", 117_000, 120_000, "m", false, 4},
		{"another model", 117_000, 120_000, "n", false, 5},
		{"below the threshold", 50_000, 120_000, "n", false, 5},
		{"over it again", 60_000, 120_000, "n", false, 6},
	} {
		over.Tokens, over.Limit, over.Model, over.Force = step.tokens, step.limit, step.model, step.force
		if _, done := c.Compress(t.Context(), over); len(s.requests) != step.requests {
			t.Fatalf("%s: %d requests, want %d (%+v)", step.change, len(s.requests), step.requests, done)
		}
	}
}

// After a failure that ends all attempts, only a person causes another.
func TestGiveUp(t *testing.T) {
	t.Parallel()
	works := false
	s := &scribe{answer: func(int, *llm.Request) (*llm.Response, error) {
		if works {
			return text(form("goal")), nil
		}
		return nil, errors.New("no")
	}}
	c := newCompressor(t, s, func(o *compress.Options) { o.Warn, o.GiveUp, o.SkipVerification = nil, true, true })
	over := agent.CompressRequest{History: talk(100, 4000), Model: "m", Limit: 150_000}
	for _, step := range []struct {
		change   string
		tokens   int
		model    string
		force    bool
		requests int
	}{
		{"below the threshold", 70_000, "m", false, 0},
		{"the first attempt", 100_000, "m", false, 1},
		{"a tenth of the window", 130_000, "m", false, 1},
		{"another model", 130_000, "n", false, 1},
		{"below the threshold", 50_000, "n", false, 1},
		{"over it again", 100_000, "n", false, 1},
		{"a person asks, without success", 100_000, "n", true, 2},
		{"over it again", 140_000, "n", false, 2},
		{"a person asks", 100_000, "n", true, 3},
		{"over it once more", 100_000, "n", false, 4},
	} {
		works = step.requests > 2
		over.Tokens, over.Model, over.Force = step.tokens, step.model, step.force
		if _, done := c.Compress(t.Context(), over); len(s.requests) != step.requests {
			t.Fatalf("%s: %d requests, want %d (%+v)", step.change, len(s.requests), step.requests, done)
		}
	}
}

// A history that cannot be made short enough is not summarized in every turn.
func TestNoRest(t *testing.T) {
	t.Parallel()
	s := writes(form("go"))
	c := newCompressor(t, s, nil)
	// The system instruction and the tools alone are over the threshold.
	history, counted := talk(20, 4000), 90_000
	for turn := range 20 {
		got, done := c.Compress(t.Context(), agent.CompressRequest{History: history, Model: "m", Tokens: counted, Limit: 100_000})
		if done.Status == agent.CompressedOK {
			counted = done.After
		}
		history = append(slices.Clip(got), talk(2, 200)...)
		counted = max(counted, 80_000) + 50
		if len(s.requests) > 4 {
			t.Fatalf("%d requests by turn %d", len(s.requests), turn)
		}
	}
}

// If system instruction and tools fill most of a small window, the next summary waits until
// half of the rest is used.
func TestLittleRoom(t *testing.T) {
	t.Parallel()
	system := llm.User(llm.Text(strings.Repeat("rule ", 5000)))
	s := writes(form("go"))
	c := newCompressor(t, s, func(o *compress.Options) {
		o.RequestConfig = func(string) llm.Config { return llm.Config{SystemInstruction: system} }
	})
	history := talk(20, 1000)
	limit := (system.Tokens() + tokens(history)) * 5 / 4
	over := agent.CompressRequest{History: history, Model: "m", Tokens: system.Tokens() + tokens(history), Limit: limit}
	got, done := c.Compress(t.Context(), over)
	if done.Status != agent.CompressedOK || float64(done.After) < 0.5*float64(limit) || done.After+limit/10 >= (done.After+limit)/2 {
		t.Fatalf("%+v of %d is no case of it", done, limit)
	}
	before := len(s.requests)
	over.History = append(slices.Clip(got), talk(10, 1000)...)
	over.Tokens = (done.After+limit)/2 - 1
	if c.Compress(t.Context(), over); len(s.requests) != before {
		t.Error("summarised again at once")
	}
	over.Tokens += 2
	if c.Compress(t.Context(), over); len(s.requests) == before {
		t.Error("not summarised again")
	}
}

// A missing or implausible count of the vendor is ignored.
func TestWrongUsage(t *testing.T) {
	t.Parallel()
	history := talk(20, 5500) // about 20,000 tokens
	for _, tt := range []struct {
		counted int
		force   bool
		want    agent.CompressionStatus
		believe bool
	}{
		{0, true, agent.CompressedOK, false},
		{1, true, agent.CompressedOK, false},
		{-5, true, agent.CompressedOK, false},
		{40_000, true, agent.CompressedOK, true},
		{1 << 50, true, agent.CompressedOK, false},
		{1 << 50, false, agent.CompressNoOp, false}, // 20,000 of 100,000 it is
		{60_000, false, agent.CompressedOK, true},
	} {
		s := writes(form("go"))
		c := newCompressor(t, s, nil)
		over := agent.CompressRequest{History: history, Model: "m", Tokens: tt.counted, Limit: 100_000, Force: tt.force}
		_, done := c.Compress(t.Context(), over)
		if done.Status != tt.want || done.Status == agent.CompressedOK && (done.After > done.Before || (done.Before == tt.counted) != tt.believe) {
			t.Errorf("%d tokens: %+v", tt.counted, done)
		}
		over.Force = false
		n := len(s.requests)
		if c.Compress(t.Context(), over); tt.want == agent.CompressNoOp && len(s.requests) != n {
			t.Errorf("%d tokens are believed later", tt.counted)
		}
	}
}

// The size after a compression is on the vendor's scale, including system instruction and
// tools.
func TestScale(t *testing.T) {
	t.Parallel()
	history := talk(20, 4000)
	system := llm.User(llm.Text(strings.Repeat("rule ", 8000))) // 10,000 tokens
	guess := tokens(history) + system.Tokens()
	c := newCompressor(t, writes(form("go")), func(o *compress.Options) {
		o.RequestConfig = func(string) llm.Config { return llm.Config{SystemInstruction: system} }
	})
	got, done := c.Compress(t.Context(), agent.CompressRequest{History: history, Model: "m", Tokens: 2 * guess, Limit: 2 * guess})
	if want := 2 * (system.Tokens() + tokens(got)); done.After != want {
		t.Errorf("%+v, want %d after", done, want)
	}
}
