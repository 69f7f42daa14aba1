package compress_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/agent/compress"
	"pollux/llm"
)

// A forecast is the size after a compression with a summary that takes an eighth of the window, or with the room that
// the compression has to keep to; the size now, if nothing will be compressed.
func TestForecast(t *testing.T) {
	t.Parallel()
	last := call("last", "read_file")
	history := append(pages(8, 3000), last)
	// The cut is before the first round with 70 % before it; the prompt is kept, too.
	const limit = 10_000
	kept := tokens(history[:2]) + tokens(history[14:])
	for _, tt := range []struct {
		name           string
		history        []agent.Message
		limit, room    int
		counted, force bool
		want           int
	}{
		{name: "below the threshold", history: history, limit: 100_000, want: tokens(history)},
		{name: "forced below the threshold", history: history, limit: 16_000, force: true, want: kept + 2000},
		{name: "above it", history: history, limit: limit, want: kept + limit/8},
		{name: "with a room", history: history, limit: limit, room: 1000, want: 1000},
		{name: "nothing to summarize", history: []agent.Message{opening(), last}, limit: 100, force: true, want: tokens([]agent.Message{opening(), last})},
		{name: "no history", limit: 100, force: true},
		{name: "an unknown window", history: history, want: tokens(history)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := writes(form("go"))
			c := newCompressor(t, s, nil)
			o := agent.CompressRequest{History: tt.history, Model: "m", Tokens: tokens(tt.history), Limit: tt.limit, Force: tt.force, Room: tt.room}
			before := contents(tt.history)
			if got := c.Forecast(o); got != tt.want {
				t.Errorf("%d, want %d of %d", got, tt.want, o.Tokens)
			}
			if len(s.requests) > 0 || !cmp.Equal(contents(tt.history), before, pointers) {
				t.Errorf("%d requests, or the history has changed", len(s.requests))
			}
			_, done := c.Compress(t.Context(), o)
			if after := done.After; done.Shorter() && (after > tt.want || after < tt.want-max(4000, tt.limit/8)) {
				t.Errorf("forecast %d, and then %d", tt.want, after)
			}
		})
	}
}

// After a failure, which the compressor does not repeat at once, it foresees no compression, unless one is forced.
func TestForecastAfterFailure(t *testing.T) {
	t.Parallel()
	s := &scribe{answer: func(int, *llm.Request) (*llm.Response, error) { return nil, errors.New("no") }}
	warnings := 0
	c := newCompressor(t, s, func(o *compress.Options) { o.Warn = func(string) { warnings++ } })
	history := append(pages(8, 3000), call("last", "read_file"))
	o := agent.CompressRequest{History: history, Model: "m", Tokens: tokens(history), Limit: 10_000}
	c.Compress(context.Background(), o)
	if got := c.Forecast(o); warnings != 1 || got != o.Tokens {
		t.Errorf("%d of %d tokens, %d warnings", got, o.Tokens, warnings)
	}
	if o.Force = true; c.Forecast(o) >= o.Tokens {
		t.Error(fmt.Sprint("forced, it foresees nothing: ", c.Forecast(o)))
	}
}
