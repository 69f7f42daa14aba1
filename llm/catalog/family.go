package catalog

import (
	"path"
	"strings"

	"pollux/llm"
)

// Lookup returns what is known of the family of the model of this name, which
// may carry a vendor ("openrouter/anthropic/claude-…"), a date and a tag. A name
// that fits nothing gets the modest values of the table's last row.
func Lookup(name string) Model {
	m := Model{Name: plain(name)}
	for _, row := range limits {
		if fits(row.pattern, m.Name) {
			m.Input, m.Output = row.input, row.output
			break
		}
	}
	for _, row := range senses {
		if fits(row.pattern, m.Name) {
			sees := func(what string) Ability { return If(strings.Contains(row.sees, what)) }
			m.Images, m.PDF, m.Audio, m.Video = sees("image"), sees("pdf"), sees("audio"), sees("video")
			break
		}
	}
	m.Thinking, _ = thinks(m.Name)
	return m
}

func fits(pattern, name string) bool {
	ok, _ := path.Match(pattern, name) // the patterns are good
	return ok
}

// limits holds the windows (spec/agent.md §7.2). The first pattern that fits holds.
var limits = []struct {
	pattern       string
	input, output int
}{
	{"gemini-1.5-pro*", 2_097_152, 8_192},
	{"gemini-3*", 1_048_576, 65_536},
	{"gemini-2.5*", 1_048_576, 65_536},
	{"gemini-*", 1_048_576, 8_192},
	{"gemma-4*", 256_000, 8_192},

	{"gpt-5*", 272_000, 128_000},
	{"o[134]*", 200_000, 100_000},
	{"codex-*", 200_000, 100_000},
	{"gpt-4.1*", 1_047_576, 32_768},
	{"gpt-*", 131_072, 16_384},

	{"claude-*1m*", 1_000_000, 65_536},
	{"claude-opus-4-6*", 200_000, 128_000},
	{"claude-3*", 200_000, 8_192},
	{"claude-*", 200_000, 65_536},

	{"qwen3-coder-plus*", 1_000_000, 65_536},
	{"qwen3-coder-flash*", 1_000_000, 65_536},
	{"qwen3.*", 1_000_000, 65_536},
	{"qwen*", 262_144, 32_768},

	{"deepseek-v4*", 1_000_000, 8_192},
	{"deepseek-reasoner*", 131_072, 65_536},
	{"deepseek*", 131_072, 8_192},
	{"glm-*", 202_752, 16_384},
	{"minimax-m2.5*", 196_608, 32_000},
	{"minimax*", 200_000, 32_000},
	{"kimi*", 262_144, 32_000},
	{"seed-oss*", 524_288, 32_000},

	{"*", 131_072, 32_000},
}

// senses holds what models see besides text. The first pattern that fits holds.
var senses = []struct{ pattern, sees string }{
	{"gemini-*", "image pdf audio video"},
	{"gemma-4*", "image"},
	{"gpt-oss*", ""},
	{"gpt-*", "image pdf"},
	{"o[134]*", "image pdf"},
	{"codex-*", "image pdf"},
	{"claude-*", "image pdf"},
	{"qwen*vl*", "image video"},
	{"deepseek*", ""},
	{"glm-*v", "image"},
	{"glm-*", ""},
}

// thinks reports whether the model of this plain name reasons before it answers,
// and whether anything is known of its family.
func thinks(name string) (can Ability, known bool) {
	for _, row := range minds {
		if fits(row.pattern, name) {
			return row.thinks, true
		}
	}
	return Unknown, false
}

