package fallback_test

import (
	"fmt"
	"strings"
	"testing"

	"pollux/llm/catalog"
	"pollux/llm/fallback"
)

const (
	pro31, flash3, flash38 = "gemini-3.1-pro-preview", "gemini-3-flash-preview", "gemini-3.8-flash"
	pro25, flash25, lite   = "gemini-2.5-pro", "gemini-2.5-flash", "gemini-3.5-flash-lite"
)

// show formats a chain: for each policy the model, its attempts, "!" for the last
// resort, and the silent actions with their states.
func show(c fallback.Chain) string {
	var out []string
	for _, p := range c {
		s := p.Model
		if p.MaxAttempts > 0 {
			s += fmt.Sprintf(" %d", p.MaxAttempts)
		}
		if p.LastResort {
			s += "!"
		}
		for _, k := range []fallback.Kind{fallback.Terminal, fallback.Transient, fallback.NotFound, fallback.Unknown, fallback.Unreachable} {
			if p.Action(k) == fallback.Silent {
				s += fmt.Sprintf(" %s:%s", k, p.State(k))
			}
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

// TestBuiltinChains checks the published chains, for each model and way of choosing
// it.
func TestBuiltinChains(t *testing.T) {
	t.Parallel()
	key, gateway := catalog.KeyAccess(), catalog.GatewayAccess()
	const all = " terminal:terminal transient:terminal not_found:terminal unknown:terminal"
	for _, c := range []struct {
		name  string
		in    fallback.Chains
		model string
		want  string
	}{
		{"preview", fallback.Chains{Google: &key}, pro31, pro31 + ", " + flash3 + " 10!"},
		{"preview from its end", fallback.Chains{Google: &key}, flash3, flash3 + " 10!, " + pro31},
		{"default", fallback.Chains{Google: &key}, pro25, pro25 + ", " + flash38 + " 10!"},
		{"default without the newest", fallback.Chains{Google: &catalog.Access{Preview: true}}, pro25, pro25 + ", " + flash25 + " 10!"},
		{"default from its end", fallback.Chains{Google: &catalog.Access{}}, flash25, flash25 + " 10!"},
		{"flash wraps around", fallback.Chains{Google: &key}, flash38, flash38 + " 10!, " + pro25},
		{"lite", fallback.Chains{Google: &key}, lite, lite + all + ", " + flash38 + all + ", " + pro25 + all},
		{"auto", fallback.Chains{Google: &key, IsAuto: true}, pro31, pro31 + " 3 transient:sticky_retry, " + flash3 + " 10!"},
		{"auto, headless", fallback.Chains{Google: &key, IsAuto: true, IsHeadless: true}, pro31, pro31 + " 3 terminal:terminal transient:sticky_retry not_found:terminal, " + flash3 + " 10!"},
		{"a model of the user, headless", fallback.Chains{Google: &key, IsHeadless: true}, pro31, pro31 + ", " + flash3 + " 10!"},
		{"auto from its end", fallback.Chains{Google: &key, IsAuto: true}, flash3, flash3 + " 10!, " + pro31 + " 3 transient:sticky_retry"},
		{"auto of 2.5", fallback.Chains{Google: &key, IsAuto: true}, pro25, pro25 + " 3 transient:sticky_retry, " + flash38 + " 10!"},
		{"auto behind a gateway", fallback.Chains{Google: &gateway, IsAuto: true}, pro25, pro25 + " 3 transient:sticky_retry, " + flash38 + " 10!"},
		{"a preview model without access", fallback.Chains{Google: &gateway}, pro31, ""},
		{"a plan", fallback.Chains{Google: &key, IsPlanning: true}, pro31, pro31 + all + ", " + flash3 + " 10!" + all},
		{"a plan, auto", fallback.Chains{Google: &key, IsPlanning: true, IsAuto: true}, pro31, pro31 + " 3" + strings.Replace(all, "transient:terminal", "transient:sticky_retry", 1) + ", " + flash3 + " 10!" + all},
		{"a custom model", fallback.Chains{Google: &key, IsAuto: true}, "my-model", ""},
		{"another Gemini", fallback.Chains{Google: &key}, "gemini-2.0-flash", ""},
		{"another vendor", fallback.Chains{IsAuto: true}, pro31, ""},
	} {
		if got := show(c.in.ForModel(c.model)); got != c.want {
			t.Errorf("%s: %s has\n%s, want\n%s", c.name, c.model, got, c.want)
		}
	}
}

func TestOwnChains(t *testing.T) {
	t.Parallel()
	key := catalog.KeyAccess()
	own := map[string]fallback.Chain{
		"preview": {{Model: pro31}, {Model: flash38, LastResort: true}},
		"auto":    {{Model: pro31, MaxAttempts: 2}, {Model: "claude-opus-5"}},
		"house":   {{Model: "big"}, {Model: "small"}, {Model: pro25}},
		"empty":   {},
	}
	for _, c := range []struct {
		auto        bool
		model, want string
	}{
		{false, pro31, pro31 + ", " + flash38 + "!"},
		{true, pro31, pro31 + " 2, claude-opus-5"},
		{true, "claude-opus-5", "claude-opus-5, " + pro31 + " 2"},
		{true, flash38, flash38 + "!, " + pro31},
		{false, flash3, ""},
		{false, "big", "big, small, " + pro25},
		{false, "small", "small, " + pro25},
		{false, pro25, pro25 + ", " + flash38 + " 10!"},
	} {
		if got := show(fallback.Chains{Google: &key, IsAuto: c.auto, Custom: own}.ForModel(c.model)); got != c.want {
			t.Errorf("auto %v: %s has %s, want %s", c.auto, c.model, got, c.want)
		}
	}
	if got := show(fallback.Chains{Custom: own}.ForModel("big")); got != "big, small, "+pro25 {
		t.Errorf("without Google: %s", got)
	}
	plan := fallback.Chains{Custom: own, IsPlanning: true}.ForModel("big")
	if plan[0].Action(fallback.Terminal) != fallback.Silent || own["house"][0].Actions != nil {
		t.Error("planning changes the user's chain, or not what is made of it")
	}
}

func TestSilentChain(t *testing.T) {
	t.Parallel()
	const all = " terminal:terminal transient:sticky_retry not_found:terminal unknown:sticky_retry unreachable:sticky_retry"
	for want, models := range map[string][]string{
		"":                       nil,
		"a!" + all:               {"a", "a"},
		"a" + all + ", b!" + all: {"a", "b", "a"},
	} {
		if got := show(fallback.SilentChain(models...)); got != want {
			t.Errorf("%q: %s, want %s", models, got, want)
		}
	}
}
