package fallback

import (
	"slices"

	"pollux/llm"
)

// Chain is a list of models. If one cannot answer, the next one is asked.
type Chain []Policy

// Policy is the entry of a model in a [Chain].
type Policy struct {
	Model string
	// MaxAttempts is the maximum number of attempts of a request to the model; 0
	// means no limit of its own.
	MaxAttempts int
	// LastResort means that the model is asked even if it is known to be unavailable,
	// when no other model is available.
	LastResort bool
	// Actions and States override the defaults of [Policy.Action] and [Policy.State]
	// for some kinds of failures.
	Actions map[Kind]Action
	States  map[Kind]State
}

// Kind is a kind of failure.
type Kind string

// The kinds of failures for which another model may help.
const (
	Terminal  Kind = "terminal"  // quota exhausted or no capacity
	Transient Kind = "transient" // too busy
	NotFound  Kind = "not_found" // the model does not exist, or this account may not use it
	Unknown   Kind = "unknown"   // internal error of the server
	// Unreachable is a network failure. A model of another provider may be
	// reachable. It cannot be used in settings.
	Unreachable Kind = "unreachable"
)

// Action is the way in which a failure leads to the next model.
type Action string

// The actions.
const (
	Ask    Action = "prompt" // ask the user first
	Silent Action = "silent" // switch without a question
)

// State is the state of a model after a failure that led to the next model.
type State string

// The states.
const (
	Unavailable State = "terminal"     // not asked again until the outage is over
	StickyRetry State = "sticky_retry" // not asked again until the next prompt
	Available   State = "none"         // asked again for the next request
)

// Action returns how a failure of kind k leads to the next model, [Ask] by default.
// It returns "" if the failure does not lead to the next model, which is the default
// for the kinds "" and [Unreachable].
func (p *Policy) Action(k Kind) Action {
	if a, ok := p.Actions[k]; ok {
		return a
	}
	if k == "" || k == Unreachable {
		return ""
	}
	return Ask
}

// State returns the state of the model after a failure of kind k, [Unavailable] by
// default.
func (p *Policy) State(k Kind) State {
	if s, ok := p.States[k]; ok {
		return s
	}
	return Unavailable
}

// SilentChain returns a chain of these models, as for a user who lists only names.
// Each failure with a [Kind] switches to the next model without asking the user, and
// the last model is the last resort. A model that was only busy or unreachable is
// tried again at the next prompt. Duplicate names are ignored.
func SilentChain(models ...string) Chain {
	var chain Chain
	for _, m := range models {
		if slices.ContainsFunc(chain, func(p Policy) bool { return p.Model == m }) {
			continue
		}
		chain = append(chain, Policy{
			Model:   m,
			Actions: silentFor(Terminal, Transient, NotFound, Unknown, Unreachable),
			States:  map[Kind]State{Transient: StickyRetry, Unknown: StickyRetry, Unreachable: StickyRetry},
		})
	}
	if len(chain) > 0 {
		chain[len(chain)-1].LastResort = true
	}
	return chain
}

func silentFor(kinds ...Kind) map[Kind]Action {
	actions := make(map[Kind]Action, len(kinds))
	for _, k := range kinds {
		actions[k] = Silent
	}
	return actions
}

// Failure is a failure that the user decides about.
type Failure struct {
	Model string // the model that failed
	// To is the model that could answer instead, "" if there is none. The user can
	// then only retry.
	To   string
	Kind Kind
	Err  error // wraps an *llm.Error
}

// Intent is the decision of the user about a [Failure].
type Intent string

// The intents.
const (
	// RetryAlways switches to the other model. The failed model stays unavailable
	// until [Generator.Reset], or until it answers a request as a last resort.
	RetryAlways Intent = "retry_always"
	// RetryOnce sends the request to the same model again.
	RetryOnce Intent = "retry_once"
	// Stop and RetryLater return the failure to the caller and do not change the
	// state of the model. RetryLater means that the user intends to try it again.
	Stop       Intent = "stop"
	RetryLater Intent = "retry_later"
)

// kindOfFailure returns the kind of an error, "" if no other model can help.
func kindOfFailure(e *llm.Error) Kind {
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
	case llm.KindNetwork, llm.KindNoServer, llm.KindIncomplete:
		return Unreachable
	}
	return ""
}
