package compress

import (
	"testing"

	"pollux/llm/catalog"
)

// isCheaper compares two models at the catalog's prices, with 10,000 tokens of instruction and
// tools, 70,000 of history and 4,000 of answer, twice.
func TestCheaper(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		own, other string
		want       bool
	}{
		{"gemini-3.1-pro-preview", "gemini-3-pro-preview", true}, // the target of the alias: $0.13 against 0.25
		{"gemini-3.1-pro-preview", "gemini-3.1-flash-lite", false},
		{"gemini-2.5-pro", "gemini-2.5-flash", false},
		{"gemini-3-flash-preview", "gemini-3-pro-preview", true},
		{"gemini-2.5-flash", "gemini-2.5-pro", true},
		{"claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929", true},
		{"gemini-2.5-pro", "another model", false},
		{"another model", "gemini-2.5-pro", false},
	} {
		got := isCheaper(price(tt.own), price(tt.other), 10_000, 70_000, 2)
		if got != tt.want {
			t.Errorf("%s rather than %s: %v", tt.own, tt.other, got)
		}
	}
}

func price(model string) *catalog.Price {
	for _, provider := range []string{"gemini", "anthropic"} {
		if m := catalog.ForProvider(provider, model); m.Price != nil {
			return m.Price
		}
	}
	return nil
}
