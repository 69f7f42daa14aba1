// Package catalog describes models by their names: token limits, abilities, default
// settings, prices and aliases. It consists of tables and functions that look things
// up. A provider's own list of models, read at run time, and the user's settings take
// precedence over the catalog.
package catalog

import (
	"cmp"

	"pollux/llm"
)

// Model describes a model. The zero value of a field means unknown.
type Model struct {
	// Name is the name in a provider's list, or the name of a family, without vendor,
	// date and tag.
	Name string
	// Input is the maximum number of tokens in a request. Output is a sensible
	// maximum for a response, which may be less than the model can return.
	Input, Output int
	// Tools is the ability to call functions, Thinking the ability to reason before
	// the response. Efforts lists the levels of thinking that can be set ("low",
	// "high").
	Tools, Thinking Ability
	Efforts         []string
	// Images, PDF, Audio and Video are abilities to read input other than text.
	Images, PDF, Audio, Video Ability
	Price                     *Price
}

// IsSmall reports whether a context window of this size, in tokens, is small: the fixed part of
// requests would take a large part of it. An unknown window, 0, is not small.
func IsSmall(window int) bool { return 0 < window && window <= 32<<10 }

// Ability is the answer to whether a model can do something.
type Ability int8

// The abilities.
const (
	Unknown Ability = iota
	Yes
	No
)

// FromBool returns Yes for true and No for false.
func FromBool(b bool) Ability {
	if b {
		return Yes
	}
	return No
}

// Price is the cost of a million tokens in US dollars.
type Price struct {
	Input      float64  `json:"input"`
	Output     float64  `json:"output"`               // includes thoughts
	CacheRead  *float64 `json:"cacheRead,omitempty"`  // nil means unknown
	CacheWrite *float64 `json:"cacheWrite,omitempty"` // nil means the same as Input
}

// Cost returns the cost of a response in US dollars, or false if a required rate is
// unknown. All rates of a nil Price are unknown.
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

// WithDefaults returns m with unknown fields taken from defaults.
func (m Model) WithDefaults(defaults Model) Model {
	m.Name = cmp.Or(m.Name, defaults.Name)
	m.Input, m.Output = cmp.Or(m.Input, defaults.Input), cmp.Or(m.Output, defaults.Output)
	m.Tools, m.Thinking = cmp.Or(m.Tools, defaults.Tools), cmp.Or(m.Thinking, defaults.Thinking)
	if m.Efforts == nil {
		m.Efforts = defaults.Efforts
	}
	m.Images, m.PDF = cmp.Or(m.Images, defaults.Images), cmp.Or(m.PDF, defaults.PDF)
	m.Audio, m.Video = cmp.Or(m.Audio, defaults.Audio), cmp.Or(m.Video, defaults.Video)
	m.Price = cmp.Or(m.Price, defaults.Price)
	return m
}
