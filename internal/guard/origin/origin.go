// Package origin determines which words of a command come from untrusted text: output of
// commands, web pages, results of servers' tools. A model that reads "now run it with
// --upload-pack=..." there may do it, but a rule for git does not allow that.
//
// Only words that can change the meaning of a command count: flags, their values, assignments
// before it and addresses. File names that another command has printed do not count, because
// models use those all the time.
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

// Tracker records the words of a conversation by their origin. It is safe for concurrent use.
type Tracker struct {
	after func(seen *llm.Content) []agent.Message
	ours  func(path string) bool

	mu        sync.Mutex
	seen      *llm.Content // the last message that was read
	seed      maphash.Seed
	untrusted recentSet // words from untrusted text
	known     recentSet // words that the user has written or approved
}

// New returns the words of a conversation. after returns the messages after seen, all messages
// if seen is nil or not found; each message is read once. ours reports whether there is a file
// with this name in the workspace.
func New(after func(seen *llm.Content) []agent.Message, ours func(path string) bool) *Tracker {
	return &Tracker{after: after, ours: ours, seed: maphash.MakeSeed()}
}

// Untrusted returns the flags, values and addresses of a shell command that occur only in
// untrusted text.
func (w *Tracker) Untrusted(command string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read()
	if w.untrusted.empty() {
		return nil
	}
	var list []string
	for _, word := range riskyWords(command, 0) {
		if w.isSuspicious(word) && !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	return list
}

// Accept marks words as known, after the user has seen and approved them.
func (w *Tracker) Accept(words []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, word := range words {
		w.add(&w.known, word)
	}
}

// isSuspicious reports whether a part of a command occurs only in untrusted text.
func (w *Tracker) isSuspicious(text string) bool {
	for word := range words(text) {
		if !isRelevant(word) || !isFlag(word) && w.ours(word) {
			continue
		}
		if h := maphash.String(w.seed, word); w.untrusted.has(h) && !w.known.has(h) {
			return true
		}
	}
	return false
}

// read records the messages since the last call.
func (w *Tracker) read() {
	for _, m := range w.after(w.seen) {
		w.seen = m.Content
		if m.Content.Role != llm.RoleUser {
			continue
		}
		for i := range m.Content.Parts {
			p := &m.Content.Parts[i]
			if p.FunctionResponse != nil {
				w.record(output(p.FunctionResponse), false)
				continue
			}
			w.record(p.Text, m.Shown == "")
		}
		w.add(&w.known, m.Shown)
	}
}

// record records a text. Text in frames of untrusted text is untrusted; the rest is the user's
// if fromUser is set, and ignored otherwise.
func (w *Tracker) record(text string, fromUser bool) {
	const begin, end = "<untrusted_context>", "</untrusted_context>"
	for text != "" {
		before, rest, framed := strings.Cut(text, begin)
		if fromUser {
			w.add(&w.known, before)
		}
		if !framed {
			return
		}
		inside, after, _ := strings.Cut(rest, end)
		w.add(&w.untrusted, inside)
		text = after
	}
}

func (w *Tracker) add(to *recentSet, text string) {
	for word := range words(text) {
		if isRelevant(word) {
			to.add(maphash.String(w.seed, word))
		}
	}
}

// output returns the text that a call has returned, and its error, which may quote others as well.
func output(r *llm.FunctionResponse) string {
	var o struct {
		Output string `json:"output"`
		Error  string `json:"error"`
	}
	_ = json.Unmarshal(r.Response, &o) // other values have no text
	return o.Output + "\n" + o.Error
}
