package fallback

import (
	"slices"

	"pollux/llm"
)

// Chain is an order of models: when one cannot answer, the next is asked.
type Chain []Policy

// Policy is what a chain says of one of its models.
type Policy struct {
	Model string
	// MaxAttempts bounds how often a request is tried, 0 for as often as any.
	MaxAttempts int
	// LastResort is asked even where its health speaks against it.
	LastResort bool
	// Actions and States say what follows from a kind of failure, where that is
	// not what [Policy.Action] and [Policy.State] say of themselves.
	Actions map[Kind]Action
	States  map[Kind]State
}

// Kind is a kind of failure.
type Kind string

// The kinds of failures that another model may mend.
const (
	Terminal  Kind = "terminal"  // its quota is used up, or it has no room
	Transient Kind = "transient" // it is too busy
	NotFound  Kind = "not_found" // or not for this account
	Unknown   Kind = "unknown"   // its server is broken
	// Unreachable is Pollux's own: a model at the same place would be no better
	// off, one at another might. Settings do not speak of it.
	Unreachable Kind = "unreachable"
)

// Action is how a failure leads to the next model.
type Action string

// The actions.
const (
	Ask    Action = "prompt" // if a person agrees
	Silent Action = "silent" // by itself
)

// State is how a model stands after a failure that has led on to another.
type State string

// The states.
const (
	Gone   State = "terminal"     // it is not asked again until the failure is over
	Sticky State = "sticky_retry" // it is asked again at the next prompt
	Well   State = "none"         // as before
)

// Action returns how a failure leads to the next model: [Ask] if nothing is set,
// but not at all, "", for one of no kind or [Unreachable].
func (p *Policy) Action(k Kind) Action {
	if a, ok := p.Actions[k]; ok {
		return a
	}
	if k == "" || k == Unreachable {
		return ""
	}
	return Ask
}

// State returns how the model stands after a failure, [Gone] if nothing is set.
func (p *Policy) State(k Kind) State {
	if s, ok := p.States[k]; ok {
		return s
	}
	return Gone
}

// Quiet returns the chain of a user who only names models: whatever keeps one
// from answering leads to the next, without a word, and the last one is the last
// resort. A model that was only busy is asked again at the next prompt. A name
// that comes twice counts where it is first.
func Quiet(models ...string) Chain {
	var chain Chain
	for _, m := range models {
		if slices.ContainsFunc(chain, func(p Policy) bool { return p.Model == m }) {
			continue
		}
		chain = append(chain, Policy{
			Model:   m,
			Actions: silent(Terminal, Transient, NotFound, Unknown, Unreachable),
			States:  map[Kind]State{Transient: Sticky, Unknown: Sticky, Unreachable: Sticky},
		})
	}
	if len(chain) > 0 {
		chain[len(chain)-1].LastResort = true
	}
	return chain
}

func silent(kinds ...Kind) map[Kind]Action {
	actions := make(map[Kind]Action, len(kinds))
	for _, k := range kinds {
		actions[k] = Silent
	}
	return actions
}

// Failure is what a person is asked about.
type Failure struct {
	Model string // that failed
	// To is the model that could answer in its place, "" where there is none: then
	// all that can be done is to try again.
	To   string
	Kind Kind
	Err  error // in which an *llm.Error is
}

// Intent is what a person wants done about a [Failure].
type Intent string

// The intents.
const (
	// RetryAlways asks the other model, and leaves this one alone until
	// [Generator.Reset] or until it has answered something.
	RetryAlways Intent = "retry_always"
	// RetryOnce asks the same model once more, as often as a request is tried.
	RetryOnce Intent = "retry_once"
	// Stop gives the failure back to the caller, as does RetryLater, by which the
	// person means to ask the model again. Neither changes how the model stands.
	Stop       Intent = "stop"
	RetryLater Intent = "retry_later"
)

// kindOf returns the kind of a failure, "" for one that no other model mends.
func kindOf(e *llm.Error) Kind {
	switch e.Kind {
	case llm.KindQuota, llm.KindCapacity:
		return Terminal
	case llm.KindModelNotFound, llm.KindForbidden:
		return NotFound
	case llm.KindRateLimit:
		return Transient
	case llm.KindServer:
		switch e.Status {
		case 0, 499, 503, 529:
			return Transient
		}
		return Unknown
	case llm.KindNetwork, llm.KindIncomplete:
		return Unreachable
	}
	return ""
}
