// Package quotation finds out whether a text comes from a model's input: from files that it has
// read, from the output of commands, from prompts or instructions. A model that repeats such a
// text quotes it, so that a call in it is no call of the model.
//
// Texts are compared word by word. White space, quotes, marks of Markdown, escapes of JSON and
// HTML, and the numbers that tools write before lines do not count, because models change them
// when they quote.
package quotation

import (
	"hash/maphash"
	"runtime"
	"strings"
	"sync"
	"weak"

	"pollux/llm"
)

// Index holds the input of a session's models. It is safe for concurrent use.
//
// Memory is limited: the oldest texts are removed when more than [maxSize] bytes are held, which
// is more than any model's context window. A message is read once. A search takes a fraction of a
// microsecond for each text that lacks a word.
type Index struct {
	mu     sync.Mutex
	seed   maphash.Seed
	seen   map[weak.Pointer[llm.Content]]struct{}
	hashes map[uint64]struct{} // of the texts of all passages
	labels map[string]string   // of the sources that calls have read, by call ID
	list   []passage           // in the order of the conversation
	size   int                 // of the words in list, in bytes
}

// passage is one text.
type passage struct {
	kind   kind
	words  string // see [words]; variants follow each other
	filter filter // of words
	source string // of an untrusted text, for people
	hash   uint64
}

type kind uint8

const (
	given     kind = iota // by the user, or by instructions that the user has accepted
	untrusted             // results of tools, attached files
	own                   // arguments of the model's calls
)

const (
	maxSize   = 16 << 20 // of all passages, in bytes
	maxText   = 4 << 20  // of one text, in bytes
	maxLabels = 10_000
)

// New returns an empty index.
func New() *Index {
	return &Index{
		seed: maphash.MakeSeed(), seen: map[weak.Pointer[llm.Content]]struct{}{},
		hashes: map[uint64]struct{}{}, labels: map[string]string{},
	}
}

// Add adds the messages of a request, and its system instruction, if they are new.
func (x *Index) Add(req *llm.Request) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if i := req.Config.SystemInstruction; i != nil && x.isNew(i) {
		for n := range i.Parts {
			x.add(given, "", i.Parts[n].Text)
		}
	}
	for _, c := range req.Contents {
		if x.isNew(c) {
			x.read(c)
		}
	}
}

// Accept adds a text that the user has approved.
func (x *Index) Accept(text string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.add(given, "", text)
}

// isNew reports whether a message was not added before.
func (x *Index) isNew(c *llm.Content) bool {
	key := weak.Make(c)
	if _, ok := x.seen[key]; ok {
		return false
	}
	x.seen[key] = struct{}{}
	runtime.AddCleanup(c, x.forget, key)
	return true
}

// forget removes a message that no longer exists. Its texts stay.
func (x *Index) forget(key weak.Pointer[llm.Content]) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.seen, key)
}

func (x *Index) add(k kind, source, text string) {
	text = text[:min(len(text), maxText)]
	var h maphash.Hash
	h.SetSeed(x.seed)
	_ = h.WriteByte(byte(k)) // never fails
	_, _ = h.WriteString(text)
	hash := h.Sum64()
	if _, ok := x.hashes[hash]; ok || strings.TrimSpace(text) == "" {
		return
	}
	x.hashes[hash] = struct{}{}
	p := passage{kind: k, source: source, words: allWords(text), hash: hash}
	p.filter = newFilter(x.hashWords(p.words))
	x.list, x.size = append(x.list, p), x.size+len(p.words)
	for x.size > maxSize {
		x.size -= len(x.list[0].words)
		delete(x.hashes, x.list[0].hash)
		x.list[0] = passage{}
		x.list = x.list[1:]
	}
}

// Has reports whether a text of at least two words stands in a text that the model was given.
func (x *Index) Has(text string) bool { return x.has(words(text), " ") }

// HasStart reports whether the first words of a text, at least three, stand in a text that the
// model was given. The last one may be cut off.
func (x *Index) HasStart(text string) bool {
	const first, least = 6, 3
	w := words(text)
	for i, n := 1, 0; i < len(w); i++ {
		if w[i] != ' ' {
			continue
		}
		if n++; n == first {
			return x.has(w[:i], " ")
		}
	}
	return strings.Count(w, " ") > least && x.has(strings.TrimSuffix(w, " "), "")
}

// has reports whether words stand in a text that the model was given. end is " " if the last word
// is whole.
func (x *Index) has(w, end string) bool {
	if strings.Count(strings.TrimSpace(w), " ") == 0 {
		return false
	}
	w = strings.TrimSuffix(w, " ") + end
	hashes := x.hashWords(w[:strings.LastIndexByte(w[:len(w)-1], ' ')+1])
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range x.list {
		if p := &x.list[i]; p.kind != own && p.index(w, hashes) >= 0 {
			return true
		}
	}
	return false
}

// Place is where the arguments of a call stand.
type Place struct {
	Source string // of the text, such as "README.md", for people
	Words  int    // number of words
	// IsCall means that the text names the tool near them: it is about this call.
	IsCall bool
}

// The maximum numbers of words between the name of a tool and an argument of its call. The name
// comes first in nearly all forms.
const (
	wordsAfterName  = 8
	wordsBeforeName = 3
)

// Find returns where a value of an argument stands in untrusted text, false if it stands in none.
// It also returns false if the value is in a user's prompt, or in an earlier text of the model.
func (x *Index) Find(tool, value string) (Place, bool) {
	w, name := words(value), words(tool)
	n := strings.Count(w, " ") - 1
	if n < 1 {
		return Place{}, false
	}
	hashes := x.hashWords(w)
	x.mu.Lock()
	defer x.mu.Unlock()
	var found Place
	isOwn := false
	for i := range x.list {
		p := &x.list[i]
		at := p.index(w, hashes)
		switch {
		case at < 0:
		case p.kind == given:
			return Place{}, false
		case p.kind == own:
			isOwn = true
		case !isOwn:
			if found.Words == 0 {
				found = Place{Source: p.source, Words: n}
			}
			if isNear(p.words, at, w, name) && !found.IsCall {
				found = Place{Source: p.source, Words: n, IsCall: true}
			}
		}
	}
	return found, found.Words > 0
}

// isNear reports whether a name stands near an occurrence of w in text. The first one is at at.
func isNear(text string, at int, w, name string) bool {
	for {
		from, to := at, at+len(w)-1
		for range wordsAfterName + 1 {
			from = max(0, strings.LastIndexByte(text[:from], ' '))
		}
		for range wordsBeforeName + 1 {
			to += 1 + max(0, strings.IndexByte(text[to+1:], ' '))
			to = min(to, len(text)-1)
		}
		if strings.Contains(text[from:to+1], name) {
			return true
		}
		at++
		next := strings.Index(text[at:], w)
		if next < 0 {
			return false
		}
		at += next
	}
}
