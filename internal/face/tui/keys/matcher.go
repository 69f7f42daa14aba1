package keys

import (
	"slices"
	"time"
)

// SequenceWait is the time to wait for the next chord of a sequence before [Matcher.Expire].
const SequenceWait = 500 * time.Millisecond

// Matcher matches chords and sequences of chords. The zero Matcher is ready to use.
type Matcher struct {
	pressed  Sequence // the beginning of a sequence
	fallback Command  // the command of pressed alone, "" for none
}

// Outcome is the meaning of a chord for a [Matcher].
type Outcome uint8

// Outcomes of a chord.
const (
	Unbound   Outcome = iota // the chord is part of no binding: it may be text
	Bound                    // the chord completes a binding
	Prefix                   // the chord begins or continues a sequence, and the next one decides
	Cancelled                // the chord was Esc, and ended the sequence begun before
)

// Match is the result of a chord.
type Match struct {
	Outcome Outcome
	Command Command // set if the outcome is [Bound]
	// Before is the command of the sequence begun before, which this chord does not continue. Run it first. "" for none.
	Before Command
}

// Press takes a chord. It asks for the given commands, those of the current context, in order.
func (m *Matcher) Press(b *Bindings, c Chord, ids ...Command) Match {
	before, isContinued := m.fallback, len(m.pressed) > 0
	whole := append(slices.Clip(m.pressed), c)
	*m = Matcher{}
	found, isPrefix := b.find(whole, ids)
	if isContinued && found == "" && !isPrefix {
		if c == (Chord{Code: Escape}) {
			return Match{Outcome: Cancelled}
		}
		result := m.Press(b, c, ids...)
		result.Before = before
		return result
	}
	switch {
	case isPrefix:
		*m = Matcher{pressed: whole, fallback: found}
		return Match{Outcome: Prefix}
	case found != "":
		return Match{Outcome: Bound, Command: found}
	}
	return Match{}
}

// Pending returns the beginning of a sequence that was pressed so far; nil if there is none. If hasCommand is true, the
// chords pressed are also bound to a command of their own: call [Matcher.Expire] after [SequenceWait].
func (m *Matcher) Pending() (pressed Sequence, hasCommand bool) {
	return slices.Clone(m.pressed), m.fallback != ""
}

// Expire ends the sequence, and returns the command of the chords pressed so far; false if they have none.
func (m *Matcher) Expire() (Command, bool) {
	id := m.fallback
	*m = Matcher{}
	return id, id != ""
}
