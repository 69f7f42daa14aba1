package catalog

import (
	"strings"
)

// The models that aliases resolve to.
const (
	Pro25     = "gemini-2.5-pro"
	Flash25   = "gemini-2.5-flash"
	Lite25    = "gemini-2.5-flash-lite"
	Pro3      = "gemini-3-pro-preview"
	Pro31     = "gemini-3.1-pro-preview"
	Flash3    = "gemini-3-flash-preview"
	Flash3GA  = "gemini-3-flash"
	Lite31    = "gemini-3.1-flash-lite"
	Flash35   = "gemini-3.5-flash"
	Lite35    = "gemini-3.5-flash-lite"
	Flash38   = "gemini-3.8-flash"
	Embedding = "gemini-embedding-001"
)

// Access lists the groups of models that an account may use.
type Access struct {
	Preview bool // models in preview
	Pro31   bool // Gemini 3.1 Pro, if Preview is set
	Newest  bool // the newest models behind the aliases flash and flash-lite
}

// KeyAccess returns the access of API keys and Vertex AI.
func KeyAccess() Access { return Access{Preview: true, Pro31: true, Newest: true} }

// GatewayAccess returns the access of gateways.
func GatewayAccess() Access { return Access{Newest: true} }

// Resolve returns the model for a name, which may be an alias or start with
// "models/". A model that has a successor which a includes is replaced by it, as Gemini
// CLI 0.61 does, and a preview model that a does not include by a stable one. Other
// names are returned unchanged.
func Resolve(name string, a Access) string {
	name = strings.TrimPrefix(name, "models/")
	switch name {
	case "auto", "pro", "auto-gemini-3", "", Pro3:
		switch {
		case !a.Preview:
			return Pro25
		case a.Pro31:
			return Pro31
		}
		return Pro3
	case Flash3GA, Flash35:
		if a.Newest {
			return Flash38
		}
		return name
	case Lite31:
		return a.lite()
	case "auto-gemini-2.5":
		return Pro25
	case "flash":
		if !a.Newest {
			return replacement(Flash3, a)
		}
		return a.flash()
	case "flash-lite", "none":
		return a.lite()
	}
	return replacement(name, a)
}

// replacement returns name, or a stable model if name is a preview model that a does
// not include.
func replacement(name string, a Access) string {
	switch name {
	case Pro31, Pro31 + "-customtools", Flash3:
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

// Replaces reports whether [Resolve] replaces the Gemini model name, which is no alias, by model.
// Both may have a provider and a slash before them.
func Replaces(model, name string) bool {
	name = name[strings.LastIndexByte(name, '/')+1:]
	model = model[strings.LastIndexByte(model, '/')+1:]
	return IsGemini(name) && model != name && (model == Resolve(name, KeyAccess()) || model == Resolve(name, GatewayAccess()))
}

// flash returns the model for the alias flash.
func (a Access) flash() string {
	if a.Newest {
		return Flash38
	}
	return Flash25
}

// lite returns the model for the alias flash-lite.
func (a Access) lite() string {
	if a.Newest {
		return Lite35
	}
	return Lite31
}
