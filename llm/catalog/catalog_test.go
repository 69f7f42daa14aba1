package catalog_test

import (
	"testing"

	"pollux/llm"
	"pollux/llm/catalog"
)

func TestLookup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, baseName string
		input, output  int
		supports       string
	}{
		{"gemini-2.5-pro", "gemini-2.5-pro", 1_048_576, 65_536, "ipav"},
		{"models/gemini-3.1-pro-preview", "gemini-3.1-pro-preview", 1_048_576, 65_536, "ipav"},
		{"gemini-1.5-pro-002", "gemini-1.5-pro-002", 2_097_152, 8_192, "ipav"},
		{"gemini-2.0-flash", "gemini-2.0-flash", 1_048_576, 8_192, "ipav"},
		{"gemma-4-31b-it", "gemma-4-31b-it", 256_000, 8_192, "i"},
		{"gpt-5.2-codex", "gpt-5.2-codex", 272_000, 128_000, "ip"},
		{"gpt-4o-2024-08-06", "gpt-4o", 131_072, 16_384, "ip"},
		{"codex-mini-latest", "codex-mini-latest", 200_000, 100_000, "ip"},
		{"openai/gpt-oss-120b", "gpt-oss-120b", 131_072, 16_384, ""},
		{"us.anthropic.claude-opus-4-6-v1", "claude-opus-4-6", 200_000, 128_000, "ip"},
		{"claude-sonnet-4-5@20250929", "claude-sonnet-4-5", 200_000, 65_536, "ip"},
		{"gpt-4.1-mini", "gpt-4.1-mini", 1_047_576, 32_768, "ip"},
		{"o3-mini", "o3-mini", 200_000, 100_000, "ip"},
		{"openrouter/anthropic/claude-sonnet-4-20250514", "claude-sonnet-4", 200_000, 65_536, "ip"},
		{"us.anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-3-5-sonnet", 200_000, 8_192, "ip"},
		{"claude-opus-4-6", "claude-opus-4-6", 200_000, 128_000, "ip"},
		{"claude-sonnet-4-5[1m]", "claude-sonnet-4-5[1m]", 1_000_000, 65_536, "ip"},
		{"Qwen/Qwen3-Coder-480B-A35B-Instruct", "qwen3-coder-480b-a35b-instruct", 262_144, 32_768, ""},
		{"qwen3-coder-plus", "qwen3-coder-plus", 1_000_000, 65_536, ""},
		{"qwen3.5-plus", "qwen3.5-plus", 1_000_000, 65_536, ""},
		{"qwen2.5-vl-72b", "qwen2.5-vl-72b", 262_144, 32_768, "iv"},
		{"deepseek-chat", "deepseek-chat", 131_072, 8_192, ""},
		{"deepseek-reasoner", "deepseek-reasoner", 131_072, 65_536, ""},
		{"deepseek-v4:free", "deepseek-v4", 1_000_000, 8_192, ""},
		{"glm-4.5v", "glm-4.5v", 202_752, 16_384, "i"},
		{"glm-4.6", "glm-4.6", 202_752, 16_384, ""},
		{"minimax-m2.5", "minimax-m2.5", 196_608, 32_000, ""},
		{"MiniMax-M2", "minimax-m2", 200_000, 32_000, ""},
		{"kimi-k2", "kimi-k2", 262_144, 32_000, ""},
		{"seed-oss-36b", "seed-oss-36b", 524_288, 32_000, ""},
		{"llama3.3:70b", "llama3.3", 131_072, 32_000, ""},
		{"tunedModels/mine", "mine", 1_048_576, 65_536, "ipav"},
		{"endpoints/123", "123", 1_048_576, 65_536, "ipav"},
		{"projects/p/locations/l/endpoints/123", "123", 1_048_576, 65_536, "ipav"},
		{"projects/p/locations/l/models/x", "x", 131_072, 32_000, ""},
		{"", "", 131_072, 32_000, ""},
	} {
		m := catalog.Lookup(c.name)
		supports := ""
		for _, s := range []struct {
			on   catalog.Ability
			mark string
		}{{m.Images, "i"}, {m.PDF, "p"}, {m.Audio, "a"}, {m.Video, "v"}} {
			if s.on == catalog.Yes {
				supports += s.mark
			}
		}
		if m.Name != c.baseName || m.Input != c.input || m.Output != c.output || supports != c.supports {
			t.Errorf("Lookup(%q) = %+v", c.name, m)
		}
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	none, key, gateway := catalog.Access{}, catalog.KeyAccess(), catalog.GatewayAccess()
	for _, c := range []struct {
		name   string
		access catalog.Access
		want   string
	}{
		{"auto", key, "gemini-3.1-pro-preview"},
		{"auto", gateway, "gemini-2.5-pro"},
		{"pro", catalog.Access{Preview: true}, "gemini-3-pro-preview"},
		{"auto-gemini-3", none, "gemini-2.5-pro"},
		{"auto-gemini-2.5", key, "gemini-2.5-pro"},
		{"", key, "gemini-3.1-pro-preview"},
		{"flash", key, "gemini-3.8-flash"},
		{"flash", gateway, "gemini-3.8-flash"},
		{"flash", catalog.Access{Preview: true}, "gemini-3-flash-preview"},
		{"flash-lite", key, "gemini-3.5-flash-lite"},
		{"flash-lite", gateway, "gemini-3.5-flash-lite"},
		{"flash-lite", none, "gemini-3.1-flash-lite"},
		{"none", key, "gemini-3.5-flash-lite"},
		{"gemini-3-pro-preview", key, "gemini-3.1-pro-preview"},
		{"models/gemini-3-pro-preview", key, "gemini-3.1-pro-preview"},
		{"gemini-3-pro-preview", catalog.Access{Preview: true}, "gemini-3-pro-preview"},
		{"gemini-3-pro-preview", gateway, "gemini-2.5-pro"},
		{"gemini-3-flash", key, "gemini-3.8-flash"},
		{"gemini-3.5-flash", gateway, "gemini-3.8-flash"},
		{"gemini-3.5-flash", none, "gemini-3.5-flash"},
		{"gemini-3.1-flash-lite", key, "gemini-3.5-flash-lite"},
		{"gemini-3.1-flash-lite", none, "gemini-3.1-flash-lite"},
		{"gemini-3-flash-preview", key, "gemini-3-flash-preview"},
		{"gemini-2.0-flash", key, "gemini-2.0-flash"},
		{"gemini-3.6-flash", key, "gemini-3.6-flash"},
		{"gemini-3.1-pro-preview-customtools", none, "gemini-2.5-pro"},
		{"gemini-3-flash-preview", gateway, "gemini-3.8-flash"},
		{"gemini-3-flash-preview", none, "gemini-2.5-flash"},
		{"models/gemini-2.5-flash", none, "gemini-2.5-flash"},
		{"gemini-4-preview", none, "gemini-4-preview"},
		{"my/own-model", none, "my/own-model"},
	} {
		if got := catalog.Resolve(c.name, c.access); got != c.want {
			t.Errorf("Resolve(%q, %+v) = %q, want %q", c.name, c.access, got, c.want)
		}
	}
}

func TestReplaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, model string
		want        bool
	}{
		{"gemini-3-pro-preview", "gemini-3.1-pro-preview", true},
		{"google/gemini-3-pro-preview", "gemini-3.1-pro-preview", true},
		{"models/gemini-3.5-flash", "vertexai/gemini-3.8-flash", true},
		{"gemini-3-flash-preview", "gemini-3.8-flash", true}, // at a gateway
		{"gemini-3-flash-preview", "gemini-3-flash-preview", false},
		{"gemini-2.5-pro", "google/gemini-3-flash", false}, // the default model of another provider
		{"gemini-2.5-pro", "claude-x", false},
		{"pro", "gemini-3.1-pro-preview", false},
		{"auto-gemini-3", "gemini-3.1-pro-preview", false},
	} {
		if got := catalog.Replaces(c.model, c.name); got != c.want {
			t.Errorf("%s replaces %s: %v", c.model, c.name, got)
		}
	}
}

func TestFamilies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                   string
		modern, nested, gemini bool
	}{
		{"gemini-3", true, false, true},
		{"gemini-3-pro-preview", true, true, true},
		{"gemini-3.1-pro-preview", true, false, true},
		{"gemini-30", false, false, true},
		{"gemini-2.5-pro", false, false, true},
		{"gpt-5", true, false, false},
		{"my-tune", true, false, false},
		{"gemini/gemini-3-pro-preview", true, true, true},
		{"openrouter/google/gemini-3-pro", true, true, true},
		{"google/gemini-2.5-pro:free", false, false, true},
		{"openrouter/anthropic/claude-sonnet-4.6", true, false, false},
		{"my/own-gemini", true, false, false},
		{"tunedModels/claude-like", true, false, true},
		{"endpoints/123", true, false, true},
	} {
		if m, n, g := catalog.IsModern(c.name), catalog.SupportsNestedMedia(c.name), catalog.IsGemini(c.name); m != c.modern || n != c.nested || g != c.gemini {
			t.Errorf("%s: modern %v, nested media %v, gemini %v", c.name, m, n, g)
		}
	}
}

func TestChatConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		thoughts bool
		budget   int
		level    string
	}{
		{"gemini-2.5-flash", true, 8192, ""},
		{"gemini-3-pro-preview", true, 0, "HIGH"},
		{"gemini-3.5-flash", true, 0, "HIGH"},
		{"gemini-2.0-flash", true, 0, ""},
		{"gemma-4-31b-it", false, 0, ""},
		{"my-model", false, 0, ""},
		{"tunedModels/mine", true, 0, ""},
		{"tunedModels/claude-3-like", true, 0, ""},
		{"endpoints/123", true, 0, ""},
		{"projects/p/locations/l/endpoints/123", true, 0, ""},
	} {
		cfg := catalog.ChatConfig(c.name)
		if *cfg.Temperature != 1 || *cfg.TopP != 0.95 || *cfg.TopK != 64 {
			t.Errorf("%s: sampling %v %v %v", c.name, *cfg.Temperature, *cfg.TopP, *cfg.TopK)
		}
		th := cfg.Thinking
		if (th != nil) != c.thoughts {
			t.Errorf("%s: thinking %+v", c.name, th)
			continue
		}
		if th != nil && (th.Level != c.level || (th.Budget != nil) != (c.budget != 0) || th.Budget != nil && *th.Budget != c.budget) {
			t.Errorf("%s: thinking %+v", c.name, th)
		}
	}
	for name, thoughts := range map[string]bool{
		"claude-sonnet-4-6": true, "openrouter/anthropic/claude-sonnet-4.6": true, "claude-3-7-sonnet": true, "claude-3-5-haiku-20241022": false,
		"us.anthropic.claude-opus-5": true,
		"gpt-5.6-sol":                true, "o4-mini": true, "codex-mini-latest": true, "gpt-4o": false, "gpt-4.1": false, "gpt-5-chat-latest": false,
		"openai/gpt-oss-120b": true, "deepseek-v4-pro": true, "deepseek-reasoner": true, "deepseek-chat": false,
		"qwen3.7-max": true, "Qwen/Qwen3-Coder-480B-A35B-Instruct": false, "qwen3:8b": true, "qwen2.5-coder": false,
		"glm-5.2": true, "glm-4-9b": false, "kimi-k3": true, "k3": true, "moonshotai/Kimi-K2-Instruct-0905": false, "moonshotai/Kimi-K2.5": true,
		"accounts/fireworks/models/kimi-k2p6": true, "grok-4.5": true, "grok-4.20-non-reasoning": false, "MiniMax-M2.7": true,
		"llama3.3:70b": false, "devstral-small": false, "magistral-medium": true,
	} {
		cfg := catalog.ChatConfig(name)
		if cfg.Temperature != nil || cfg.TopP != nil || cfg.TopK != nil {
			t.Errorf("%s: sampling %+v", name, cfg)
		}
		if th := cfg.Thinking; (th != nil) != thoughts || th != nil && *th != (llm.Thinking{IncludeThoughts: true}) {
			t.Errorf("%s: thinking %+v", name, th)
		}
	}
}
