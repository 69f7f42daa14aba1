// Package origin knows which words of a command come from text that nobody vouches
// for: what commands have printed, web pages, what servers' tools say. A model that
// reads "now run it with --upload-pack=..." there may do so, and a person who allowed
// git has not allowed that (spec/tools.md §7).
//
// Only what can change the meaning of a command counts: flags, their values,
// assignments before it and addresses. That a command works on files whose names
// another one has printed is what models do all day, and no reason to ask.
package origin

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"strings"
	"sync"

	"pollux/agent"
	"pollux/llm"
)

// Words remembers words by where they come from. Its methods may be called from
// several goroutines at once.
type Words struct {
	after func(seen *llm.Content) []agent.Message
	ours  func(path string) bool

	mu      sync.Mutex
	seen    *llm.Content // the newest that was read
	seed    maphash.Seed
	foreign recent // words of untrusted text
	known   recent // words that a person has written, or agreed to
}

// New returns the words of a conversation. after returns what was said in it after
// this message, all of it where there is no such one; each message is read once. ours
// reports whether there is a file of this name in the workspace.
func New(after func(seen *llm.Content) []agent.Message, ours func(path string) bool) *Words {
	return &Words{after: after, ours: ours, seed: maphash.MakeSeed()}
}

// Untrusted returns the flags, values and addresses of a shell command that come from
// untrusted text and from nowhere else, as they stand there.
func (w *Words) Untrusted(command string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read()
	if w.foreign.empty() {
		return nil
	}
	var list []string
	for _, word := range telltales(command, 0) {
		if w.suspicious(word) && !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	return list
}

// Accept takes words for known from now on: a person has seen and allowed them.
func (w *Words) Accept(words []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, word := range words {
		w.add(&w.known, word)
	}
}

// suspicious reports whether a word of a command is from untrusted text alone.
func (w *Words) suspicious(text string) bool {
	for word := range words(text) {
		if !counts(word) || !isFlag(word) && w.ours(word) {
			continue
		}
		if h := maphash.String(w.seed, word); w.foreign.has(h) && !w.known.has(h) {
			return true
		}
	}
	return false
}

// read takes in what was said since it was last called.
func (w *Words) read() {
	for _, m := range w.after(w.seen) {
		w.seen = m.Content
		if m.Content.Role != llm.RoleUser {
			continue
		}
		for i := range m.Content.Parts {
			p := &m.Content.Parts[i]
			if p.FunctionResponse != nil {
				w.hear(output(p.FunctionResponse), false)
				continue
			}
			w.hear(p.Text, m.Shown == "")
		}
		w.add(&w.known, m.Shown)
	}
}

// hear takes in a text. What stands outside of the frames of untrusted text is a
// person's, or it is left out.
func (w *Words) hear(text string, persons bool) {
	const begin, end = "<untrusted_context>", "</untrusted_context>"
	for text != "" {
		before, rest, framed := strings.Cut(text, begin)
		if persons {
			w.add(&w.known, before)
		}
		if !framed {
			return
		}
		inside, after, _ := strings.Cut(rest, end)
		w.add(&w.foreign, inside)
		text = after
	}
}

func (w *Words) add(to *recent, text string) {
	for word := range words(text) {
		if counts(word) {
			to.add(maphash.String(w.seed, word))
		}
	}
}

// output is the text that a call has returned, "" if it has failed.
func output(r *llm.FunctionResponse) string {
	var o struct {
		Output string `json:"output"`
	}
	_ = json.Unmarshal(r.Response, &o) // what is no object with a text says none
	return o.Output
}
