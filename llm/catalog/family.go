package catalog

import (
	"path"
	"slices"
	"strings"

	"pollux/llm"
)

// Lookup returns the data of a model's family. The name may include a
// vendor ("openrouter/anthropic/claude-…"), a date and a tag. Unknown names get
// modest token limits.
func Lookup(name string) Model {
	m := Model{Name: baseName(name)}
	if IsTuned(name) { // a Gemini model, but the name lacks the family
		known := Lookup(Flash25)
		known.Name, known.Thinking = m.Name, Unknown
		return known
	}
	for _, row := range contextWindows {
		if matches(row.pattern, m.Name) {
			m.Input, m.Output = row.input, row.output
			break
		}
	}
	for _, row := range inputKinds {
		if matches(row.pattern, m.Name) {
			supports := func(what string) Ability { return FromBool(strings.Contains(row.supports, what)) }
			m.Images, m.PDF, m.Audio, m.Video = supports("image"), supports("pdf"), supports("audio"), supports("video")
			break
		}
	}
	m.Thinking, _ = canThink(m.Name)
	return m
}

// HasWindow reports whether the context window of a provider's model, or of its family, is known.
// The one of [ForProvider] is otherwise a guess.
func HasWindow(provider, name string) bool {
	if inTable(provider, name).Input > 0 || IsTuned(name) {
		return true
	}
	name = baseName(name)
	return slices.ContainsFunc(contextWindows[:len(contextWindows)-1], func(row windowRow) bool { return matches(row.pattern, name) })
}

func matches(pattern, name string) bool {
	ok, _ := path.Match(pattern, name) // all patterns are valid
	return ok
}

type windowRow struct {
	pattern       string
	input, output int
}

// contextWindows holds token limits by name. The first matching row counts. The last one is a guess
// for all other models.
var contextWindows = []windowRow{
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

// inputKinds holds the kinds of input besides text that models read. The first
// matching row counts.
var inputKinds = []struct{ pattern, supports string }{
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

// canThink reports whether the model with this base name reasons before it responds,
// and whether its family is known.
func canThink(name string) (can Ability, known bool) {
	for _, row := range thinkingFamilies {
		if matches(row.pattern, name) {
			return row.canThink, true
		}
	}
	return Unknown, false
}

// thinkingFamilies holds which models reason before they respond: Unknown if only
// some models of a family do. The first matching row counts. [ChatConfig] uses the
// last families only to recognize models of other vendors.
var thinkingFamilies = []struct {
	pattern  string
	canThink Ability
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

// baseName removes from a model's name the path of vendors, the region and vendor of
// Bedrock, a tag or version after ":" or "@", and a date.
func baseName(name string) string {
	name, _ = splitDate(name)
	return name
}

// splitDate returns the base name of a model and its date, "" if it has none.
func splitDate(name string) (baseName, date string) {
	name = strings.ToLower(strings.TrimSpace(name))
	name = name[strings.LastIndexByte(name, '/')+1:]
	name, _, _ = strings.Cut(name, ":")
	name, date, _ = strings.Cut(name, "@")
	if i := strings.Index(name, ".claude-"); i >= 0 {
		name = name[i+1:]
		if i := len(name) - len("-v1"); i > 0 && name[i:i+2] == "-v" && isDigit(name[i+2]) {
			name = name[:i] // removes the version of Bedrock
		}
	}
	for _, form := range []string{"-dddddddd", "-dddd-dd-dd"} {
		if i := len(name) - len(form); i > 0 && hasForm(name[i:], form) {
			return name[:i], name[i+1:]
		}
	}
	return name, date
}

// hasForm reports whether s equals pattern with a digit for each d.
func hasForm(s, pattern string) bool {
	for i := range len(s) {
		if digit := isDigit(s[i]); digit != (pattern[i] == 'd') || !digit && s[i] != pattern[i] {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsGemini reports whether name is the name of a Gemini model, on any provider, or of a
// tuned one.
func IsGemini(name string) bool {
	return strings.HasPrefix(baseName(name), "gemini-") || IsTuned(name)
}

// IsTuned reports whether name is the resource name of a model that a user has tuned or
// deployed at Google: tunedModels/ID in the Gemini API; endpoints/ID, or the same after
// projects/P/locations/L/, in Vertex AI.
func IsTuned(name string) bool {
	parts := strings.Split(name, "/")
	switch {
	case len(parts) == 2:
		return parts[0] == "tunedModels" || parts[0] == "endpoints"
	case len(parts) == 6:
		return parts[0] == "projects" && parts[2] == "locations" && parts[4] == "endpoints"
	}
	return false
}

// IsModern reports whether newer prompts and tools are meant for the model of this
// (resolved) name: Gemini 3, and all models other than Gemini.
func IsModern(name string) bool {
	name = baseName(name)
	rest, ok := strings.CutPrefix(name, "gemini-3")
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '-') || !strings.HasPrefix(name, "gemini-")
}

// SupportsNestedMedia reports whether a function response to the model may contain
// media in its parts.
func SupportsNestedMedia(name string) bool { return strings.HasPrefix(baseName(name), "gemini-3-") }

// ChatConfig returns the default configuration of a model in a conversation: its
// sampling settings, and thinking with visible thoughts for models that can think.
//
// Gemini models and unknown names get the settings of Gemini CLI. Models of other
// known families get no sampling settings: newer models of OpenAI, Anthropic and
// Moonshot refuse them, DeepSeek ignores them, and the servers of open models know
// the best ones, which differ by family (Qwen thinks at temperature 0.6, Devstral
// works at 0.15). Their [llm.Thinking] has no level and no budget, so that the model
// decides how much to think.
func ChatConfig(name string) llm.Config {
	tuned := IsTuned(name)
	name = baseName(name)
	if can, known := canThink(name); known && !IsGemini(name) && !tuned {
		if can != Yes {
			return llm.Config{}
		}
		return llm.Config{Thinking: &llm.Thinking{IncludeThoughts: true}}
	}
	c := llm.Config{Temperature: new(1.0), TopP: new(0.95), TopK: new(64.0)}
	if tuned || IsGemini(name) {
		c.Thinking = &llm.Thinking{IncludeThoughts: true}
		switch {
		case tuned: // of whatever family: some take a budget, some a level
		case strings.HasPrefix(name, "gemini-2.5"):
			c.Thinking.Budget = new(8192)
		case IsModern(name):
			c.Thinking.Level = "HIGH"
		}
	}
	return c
}
