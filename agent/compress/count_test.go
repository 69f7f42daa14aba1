package compress_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pollux/agent"
	"pollux/agent/compress"
	"pollux/llm"
)

// TestCount checks that the vendor's count of a history decides, unless it is impossible.
func TestCount(t *testing.T) {
	t.Parallel()
	history := append([]agent.Message{opening()}, talk(40, 1000)...)
	guess := tokens(history)
	instruction := llm.Config{SystemInstruction: llm.User(llm.Text(strings.Repeat("Be kind. ", 100)))}
	fixed := instruction.Tokens()
	for name, tt := range map[string]struct {
		counted func(n int) int // of a history of n estimated tokens
		limit   int
		off     bool
		status  agent.CompressionStatus
		before  int
		counts  int
	}{
		"over the threshold": {counted: func(n int) int { return n }, limit: 2 * (guess + fixed), status: agent.CompressedOK, before: guess + fixed, counts: 2},
		"below it":           {counted: func(n int) int { return n - 1 }, limit: 2 * (guess + fixed), status: agent.CompressNoOp, before: guess - 1 + fixed, counts: 1},
		"twice the estimate": {counted: func(n int) int { return 2 * n }, limit: 2 * (2*guess + fixed), status: agent.CompressedOK, before: 2*guess + fixed, counts: 2},
		"more after than before": {counted: func(n int) int {
			if n < guess {
				n = n * 39 / 10
			}
			return n
		}, limit: 2 * (guess + fixed), status: agent.CompressInflated, before: guess + fixed, counts: 2},
		"off by a factor of ten": {counted: func(n int) int { return 10 * n }, limit: 2 * (guess + fixed), status: agent.CompressNoOp, before: 10, counts: 1},
		"none at all":            {counted: func(int) int { return 0 }, limit: 2 * (guess + fixed), status: agent.CompressNoOp, before: 10, counts: 1},
		"not asked":              {off: true, limit: 2 * (guess + fixed), status: agent.CompressNoOp, before: 10},
		"window unknown":         {counted: func(n int) int { return n }, status: agent.CompressNoOp, before: 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, counts := writes(form("goal")), 0
			s.count = func(_ context.Context, req *llm.Request) (int, error) {
				counts++
				n := 0
				for _, c := range req.Contents {
					n += c.Tokens()
				}
				if req.Model != "lead" || counts == 1 && !slices.Equal(req.Contents, contents(history)) {
					t.Errorf("%d messages for %s are counted", len(req.Contents), req.Model)
				}
				return tt.counted(n), nil
			}
			c := newCompressor(t, s, func(o *compress.Options) {
				o.CountTokens, o.SkipVerification = !tt.off, true
				o.RequestConfig = func(string) llm.Config { return instruction }
			})
			_, done := c.Compress(t.Context(), agent.CompressRequest{History: history, Model: "lead", Tokens: 10, Limit: tt.limit})
			if done.Status != tt.status || done.Before != tt.before || counts != tt.counts {
				t.Errorf("%+v after %d counts, want %v of %d after %d", done, counts, tt.status, tt.before, tt.counts)
			}
		})
	}
}

// TestUncounted checks that a vendor that cannot count, or is slow, is asked once, and that a person can cancel it.
func TestUncounted(t *testing.T) {
	t.Parallel()
	for name, count := range map[string]func(context.Context) (int, error){
		"refused": func(context.Context) (int, error) { return 0, errors.New("Not here.") },
		"slow":    func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, context.Cause(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, counts, warned := writes(form("goal")), 0, []string(nil)
				s.count = func(ctx context.Context, _ *llm.Request) (int, error) { counts++; return count(ctx) }
				c := newCompressor(t, s, func(o *compress.Options) {
					o.CountTokens, o.SkipVerification = true, true
					o.Warn = func(text string) { warned = append(warned, text) }
				})
				history, began := talk(40, 1000), time.Now()
				o := agent.CompressRequest{History: history, Model: "lead", Tokens: tokens(history), Limit: tokens(history)}
				cancelled, cancel := context.WithCancel(t.Context())
				cancel()
				if got, done := c.Compress(cancelled, o); len(got) != len(history) || done.Status != agent.CompressNoOp || len(warned) > 0 {
					t.Errorf("%+v, %q", done, warned)
				}
				for range 2 {
					if _, done := c.Compress(t.Context(), o); done.Status != agent.CompressedOK || done.Before != tokens(history) {
						t.Errorf("%+v", done)
					}
				}
				if counts != 2 || len(warned) != 1 || !strings.HasPrefix(warned[0], "The size of the conversation is estimated from now on") || strings.HasSuffix(warned[0], ".") {
					t.Errorf("%d counts, warned %q", counts, warned)
				}
				if waited := time.Since(began); waited > 5*time.Second {
					t.Errorf("waited %s", waited)
				}
			})
		})
	}
}
