package modelconfig

import (
	"maps"
	"slices"
	"strconv"

	"pollux/internal/config"
)

// Chain is an order of models: when one cannot answer, the next is asked
// (spec/agent.md §9).
type Chain []Policy

// Policy is what a chain says of one of its models.
type Policy struct {
	Model       string
	MaxAttempts int  // at a request, 0 for as many as there are for any model
	LastResort  bool // asked even where its health speaks against it
	actions     map[Failure]Action
	states      map[Failure]State
}

// Failure is why a model did not answer.
type Failure string

// The failures.
const (
	Terminal  Failure = "terminal"  // its quota is used up
	Transient Failure = "transient" // it is too busy
	NotFound  Failure = "not_found"
	Other     Failure = "unknown"
)

// Action is how a failure leads to the next model.
type Action string

// The actions.
const (
	Prompt Action = "prompt" // the user is asked
	Silent Action = "silent"
)

// State is how a model stands after a failure.
type State string

// The states.
const (
	Gone   State = "terminal"     // it is not asked again
	Sticky State = "sticky_retry" // it is asked again at the next prompt
	Well   State = "none"         // as before
)

// Action returns how a failure leads to the next model.
func (p *Policy) Action(f Failure) Action {
	if a, ok := p.actions[f]; ok {
		return a
	}
	return Prompt
}

// State returns how the model stands after a failure.
func (p *Policy) State(f Failure) State {
	if s, ok := p.states[f]; ok {
		return s
	}
	return Gone
}

// Chains returns the chains of models that the user has set, by name; nil where
// there are none. What is wrong in them is told to warn. A model that is not
// understood is left out of its chain, a failure that is not gets the standard
// action and state.
func Chains(s *config.Settings, warn func(string)) map[string]Chain {
	const path = "modelConfigs.modelChains"
	v, ok := s.Lookup(path)
	if !ok {
		return nil
	}
	p := parser{warn: warn}
	defer p.done()
	entries, _ := p.object(path, v)
	chains := map[string]Chain{}
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
		chain := Chain{}
		for i, item := range list {
			if policy, ok := p.policy(at+"."+strconv.Itoa(i), item); ok {
				chain = append(chain, policy)
			}
		}
		chains[name] = chain
	}
	return chains
}

// policy reads one model of a chain.
func (p *parser) policy(path string, v any) (policy Policy, ok bool) {
	fields, ok := p.object(path, v)
	if !ok {
		return policy, false
	}
	p.onlyKnown(path, fields, "model", "maxAttempts", "isLastResort", "actions", "stateTransitions")
	if policy.Model, _ = fields["model"].(string); policy.Model == "" {
		p.ignored(path, "it must name a model")
		return policy, false
	}
	plain := tree{}
	for _, f := range [...][2]string{{"isLastResort", "bool"}, {"maxAttempts", "count"}} {
		p.put(plain, path+"."+f[0], f[0], f[1], fields[f[0]])
	}
	policy.MaxAttempts = count(plain["maxAttempts"])
	policy.LastResort, _ = plain["isLastResort"].(bool)
	policy.actions = outcomes(p, path+".actions", fields["actions"], Prompt, Silent)
	policy.states = outcomes(p, path+".stateTransitions", fields["stateTransitions"], Gone, Sticky, Well)
	return policy, true
}

// outcomes reads what follows from each failure.
func outcomes[T ~string](p *parser, path string, v any, choices ...T) map[Failure]T {
	if v == nil {
		return nil
	}
	fields, _ := p.object(path, v)
	found := map[Failure]T{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		text, _ := fields[name].(string)
		switch f := Failure(name); {
		case !slices.Contains([]Failure{Terminal, Transient, NotFound, Other}, f):
			p.strange(path, name)
		case fields[name] == nil:
		case !slices.Contains(choices, T(text)):
			p.ignored(path+"."+name, "it must be one of %q, not %s", choices, printable(fields[name]))
		default:
			found[f] = T(text)
		}
	}
	return found
}
