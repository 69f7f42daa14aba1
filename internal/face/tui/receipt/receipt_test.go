package receipt

import (
	"testing"
	"time"

	"pollux/internal/face/tui/theme"
	"pollux/internal/stats"
	"pollux/llm"
)

func TestLine(t *testing.T) {
	t.Parallel()
	whole := Receipt{Time: 12340 * time.Millisecond, Requests: 3, Input: 18_240, Cached: 15_400, Output: 1_060, Cost: 0.0214, HasCost: true}
	unknown := whole
	unknown.HasCost = false
	for _, c := range []struct {
		receipt Receipt
		width   int
		want    string
	}{
		{whole, 80, "12.3s · 3 requests · 18.2k in (84% cached) · 1.1k out · $0.021"},
		{whole, 62, "12.3s · 3 requests · 18.2k in (84% cached) · 1.1k out · $0.021"},
		{whole, 61, "12.3s · 3 requests · 18.2k in (84% cached) · 1.1k out"},
		{whole, 40, "12.3s · 3 requests"},
		{whole, 5, "12.3s"},
		{whole, 4, ""},
		{unknown, 80, "12.3s · 3 requests · 18.2k in (84% cached) · 1.1k out"},
		{Receipt{Time: 999 * time.Millisecond, Requests: 1}, 80, "1 request"},
		{Receipt{Time: time.Hour}, 80, ""},
		{Receipt{Requests: 1, Input: 10, Cached: 11, HasCost: true}, 80, "1 request · 10 in (100% cached)"},
		{Receipt{Requests: 1, Input: 999_950, Output: 2_340_000, Cost: 12.345, HasCost: true}, 80, "1 request · 1.0M in · 2.3M out · $12.35"},
		{Receipt{Requests: 1, Cost: 0.00004, HasCost: true}, 80, "1 request · under $0.0001"},
		{Receipt{Requests: 1, Cost: 0.0042, HasCost: true}, 80, "1 request · $0.0042"},
	} {
		if got := c.receipt.Line(c.width, theme.NoColor()).String(); got != c.want {
			t.Errorf("%+v in %d columns: %q, not %q", c.receipt, c.width, got, c.want)
		}
	}
}

func TestBetween(t *testing.T) {
	t.Parallel()
	one, two := 1.5, 0.25
	model := func(requests int, u llm.Usage, cost *float64) stats.Model {
		return stats.Model{API: stats.API{Requests: requests, Tokens: u}, Cost: cost}
	}
	before := Of(&stats.Snapshot{Models: []stats.Model{model(1, llm.Usage{Prompt: 10, CachedContent: 4, Candidates: 5, Thoughts: 1}, &one)}})
	after := Of(&stats.Snapshot{Models: []stats.Model{
		model(3, llm.Usage{Prompt: 100, CachedContent: 64, Candidates: 25, Thoughts: 11}, &one), model(1, llm.Usage{Prompt: 7}, &two),
	}})
	want := Receipt{Time: time.Minute, Requests: 3, Input: 97, Cached: 60, Output: 30, Cost: 0.25, HasCost: true}
	if got := Between(before, after, time.Minute); got != want {
		t.Errorf("%+v", got)
	}
	unknown := Of(&stats.Snapshot{Models: []stats.Model{model(1, llm.Usage{}, nil)}})
	if got := Between(Counts{}, unknown, 0); got.HasCost {
		t.Errorf("%+v", got)
	}
}