// minds holds which models reason before they answer, Unknown where some of a
// family do. The first pattern that fits holds. The last families are here for
// [ChatConfig], which leaves alone what it knows to be another maker's.
var minds = []struct {
	pattern string
	thinks  Ability
}{
	{"gemini-1*", No},
	{"gemini-2.0*", No},
	{"gemini-*", Yes},

	{"claude-2*", No},
	{"claude-3?7*", Yes},
	{"claude-3*", No},
	{"claude-instant*", No},
	{"claude*", Yes},

	{"gpt-oss*", Yes},
	{"gpt-5*-chat*", No},
	{"gpt-[5-9]*", Yes},
	{"gpt-*", No},
	{"chatgpt-*", No},
	{"codex-*", Yes},
	{"o[0-9]*", Yes},

	{"deepseek-r*", Yes}, // r1, reasoner
	{"deepseek-v[4-9]*", Yes},
	{"deepseek-chat*", No},
	{"deepseek*", Unknown},

	{"qwq*", Yes},
	{"qwen*-instruct*", No},
	{"qwen3-coder*", No},
	{"qwen3-max", Unknown},
	{"qwen[3-9]*", Yes},
	{"qwen*", Unknown},

	{"glm-4.[5-9]*", Yes},
	{"glm-[5-9]*", Yes},
	{"glm-*", No},

	{"kimi-k2-thinking*", Yes},
	{"kimi-k2?[5-9]*", Yes},
	{"kimi-k[3-9]*", Yes},
	{"kimi-for-coding*", Yes},
	{"k[3-9]", Yes},
	{"k[3-9]-*", Yes},
	{"kimi*", Unknown},
	{"moonshot-v1*", No},

	{"grok-*-non-reasoning*", No},
	{"grok-[4-9]*", Yes},
	{"grok*", Unknown},
	{"minimax-m[2-9]*", Yes},
	{"minimax*", Unknown},
	{"magistral*", Yes},
	{"seed-oss*", Yes},

	{"*stral*", Unknown}, // mistral, codestral, devstral
	{"mixtral*", No},
	{"*llama*", Unknown},
	{"*nemotron*", Unknown},
	{"phi*", Unknown},
	{"granite*", Unknown},
	{"command*", Unknown},
	{"hunyuan*", Unknown},
	{"ernie*", Unknown},
	{"step-*", Unknown},
	{"mimo-*", Unknown},
	{"olmo*", Unknown},
}

// plain strips what is around a model's name: the path of vendors before it,
// the region and vendor of Bedrock, a tag or version behind ":" or "@", a date.
func plain(name string) string {
	name, _ = undated(name)
	return name
}

// undated is plain, and the date.
func undated(name string) (plain, date string) {
	name = strings.ToLower(strings.TrimSpace(name))
	name = name[strings.LastIndexByte(name, '/')+1:]
	name, _, _ = strings.Cut(name, ":")
	name, date, _ = strings.Cut(name, "@")
	if i := strings.Index(name, ".claude-"); i >= 0 {
		name = name[i+1:]
		if i := len(name) - len("-v1"); i > 0 && name[i:i+2] == "-v" && isDigit(name[i+2]) {
			name = name[:i] // the version that Bedrock counts
		}
	}
	for _, form := range []string{"-dddddddd", "-dddd-dd-dd"} {
		if i := len(name) - len(form); i > 0 && looksLike(name[i:], form) {
			return name[:i], name[i+1:]
		}
	}
	return name, date
}

// looksLike reports whether s is pattern with a digit for each d.
func looksLike(s, pattern string) bool {
	for i := range len(s) {
		if digit := isDigit(s[i]); digit != (pattern[i] == 'd') || !digit && s[i] != pattern[i] {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsGemini reports whether name is a Gemini model's, whoever serves it.
func IsGemini(name string) bool { return strings.HasPrefix(plain(name), "gemini-") }

// Modern reports whether the model of this (resolved) name is one that newer
// prompts and tools are written for: Gemini 3, and everything that is not Gemini.
func Modern(name string) bool {
	name = plain(name)
	rest, ok := strings.CutPrefix(name, "gemini-3")
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '-') || !strings.HasPrefix(name, "gemini-")
}

// NestedMedia reports whether a function response may hold media in its parts.
func NestedMedia(name string) bool { return strings.HasPrefix(plain(name), "gemini-3-") }

// ChatConfig returns how a model is asked in a conversation: the sampling, and
// that a model which can think does so and shows it.
//
// Gemini, and a name that nothing is known of, is asked as Gemini CLI asks
// (spec/agent.md §7.3, chat-base). Other makers' models are left to the sampling
// that their makers tuned them for: the newer ones of OpenAI, Anthropic and
// Moonshot refuse another, DeepSeek's ignore it, and the servers of open models
// know the makers' own, which differs from family to family (Qwen thinks at 0.6,
// Devstral works at 0.15). How much these think is theirs to say as well: their
// [llm.Thinking] has no level and no budget.
func ChatConfig(name string) llm.Config {
	name = plain(name)
	if can, known := thinks(name); known && !IsGemini(name) {
		if can != Yes {
			return llm.Config{}
		}
		return llm.Config{Thinking: &llm.Thinking{IncludeThoughts: true}}
	}
	c := llm.Config{Temperature: new(1.0), TopP: new(0.95), TopK: new(64.0)}
	if IsGemini(name) {
		c.Thinking = &llm.Thinking{IncludeThoughts: true}
		switch {
		case strings.HasPrefix(name, "gemini-2.5"):
			c.Thinking.Budget = new(8192)
		case Modern(name):
			c.Thinking.Level = "HIGH"
		}
	}
	return c
}
