package catalog

import (
	"math"
	"path"
	"slices"
	"strings"
	"testing"

	"pollux/llm"
)

// TestTable checks that each line of models.txt has the form that its first lines
// describe.
func TestTable(t *testing.T) {
	t.Parallel()
	words := []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
	seen := map[string]bool{}
	last, ended := "", map[string]bool{}
	for r := range rows() {
		id := r.provider + " " + r.name
		f := strings.Fields(r.rest)
		if len(f) != 8 {
			t.Errorf("%s: %d fields", id, len(f))
			continue
		}
		if seen[id] {
			t.Errorf("%s: twice", id)
		}
		seen[id] = true
		if r.provider != last {
			if ended[r.provider] {
				t.Errorf("%s: the provider's models are apart", id)
			}
			ended[last], last = true, r.provider
		}
		for i, s := range f[2:6] {
			if rate(s) == nil && s != "-" {
				t.Errorf("%s: rate %d is %q", id, i, s)
			}
		}
		for _, s := range f[6:8] {
			if s != "-" && s != "no" && ability(s) == Unknown && slices.ContainsFunc(strings.Split(s, ","), func(w string) bool { return !slices.Contains(words, w) }) {
				t.Errorf("%s: %q", id, s)
			}
		}
		m := r.model()
		if m.Input < 8192 || m.Input > 2_000_000 || m.Output < 4096 || m.Output > m.Input || m.Tools != Yes {
			t.Errorf("%s: %+v", id, m)
		}
		if p := m.Price; p != nil {
			if p.Input <= 0 || p.Output <= p.Input || p.CacheRead != nil && (*p.CacheRead <= 0 || *p.CacheRead >= p.Input) {
				t.Errorf("%s: %+v", id, *p)
			}
			costly := strings.Contains(r.name, "claude") || strings.HasPrefix(r.name, "gpt-5.6")
			if (p.CacheWrite != nil) != costly || costly && math.Abs(*p.CacheWrite-1.25*p.Input) > 1e-9 {
				t.Errorf("%s: writing the cache costs %v", id, p.CacheWrite)
			}
		} else if f[2] != "-" || f[3] != "-" || f[4] != "-" || f[5] != "-" {
			t.Errorf("%s: half a price", id)
		}
		// ChatConfig agrees with the table.
		if family := Lookup(r.name).Thinking; m.Thinking != Unknown && family != Unknown && m.Thinking != family {
			t.Errorf("%s: thinks %v, its family %v", id, m.Thinking, family)
		}
		if found := ForProvider(r.provider, r.name); found.Name != r.name || found.Price == nil != (m.Price == nil) || found.Input != m.Input {
			t.Errorf("%s: found %+v", id, found)
		}
	}
	if len(seen) < 165 {
		t.Errorf("%d models", len(seen))
	}
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	check := func(pattern string) {
		if _, err := path.Match(pattern, "x"); err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	for _, r := range contextWindows {
		check(r.pattern)
	}
	for _, r := range inputKinds {
		check(r.pattern)
	}
	for _, r := range thinkingFamilies {
		check(r.pattern)
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	const none = -1.0
	for _, c := range []struct {
		provider, model string
		input, output   int
		price, read     float64 // of the prompt; none: no price, no such rate
		thinks          Ability
		efforts         string
		images, pdf     Ability
	}{
		// Exact rows.
		{"gemini", "gemini-3.7-flash", 1_048_576, 65_536, 0.75, 0.075, Yes, "low medium high", Yes, Yes},
		{"gemini", "models/gemini-2.5-pro", 1_048_576, 50_000, 1.25, 0.125, Yes, "", Yes, Yes},
		{"openai", "gpt-5.5-pro", 1_050_000, 128_000, 30, none, Yes, "low medium high xhigh", Yes, Yes},
		{"openai", "gpt-4.1-mini", 1_047_576, 16_384, 0.4, 0.1, No, "", Yes, Yes},
		{"openai", "o3-mini", 200_000, 50_000, 1.1, 0.55, Yes, "low medium high", No, No},
		{"deepseek", "deepseek-v4-pro", 1_000_000, 384_000, 0.435, 0.003625, Yes, "low high max", No, No},
		{"minimax", "minimax-m2.7", 200_000, 128_000, 0.3, 0.06, Yes, "", No, No},
		{"huggingface", "MiniMaxAI/MiniMax-M2.7:fireworks-ai", 196_608, 8192, 0.3, none, Yes, "", No, No},
		// The window of a row overrides that of its family.
		{"anthropic", "claude-opus-5", 1_000_000, 128_000, 5, 0.5, Yes, "low medium high xhigh max", Yes, Yes},
		{"vertexai", "claude-sonnet-4-6", 1_000_000, 50_000, 3, 0.3, Yes, "low medium high max", Yes, Yes},
		// A subscription has no price.
		{"kimi-coding", "k3", 1_048_576, 131_072, none, none, Yes, "", Yes, Unknown},
		{"zai", "glm-5.2", 1_000_000, 131_072, none, none, Yes, "high xhigh", No, No},
		// With and without a date, a region, a version.
		{"anthropic", "claude-sonnet-4-5", 200_000, 64_000, 3, 0.3, Yes, "", Yes, Yes},
		{"openai", "gpt-5-2025-08-07", 400_000, 128_000, 1.25, 0.125, Yes, "minimal low medium high", Yes, Yes},
		{"anthropic", "claude-sonnet-4", 200_000, 64_000, 3, 0.3, Yes, "", Yes, Yes},
		{"vertexai", "claude-haiku-4-5@20251001", 200_000, 32_000, 1, 0.1, Yes, "", Yes, Yes},
		{"bedrock", "eu.anthropic.claude-haiku-4-5", 200_000, 64_000, 1, 0.1, Yes, "", Yes, Yes},
		{"bedrock", "anthropic.claude-opus-4-6-v1:0", 1_000_000, 128_000, 5, 0.5, Yes, "low medium high max", Yes, Yes},
		// A model with another date has another price.
		{"anthropic", "claude-sonnet-4-20260101", 200_000, 64_000, none, none, Yes, "", Yes, Yes},
		// Rows of other providers give all but the price.
		{"openrouter", "anthropic/claude-sonnet-4.6", 200_000, 128_000, none, none, Yes, "low medium high max", Yes, Yes},
		{"openrouter", "openai/gpt-5.1-codex:free", 400_000, 128_000, none, none, Yes, "minimal low medium high", Yes, Yes},
		{"azure", "gpt-5", 400_000, 128_000, none, none, Yes, "minimal low medium high", Yes, Yes},
		{"minimax-china", "MiniMax-M2.7", 200_000, 128_000, none, none, Yes, "", No, No},
		{"nebius", "moonshotai/Kimi-K2.5", 262_144, 32_768, none, none, Yes, "", Yes, Unknown},
		{"together", "accounts/x/models/kimi-k2p6", 262_144, 32_768, none, none, Yes, "", Yes, Unknown},
		{"groq", "openai/gpt-oss-120b", 131_072, 25_000, none, none, Yes, "low medium high", No, No},
		{"", "grok-4.5", 500_000, 50_000, none, none, Yes, "low medium high", Yes, Unknown},
		// The same model at another host of the same provider has another price.
		{"huggingface", "deepseek-ai/DeepSeek-V4-Pro", 1_000_000, 384_000, none, none, Yes, "low high max", No, No},
		// Without a row only the family is known, or nothing.
		{"anthropic", "claude-sonnet-4-5[1m]", 1_000_000, 65_536, none, none, Yes, "", Yes, Yes},
		{"openai", "gpt-5.9", 272_000, 128_000, none, none, Yes, "", Yes, Yes},
		{"ollama", "llama3.3:70b", 131_072, 32_000, none, none, Unknown, "", Unknown, Unknown},
		{"gemini", "gemini", 131_072, 32_000, none, none, Unknown, "", Unknown, Unknown},
		{"gemini", "", 131_072, 32_000, none, none, Unknown, "", Unknown, Unknown},
		{"no such", "a\x00b/\xff:\n", 131_072, 32_000, none, none, Unknown, "", Unknown, Unknown},
	} {
		m := ForProvider(c.provider, c.model)
		if m.Name != c.model || m.Input != c.input || m.Output != c.output || m.Thinking != c.thinks ||
			strings.Join(m.Efforts, " ") != c.efforts || m.Images != c.images || m.PDF != c.pdf {
			t.Errorf("%s/%s: %+v", c.provider, c.model, m)
		}
		price, read := none, none
		if p := m.Price; p != nil {
			price = p.Input
			if p.CacheRead != nil {
				read = *p.CacheRead
			}
		}
		if price != c.price || read != c.read {
			t.Errorf("%s/%s: a prompt costs %v, cached %v", c.provider, c.model, price, read)
		}
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	var names []string
	for m := range Models("deepseek") {
		names = append(names, m.Name)
		if m.Price == nil || m.PDF != No {
			t.Errorf("%+v", m)
		}
	}
	if !slices.Equal(names, []string{"deepseek-v4-flash", "deepseek-v4-pro"}) {
		t.Errorf("%q", names)
	}
	for m := range Models("gemini") {
		if m.Audio != Yes {
			t.Errorf("%s lacks what its family has", m.Name)
		}
		break
	}
	for m := range Models("no such") {
		t.Errorf("%+v", m)
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	price := ForProvider("anthropic", "claude-sonnet-4-6").Price
	u := llm.Usage{Prompt: 1_100_000, CachedContent: 800_000, CacheWrite: 200_000, Candidates: 90_000, Thoughts: 10_000}
	if usd, known := price.Cost(u); !known || math.Abs(usd-(0.3+0.24+0.75+1.5)) > 1e-9 {
		t.Errorf("%v, %v", usd, known)
	}
	pro := ForProvider("openai", "gpt-5.4-pro").Price
	if usd, known := pro.Cost(llm.Usage{Prompt: 1000, Candidates: 1000}); !known || math.Abs(usd-0.21) > 1e-9 {
		t.Errorf("%v, %v", usd, known)
	}
	if _, known := pro.Cost(llm.Usage{Prompt: 1000, CachedContent: 1}); known {
		t.Error("a rate that is not known is not 0")
	}
	if _, known := (*Price)(nil).Cost(u); known {
		t.Error("no price, but a cost")
	}
}

// FuzzForProvider checks that any name is returned unchanged, with token limits.
func FuzzForProvider(f *testing.F) {
	for _, s := range []string{"openrouter anthropic/claude-sonnet-4.6", "bedrock us.anthropic.claude-opus-4-6-v1", "x .claude--v1", "x 4p4p4.", "x -20250101", "x @:/"} {
		provider, model, _ := strings.Cut(s, " ")
		f.Add(provider, model)
	}
	f.Fuzz(func(t *testing.T, provider, model string) {
		m := ForProvider(provider, model)
		if model != "" && m.Name != model || m.Input <= 0 || m.Output <= 0 {
			t.Fatalf("%q %q: %+v", provider, model, m)
		}
		if c := ChatConfig(model); IsGemini(model) && c.TopK == nil {
			t.Fatalf("%q: %+v", model, c)
		}
	})
}

// BenchmarkForProvider measures lookups. The whole table is scanned for a model that is
// not in it.
func BenchmarkForProvider(b *testing.B) {
	for _, c := range []struct{ name, provider, model string }{
		{"first", "gemini", "gemini-3.7-flash"},
		{"last", "huggingface", "meta-models/Muse-Glimmer-30B:fireworks-ai"},
		{"elsewhere", "openrouter", "anthropic/claude-sonnet-4.6"},
		{"nowhere", "ollama", "llama3.3:70b"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ForProvider(c.provider, c.model)
			}
		})
	}
}
