package catalog

import (
	"strings"

	"pollux/llm"
)

// The models that aliases end at.
const (
	Pro25     = "gemini-2.5-pro"
	Flash25   = "gemini-2.5-flash"
	Lite25    = "gemini-2.5-flash-lite"
	Pro3      = "gemini-3-pro-preview"
	Pro31     = "gemini-3.1-pro-preview"
	Flash3    = "gemini-3-flash-preview"
	Lite31    = "gemini-3.1-flash-lite"
	Flash35   = "gemini-3.5-flash"
	Lite35    = "gemini-3.5-flash-lite"
	Flash38   = "gemini-3.8-flash"
	Embedding = "gemini-embedding-001"
)

// Access says which models an account may use.
type Access struct {
	Preview bool // models still in preview
	Pro31   bool // Gemini 3.1 Pro, where Preview
	Flash35 bool // Gemini 3.5 Flash
	// Newest moves flash and flash-lite on to the newest of their kind, as
	// newer releases of Gemini CLI do for keys, Vertex and gateways.
	Newest bool
}

// KeyAccess is what an API key and Vertex AI give access to.
func KeyAccess() Access { return Access{Preview: true, Pro31: true, Flash35: true} }

// GatewayAccess is what is behind a gateway.
func GatewayAccess() Access { return Access{Flash35: true} }

// Resolve returns the model that a name stands for (spec/agent.md §7.1). An
// alias becomes a model, a preview model without access the one below it;
// anything else stays as it is, but for a "models/" before it.
func Resolve(name string, a Access) string {
	name = strings.TrimPrefix(name, "models/")
	switch name {
	case "auto", "pro", "auto-gemini-3", "":
		switch {
		case !a.Preview:
			return Pro25
		case a.Pro31:
			return Pro31
		}
		return Pro3
	case "auto-gemini-2.5":
		return Pro25
	case "flash":
		if !a.Flash35 && !a.Newest {
			return below(Flash3, a)
		}
		return a.flash()
	case "flash-lite", "none":
		return a.lite()
	}
	return below(name, a)
}

// below returns name, or what stands in for it where it is a preview that the
// account may not use.
func below(name string, a Access) string {
	switch name {
	case Pro3, Pro31, Pro31 + "-customtools", Flash3:
	default:
		return name
	}
	switch {
	case a.Preview:
		return name
	case strings.Contains(name, "flash-lite"):
		return a.lite()
	case strings.Contains(name, "flash"):
		return a.flash()
	}
	return Pro25
}

func (a Access) flash() string {
	switch {
	case a.Newest:
		return Flash38
	case a.Flash35:
		return Flash35
	}
	return Flash25
}

func (a Access) lite() string {
	if a.Newest {
		return Lite35
	}
	return Lite31
}

// Utility returns the model, which may be an alias for [Resolve], and the
// settings that one of Pollux's own questions is asked with, by the name that
// users' settings know it by (spec/agent.md §7.3). The settings hold whatever
// model the name resolves to.
func Utility(alias string) (model string, cfg llm.Config, ok bool) {
	for i := range utilities {
		if utilities[i].alias == alias {
			return utilities[i].model, utilities[i].config(), true
		}
	}
	return "", llm.Config{}, false
}

// A utility is a row of the table below.
type utility struct {
	alias, model string
	// based is for rows that build on "base": temperature 0 unless the row
	// says another, top-p 1. The others send no sampling at all.
	based       bool
	temperature float64
	maxOutput   int
	thinking    thinking
	tool        string
}

// thinking is a budget in tokens, a level, or nothing.
type thinking struct {
	set    bool // Budget is meant, 0 included
	budget int
	level  string
}

var utilities = []utility{
	{alias: "gemini-2.5-flash-base", model: Flash25, based: true},
	{alias: "gemini-3-flash-base", model: Flash3, based: true},
	{alias: "gemini-3.5-flash-base", model: Flash35, based: true},

	{alias: "classifier", model: "flash-lite", based: true, maxOutput: 1024, thinking: thinking{set: true, budget: 512}},
	{alias: "prompt-completion", model: "flash-lite", based: true, temperature: 0.3, maxOutput: 16000, thinking: thinking{set: true}},
	{alias: "fast-ack-helper", model: "flash-lite", based: true, temperature: 0.2, maxOutput: 120, thinking: thinking{set: true}},
	{alias: "edit-corrector", model: "flash-lite", based: true, thinking: thinking{set: true}},
	{alias: "summarizer-default", model: "flash-lite", based: true, maxOutput: 2000},
	{alias: "summarizer-shell", model: "flash-lite", based: true, maxOutput: 2000},

	{alias: "web-search", model: Flash3, based: true, tool: "googleSearch"},
	{alias: "web-fetch", model: Flash3, based: true, tool: "urlContext"},
	{alias: "web-fetch-fallback", model: Flash3, based: true},

	{alias: "loop-detection", model: Flash3, based: true},
	{alias: "loop-detection-double-check", model: Pro3, based: true},
	{alias: "next-speaker-checker", model: Flash3, based: true},
	{alias: "llm-edit-fixer", model: Flash3, based: true},
	{alias: "context-snapshotter", model: Flash3, based: true, temperature: 1, thinking: thinking{level: "HIGH"}},

	{alias: "chat-compression-3-pro", model: Pro3},
	{alias: "chat-compression-3-flash", model: Flash3},
	{alias: "chat-compression-3.1-flash-lite", model: Lite31},
	{alias: "chat-compression-2.5-pro", model: Pro25},
	{alias: "chat-compression-2.5-flash", model: Flash25},
	{alias: "chat-compression-2.5-flash-lite", model: Lite25},
	{alias: "chat-compression-default", model: Pro3},
	{alias: "agent-history-provider-summarizer", model: Flash3},
}

func (u *utility) config() llm.Config {
	c := llm.Config{MaxOutputTokens: u.maxOutput}
	if u.based {
		c.Temperature, c.TopP = new(u.temperature), new(1.0)
	}
	switch {
	case u.thinking.set:
		c.Thinking = &llm.Thinking{Budget: new(u.thinking.budget)}
	case u.thinking.level != "":
		c.Thinking = &llm.Thinking{Level: u.thinking.level}
	}
	if u.tool != "" {
		c.Tools = []*llm.ToolSet{{GoogleSearch: u.tool == "googleSearch", URLContext: u.tool == "urlContext"}}
	}
	return c
}
