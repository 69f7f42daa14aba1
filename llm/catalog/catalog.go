// Package catalog knows models by their names: how much they take, what they
// see, how they want to be asked, and which model an alias stands for
// (spec/agent.md §7). It is a set of tables; the functions only look things up.
// What a provider says of its models at run time, and what the user has set,
// goes before what is here.
package catalog

import (
	"cmp"
	"path"
	"strings"

	"pollux/llm"
)

// Model is what is known of a model. The zero value of each member says that
// nothing is.
type Model struct {
	// Name is the model's name where it was found: of a provider, as that knows
	// it; of a family, without vendor, date and tag.
	Name string
	// Input and Output are the most tokens it takes and gives.
	Input, Output int
	// Tools says whether it calls functions, Thinking whether it reasons before
	// it answers, and Efforts how much it can be told to ("low", "high").
	Tools, Thinking Ability
	Efforts         []string
	// What besides text it can be shown.
	Images, PDF, Audio, Video Ability
	Price                     *Price
}

// Ability is whether a model can do something, as far as is known.
type Ability int8

// The abilities.
const (
	Unknown Ability = iota
	Yes
	No
)

// If returns Yes or No.
func If(b bool) Ability {
	if b {
		return Yes
	}
	return No
}

// Price is what a million tokens cost, in US dollars.
type Price struct {
	Input      float64  `json:"input"`
	Output     float64  `json:"output"`               // thoughts included
	CacheRead  *float64 `json:"cacheRead,omitempty"`  // nil: not known
	CacheWrite *float64 `json:"cacheWrite,omitempty"` // nil: as much as Input
}

// Cost returns what an answer cost in US dollars, false where a rate that it
// takes is not known (spec/providers.md §1). A nil Price knows none.
func (p *Price) Cost(u llm.Usage) (usd float64, known bool) {
	if p == nil || u.CachedContent > 0 && p.CacheRead == nil {
		return 0, false
	}
	read, write := 0.0, p.Input
	if p.CacheRead != nil {
		read = *p.CacheRead
	}
	if p.CacheWrite != nil {
		write = *p.CacheWrite
	}
	full := max(0, u.Prompt+u.ToolUsePrompt-u.CachedContent-u.CacheWrite)
	return (float64(full)*p.Input + float64(u.CachedContent)*read + float64(u.CacheWrite)*write +
		float64(u.Candidates+u.Thoughts)*p.Output) / 1e6, true
}

// Over returns m with what it does not know taken from below.
func (m Model) Over(below Model) Model {
	m.Name = cmp.Or(m.Name, below.Name)
	m.Input, m.Output = cmp.Or(m.Input, below.Input), cmp.Or(m.Output, below.Output)
	m.Tools, m.Thinking = cmp.Or(m.Tools, below.Tools), cmp.Or(m.Thinking, below.Thinking)
	if m.Efforts == nil {
		m.Efforts = below.Efforts
	}
	m.Images, m.PDF = cmp.Or(m.Images, below.Images), cmp.Or(m.PDF, below.PDF)
	m.Audio, m.Video = cmp.Or(m.Audio, below.Audio), cmp.Or(m.Video, below.Video)
	m.Price = cmp.Or(m.Price, below.Price)
	return m
}

// Lookup returns what is known of the family of the model of this name, which
// may carry a vendor ("openrouter/anthropic/claude-…"), a date and a tag. A name
// that fits nothing gets the modest values of the table's last row.
func Lookup(name string) Model {
	m := Model{Name: plain(name)}
	for _, row := range limits {
		if ok, _ := path.Match(row.pattern, m.Name); ok { // the patterns are good
			m.Input, m.Output = row.input, row.output
			break
		}
	}
	for _, row := range senses {
		if ok, _ := path.Match(row.pattern, m.Name); ok {
			sees := func(what string) Ability { return If(strings.Contains(row.sees, what)) }
			m.Images, m.PDF, m.Audio, m.Video = sees("image"), sees("pdf"), sees("audio"), sees("video")
			break
		}
	}
	return m
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
	{"gpt-*", "image pdf"},
	{"o[134]*", "image pdf"},
	{"claude-*", "image pdf"},
	{"qwen*vl*", "image video"},
}

// plain strips what is around a model's name: the path of vendors before it,
// the region and vendor of Bedrock, a tag or version behind ":" or "@", a date.
func plain(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	name = name[strings.LastIndexByte(name, '/')+1:]
	name, _, _ = strings.Cut(name, ":")
	name, _, _ = strings.Cut(name, "@")
	if i := strings.Index(name, ".claude-"); i >= 0 {
		name = name[i+1:]
	}
	for _, date := range []string{"-dddddddd", "-dddd-dd-dd"} {
		if i := len(name) - len(date); i > 0 && looksLike(name[i:], date) {
			return name[:i]
		}
	}
	return name
}

// looksLike reports whether s is pattern with a digit for each d.
func looksLike(s, pattern string) bool {
	for i := range len(s) {
		if digit := '0' <= s[i] && s[i] <= '9'; digit != (pattern[i] == 'd') || !digit && s[i] != pattern[i] {
			return false
		}
	}
	return true
}

// IsGemini reports whether name is a Gemini model's.
func IsGemini(name string) bool { return strings.HasPrefix(plain(name), "gemini-") }

// Modern reports whether the model of this (resolved) name is one that newer
// prompts and tools are written for: Gemini 3, and everything that is not Gemini.
func Modern(name string) bool {
	name = strings.TrimPrefix(name, "models/")
	rest, ok := strings.CutPrefix(name, "gemini-3")
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '-') || !strings.HasPrefix(name, "gemini-")
}

// NestedMedia reports whether a function response may hold media in its parts.
func NestedMedia(name string) bool {
	return strings.HasPrefix(strings.TrimPrefix(name, "models/"), "gemini-3-")
}

// ChatConfig returns how a model is asked in a conversation (spec/agent.md
// §7.3, chat-base): the sampling, and how much Gemini is to think. The models
// of OpenAI and Anthropic are left to their makers' defaults, which the newer
// ones insist on.
func ChatConfig(name string) llm.Config {
	c := llm.Config{Temperature: new(1.0), TopP: new(0.95), TopK: new(64.0)}
	name = plain(name)
	switch {
	case strings.HasPrefix(name, "claude-"), strings.HasPrefix(name, "gpt-"), strings.HasPrefix(name, "codex-"),
		len(name) > 1 && name[0] == 'o' && '0' <= name[1] && name[1] <= '9':
		return llm.Config{}
	case strings.HasPrefix(name, "gemini-2.5"):
		c.Thinking = &llm.Thinking{IncludeThoughts: true, Budget: new(8192)}
	case IsGemini(name) && Modern(name):
		c.Thinking = &llm.Thinking{IncludeThoughts: true, Level: "HIGH"}
	case IsGemini(name):
		c.Thinking = &llm.Thinking{IncludeThoughts: true}
	}
	return c
}
