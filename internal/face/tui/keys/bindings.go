package keys

import (
	"slices"
	"strings"
)

// Bindings are the keys of the commands. One chord may be bound to several commands: the context decides which of them
// to ask for. Bindings do not change once made, and are safe for concurrent use.
type Bindings struct {
	sequences map[Command][]Sequence // the one for hints first
}

// Default returns the default bindings on an operating system, as in [runtime.GOOS].
func Default(goos string) *Bindings {
	b := &Bindings{sequences: make(map[Command][]Sequence, len(table))}
	for _, r := range table {
		keys := r.defaultKeys(goos)
		if keys == "" {
			continue
		}
		for key := range strings.SplitSeq(keys, ", ") {
			if seq, err := ParseSequence(key); err == nil { // a test checks the table
				id := Command(r.id)
				b.sequences[id] = append(b.sequences[id], seq)
			}
		}
	}
	return b
}

// Match returns the first of the commands, in the given order, that the chord alone is bound to. Give the commands of
// the current context. Use a [Matcher] where sequences count too.
func (b *Bindings) Match(c Chord, ids ...Command) (Command, bool) {
	id, _ := b.find(Sequence{c}, ids)
	return id, id != ""
}

// find returns the first of the commands that the sequence is bound to, "" if there is none, and whether a longer
// sequence of any of the commands begins with it.
func (b *Bindings) find(s Sequence, ids []Command) (found Command, isPrefix bool) {
	for _, id := range ids {
		for _, bound := range b.sequences[id] {
			switch {
			case !bound.hasPrefix(s):
			case len(bound) > len(s):
				isPrefix = true
			case found == "":
				found = id
			}
		}
	}
	return found, isPrefix
}

// Chords returns the keys of a command, the one for hints first. It returns nil if the command is not bound.
func (b *Bindings) Chords(id Command) []Sequence { return slices.Clone(b.sequences[id]) }

// Hint returns the first key of a command as people read it, such as "Ctrl+O"; "" if the command is not bound.
func (b *Bindings) Hint(id Command) string {
	if all := b.sequences[id]; len(all) > 0 {
		return all[0].Hint()
	}
	return ""
}

// add binds a sequence in front of the others of the command.
func (b *Bindings) add(id Command, s Sequence) {
	b.remove(id, s)
	b.sequences[id] = slices.Insert(b.sequences[id], 0, s)
}

// remove unbinds a sequence. It returns false if it was not bound to the command.
func (b *Bindings) remove(id Command, s Sequence) bool {
	before := len(b.sequences[id])
	b.sequences[id] = slices.DeleteFunc(b.sequences[id], func(t Sequence) bool { return slices.Equal(s, t) })
	return len(b.sequences[id]) < before
}
