package modelconfig

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/llm/fallback"
)

// Chains returns the user's fallback chains by name, nil if there are none. resolve returns
// the model to request for a name, like [Options.Resolve]; nil leaves names unchanged.
//
// It reports mistakes to warn, one line each. Invalid or unavailable models are left out of
// their chain; invalid actions and states are replaced by the default ones.
func Chains(s *config.Settings, resolve func(string) (string, error), warn func(string)) map[string]fallback.Chain {
	const path = string(config.ModelChains)
	v, ok := s.Lookup(path)
	if !ok {
		return nil
	}
	p := parser{warn: warn}
	defer p.done()
	entries, _ := p.object(path, v)
	chains := map[string]fallback.Chain{}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if entries[name] == nil {
			continue
		}
		at := path + "." + name
		list, ok := entries[name].([]any)
		if !ok {
			p.ignored(at, "it must be an array, not %s", typeOf(entries[name]))
			continue
		}
		chain := fallback.Chain{}
		for i, item := range list {
			if policy, ok := p.policy(at+"."+strconv.Itoa(i), item, resolve); ok {
				chain = append(chain, policy)
			}
		}
		chains[name] = chain
	}
	return chains
}

// policy parses one model of a chain.
func (p *parser) policy(path string, v any, resolve func(string) (string, error)) (policy fallback.Policy, ok bool) {
	fields, ok := p.object(path, v)
	if !ok {
		return policy, false
	}
	p.onlyKnown(path, fields, "model", "maxAttempts", "isLastResort", "actions", "stateTransitions")
	if policy.Model, _ = fields["model"].(string); policy.Model == "" {
		p.ignored(path, "it must name a model")
		return policy, false
	}
	if resolve != nil {
		model, err := resolve(policy.Model)
		if err != nil {
			p.ignored(path, "cannot use %s: %s", config.Printable(policy.Model), strings.TrimSuffix(err.Error(), "."))
			return policy, false
		}
		policy.Model = model
	}
	plain := tree{}
	for _, f := range [...][2]string{{"isLastResort", "bool"}, {"maxAttempts", "count"}} {
		p.put(plain, path+"."+f[0], f[0], f[1], fields[f[0]])
	}
	policy.MaxAttempts = count(plain["maxAttempts"])
	policy.LastResort, _ = plain["isLastResort"].(bool)
	policy.Actions = outcomes(p, path+".actions", fields["actions"], fallback.Ask, fallback.Silent)
	policy.States = outcomes(p, path+".stateTransitions", fields["stateTransitions"], fallback.Unavailable, fallback.StickyRetry, fallback.Available)
	return policy, true
}

// outcomes parses the action or state for each kind of failure.
func outcomes[T ~string](p *parser, path string, v any, choices ...T) map[fallback.Kind]T {
	if v == nil {
		return nil
	}
	fields, _ := p.object(path, v)
	found := map[fallback.Kind]T{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		text, _ := fields[name].(string)
		switch k := fallback.Kind(name); {
		case !slices.Contains([]fallback.Kind{fallback.Terminal, fallback.Transient, fallback.NotFound, fallback.Unknown}, k):
			p.unknownName(path, name)
		case fields[name] == nil:
		case !slices.Contains(choices, T(text)):
			p.ignored(path+"."+name, "it must be one of %q, not %s", choices, printable(fields[name]))
		default:
			found[k] = T(text)
		}
	}
	return found
}
