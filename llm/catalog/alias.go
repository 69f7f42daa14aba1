package catalog

import (
	"strings"
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
	Newest  bool // the newest that flash and flash-lite stand for
}

// KeyAccess is what an API key and Vertex AI give access to.
func KeyAccess() Access { return Access{Preview: true, Pro31: true, Newest: true} }

// GatewayAccess is what is behind a gateway.
func GatewayAccess() Access { return Access{Newest: true} }

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
		if !a.Newest {
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
	if a.Newest {
		return Flash38
	}
	return Flash25
}

func (a Access) lite() string {
	if a.Newest {
		return Lite35
	}
	return Lite31
}
