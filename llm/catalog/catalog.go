// Package catalog knows models by their names: how much they take, what they
// see, how they want to be asked, and which model an alias stands for
// (spec/agent.md §7). It is a set of tables; the functions only look things up.
// What a provider says of its models at run time, and what the user has set,
// goes before what is here.
package catalog

import (
	"cmp"

	"pollux/llm"
)

// Model is what is known of a model. The zero value of each member says that
// nothing is.
type Model struct {
	// Name is the model's name where it was found: of a provider, as that knows
	// it; of a family, without vendor, date and tag.
	Name string
	// Input is the most tokens it takes, Output as many as it is sensible to ask
	// for in an answer: what it can give, or what its provider's users do with.
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
