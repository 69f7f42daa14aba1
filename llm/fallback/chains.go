package fallback

import (
	"maps"
	"slices"

	"pollux/llm/catalog"
)

// Chains finds the chain of a model: one of those that Gemini CLI has for
// Google's models, or the user's.
type Chains struct {
	// Google says which of its models an account with Google may use; nil is for
	// no such account, for which only the user's chains count.
	Google *catalog.Access
	// Auto says that the user has left the choice of the model to Pollux: the pro
	// model then gives way to flash by itself when it is busy, and whichever
	// answers has the other one behind it.
	Auto bool
	// Alone says that nobody can be asked. Where the choice is Pollux's it then also
	// makes do with flash if the account has no pro model, or no more of it.
	Alone bool
	// Plan says that a plan is being made, during which nobody is asked.
	Plan bool
	// Own are the user's chains, by name. "preview", "default" and "lite" take
	// the place of the built-in ones; "auto" comes before all of them where Auto
	// is set; others are for models that are in none of these.
	Own map[string]Chain
}

// Of returns a model's chain, from its own policy on. That of a model which is
// in none is nil.
func (c Chains) Of(model string) Chain {
	chain := c.find(model)
	i := slices.IndexFunc(chain, func(p Policy) bool { return p.Model == model })
	if i < 0 {
		return nil
	}
	cut := slices.Clone(chain[i:])
	if c.Auto || gemini3(model) {
		cut = append(cut, chain[:i]...)
	}
	if c.Plan {
		for i := range cut {
			actions := maps.Clone(cut[i].Actions)
			if actions == nil {
				actions = map[Kind]Action{}
			}
			maps.Copy(actions, quietly())
			cut[i].Actions = actions
		}
	}
	return cut
}

// find returns the whole chain that a model is in.
func (c Chains) find(model string) Chain {
	if own := c.Own["auto"]; c.Auto && own.has(model) {
		return own
	}
	// The lite chain ends in models that have others of their own.
	if lite := c.named("lite"); len(lite) > 0 && lite[0].Model == model {
		return lite
	}
	for _, name := range [...]string{"preview", "default"} {
		if chain := c.named(name); chain.has(model) {
			return chain
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Own)) {
		if name != "auto" && c.Own[name].has(model) {
			return c.Own[name]
		}
	}
	return nil
}

// named returns a chain of Gemini CLI's by its name (spec/agent.md §9).
func (c Chains) named(name string) Chain {
	if own, ok := c.Own[name]; ok || c.Google == nil {
		return own
	}
	stable := *c.Google
	stable.Preview = false
	switch name {
	case "lite":
		var chain Chain
		for _, alias := range [...]string{"flash-lite", "flash", "pro"} {
			chain = append(chain, Policy{Model: catalog.Resolve(alias, stable), Actions: quietly()})
		}
		return chain
	case "default":
		return c.pair(catalog.Pro25, catalog.Resolve("flash", stable))
	}
	if !c.Google.Preview {
		return nil
	}
	return c.pair(catalog.Resolve("pro", *c.Google), catalog.Flash3)
}

// pair is the chain of a pro model with the flash model behind it.
func (c Chains) pair(pro, flash string) Chain {
	first := Policy{Model: pro}
	if c.Auto {
		first.MaxAttempts = 3
		first.Actions = silent(Transient)
		if c.Alone {
			first.Actions = silent(Transient, Terminal, NotFound)
		}
		first.States = map[Kind]State{Transient: Sticky}
	}
	return Chain{first, {Model: flash, MaxAttempts: 10, LastResort: true}}
}

// quietly is the actions that disturb nobody.
func quietly() map[Kind]Action { return silent(Terminal, Transient, NotFound, Unknown) }

func (c Chain) has(model string) bool {
	return slices.ContainsFunc(c, func(p Policy) bool { return p.Model == model })
}

func gemini3(model string) bool { return catalog.IsGemini(model) && catalog.Modern(model) }
