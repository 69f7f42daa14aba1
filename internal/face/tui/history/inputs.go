// Package history has the inputs that the user has sent before: the user browses them with the arrow keys, and searches
// them.
//
// [Inputs] are prompts or shell commands. [ReadShell] and [AddShell] keep shell commands in a file, for later sessions.
package history

import (
	"slices"
	"strings"

	"pollux/internal/face/tui/buffer"
)

// The limits of the inputs in memory. The newest one is kept whatever its size.
const (
	maxPrompts  = 1000
	maxCommands = 100
	maxBytes    = 16 << 20
)

// Inputs are the inputs of one kind that the user has sent, in this session and before. While the user browses them,
// each one keeps the edits made in it. Callers must not use Inputs concurrently.
type Inputs struct {
	load     func() []string // of earlier sessions, the newest first; nil once called
	save     func(text string)
	isUnique bool // equal inputs are kept once; else only if they follow each other
	most     int

	entries []*entry // the oldest first
	size    int      // of their texts, in bytes

	isBrowsing bool
	at         int // the entry that the user sees
	draft      buffer.Snapshot
	edited     map[*entry]buffer.Snapshot
	shown      string // the text that the user saw first at this entry
}

// entry is one input.
type entry struct {
	text  string
	label string           // where it was entered, if in another project
	sent  *buffer.Snapshot // as the user saw it, with placeholders; nil if it is from an earlier session
}

// Prompts returns the history of prompts. It calls load on first use, for the prompts of earlier sessions, the newest
// first; they may include those of this session. load may be nil.
func Prompts(load func() []string) *Inputs { return &Inputs{load: load, most: maxPrompts} }

// Shell returns the history of shell commands, each one once. It calls load on first use, for the commands of earlier
// sessions, the newest first, and save with each new command. Both may be nil.
func Shell(load func() []string, save func(command string)) *Inputs {
	return &Inputs{load: load, save: save, most: maxCommands, isUnique: true}
}

// Add records an input that was sent, with the state of the buffer that it was typed in, so that pasted text is behind
// its placeholder when the user gets the input back. It leaves out an empty input, and one that repeats the one before.
func (in *Inputs) Add(text string, sent buffer.Snapshot) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if in.save != nil {
		in.save(text)
	}
	if n := len(in.entries); n > 0 && in.entries[n-1].text == text {
		return
	}
	if in.isUnique {
		in.forget(text)
	}
	in.entries = append(in.entries, &entry{text: text, sent: &sent})
	in.size += len(text)
	in.trim()
}

// Clip returns an input that was sent, as the user saw it: with placeholders. Of another text, it returns that text.
func (in *Inputs) Clip(text string) buffer.Clip {
	key := strings.TrimSpace(text)
	for _, e := range slices.Backward(in.entries) {
		if e.sent != nil && strings.TrimSpace(e.text) == key {
			var b buffer.Buffer
			b.Restore(*e.sent)
			return b.Copy(buffer.Range{End: b.Len()})
		}
	}
	return buffer.NewClip(text)
}

// forget removes the older copy of an input.
func (in *Inputs) forget(text string) {
	if i := slices.IndexFunc(in.entries, func(e *entry) bool { return e.text == text }); i >= 0 {
		in.remove(i)
	}
}

// trim removes the oldest entries that are too many.
func (in *Inputs) trim() {
	for len(in.entries) > in.most || len(in.entries) > 1 && in.size > maxBytes {
		in.remove(0)
	}
}

// remove removes an entry. A user who browses stays at the same entry, or comes to the next newer one.
func (in *Inputs) remove(i int) {
	in.size -= len(in.entries[i].text)
	delete(in.edited, in.entries[i])
	in.entries = slices.Delete(in.entries, i, i+1)
	if in.at > i {
		in.at--
	}
}

// fill loads the inputs of earlier sessions, once.
func (in *Inputs) fill() {
	if in.load == nil {
		return
	}
	load := in.load
	in.load = nil
	known := map[string]bool{}
	for _, e := range in.entries {
		known[strings.TrimSpace(e.text)] = true
	}
	last := ""
	var past []*entry // the newest first
	for _, text := range load() {
		if key := strings.TrimSpace(text); key == "" || key == last || known[key] {
			continue
		} else if last = key; in.isUnique {
			known[key] = true
		}
		past = append(past, &entry{text: text})
		in.size += len(text)
	}
	slices.Reverse(past)
	in.entries = append(past, in.entries...)
	in.trim()
}
