package texttool

import "pollux/llm"

// IsText reports whether g, or a generator that it wraps, gives a model its tools in text, as
// far as that is known yet.
func IsText(g llm.Generator, model string) bool {
	for g != nil {
		switch t := g.(type) {
		case *Generator:
			return true
		case *Adaptive:
			return t.isKnownToNeedText(model)
		}
		wrapper, ok := g.(interface{ Unwrap() llm.Generator })
		if !ok {
			return false
		}
		g = wrapper.Unwrap()
	}
	return false
}

func (a *Adaptive) isKnownToNeedText(model string) bool {
	if known := a.models.Get(model); known != nil && known.needsText {
		return true
	}
	return a.text.options.Always != nil && a.text.options.Always(model)
}
