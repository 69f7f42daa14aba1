package fallback

import (
	"maps"
	"slices"

	"pollux/llm/catalog"
)

// Chains finds the chain of a model among the built-in ones for Google's models and
// the user's.
type Chains struct {
	// Google lists the models that the Google account may use. Nil means no Google
	// account, and so only the chains in Custom.
	Google *catalog.Access
	// IsAuto means that the user lets Pollux choose the model. A pro model that is
	// busy then falls back to flash without a question, and each model of a chain has
	// all others as stand-ins.
	IsAuto bool
	// IsHeadless means that there is no user to ask. If IsAuto is also set, a pro
	// model that is missing or out of quota falls back to flash too.
	IsHeadless bool
	// IsPlanning means that the model writes a plan: all fallbacks are silent.
	IsPlanning bool
	// Custom holds the user's chains by name. Chains named "preview", "default" and
	// "lite" replace the built-in ones. The chain "auto" comes before all others if
	// IsAuto is set. Other chains apply to models that are in none of these.
	Custom map[string]Chain
}

// ForModel returns the part of a model's chain that starts with the model's own
// policy, nil if the model is in no chain.
func (c Chains) ForModel(model string) Chain {
	chain := c.find(model)
	i := slices.IndexFunc(chain, func(p Policy) bool { return p.Model == model })
	if i < 0 {
		return nil
	}
	cut := slices.Clone(chain[i:])
	if c.IsAuto || isGemini3(model) {
		cut = append(cut, chain[:i]...)
	}
	if c.IsPlanning {
		for i := range cut {
			actions := maps.Clone(cut[i].Actions)
			if actions == nil {
				actions = map[Kind]Action{}
			}
			maps.Copy(actions, allSilent())
			cut[i].Actions = actions
		}
	}
	return cut
}

// find returns the whole chain that contains a model, nil if there is none.
func (c Chains) find(model string) Chain {
	if own := c.Custom["auto"]; c.IsAuto && own.contains(model) {
		return own
	}
	// The other models of the lite chain have chains of their own.
	if lite := c.namedChain("lite"); len(lite) > 0 && lite[0].Model == model {
		return lite
	}
	for _, name := range [...]string{"preview", "default"} {
		if chain := c.namedChain(name); chain.contains(model) {
			return chain
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Custom)) {
		if name != "auto" && c.Custom[name].contains(model) {
			return c.Custom[name]
		}
	}
	return nil
}

// namedChain returns the user's or the built-in chain with this name.
func (c Chains) namedChain(name string) Chain {
	if own, ok := c.Custom[name]; ok || c.Google == nil {
		return own
	}
	stable := *c.Google
	stable.Preview = false
	switch name {
	case "lite":
		var chain Chain
		for _, alias := range [...]string{"flash-lite", "flash", "pro"} {
			chain = append(chain, Policy{Model: catalog.Resolve(alias, stable), Actions: allSilent()})
		}
		return chain
	case "default":
		return c.proAndFlash(catalog.Pro25, catalog.Resolve("flash", stable))
	}
	if !c.Google.Preview {
		return nil
	}
	return c.proAndFlash(catalog.Resolve("pro", *c.Google), catalog.Flash3)
}

// proAndFlash returns the chain of a pro model that falls back to a flash model.
func (c Chains) proAndFlash(pro, flash string) Chain {
	first := Policy{Model: pro}
	if c.IsAuto {
		first.MaxAttempts = 3
		first.Actions = silentFor(Transient)
		if c.IsHeadless {
			first.Actions = silentFor(Transient, Terminal, NotFound)
		}
		first.States = map[Kind]State{Transient: StickyRetry}
	}
	return Chain{first, {Model: flash, MaxAttempts: 10, LastResort: true}}
}

// allSilent returns actions that never ask the user.
func allSilent() map[Kind]Action { return silentFor(Terminal, Transient, NotFound, Unknown) }

func (c Chain) contains(model string) bool {
	return slices.ContainsFunc(c, func(p Policy) bool { return p.Model == model })
}

func isGemini3(model string) bool {
	return catalog.IsGemini(model) && catalog.IsModern(model) && !catalog.IsTuned(model)
}
