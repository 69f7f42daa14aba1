// Package think separates a model's thoughts from its answer where both come in one
// text: <think>the thought</think>the answer, as Qwen, DeepSeek and most models behind
// local servers write it.
package think

import (
	"strings"

	"pollux/llm"
)

// Splitter splits one answer into thoughts and text while it arrives. However
// the answer is cut into chunks, the parts joined are the same.
//
// A thought begins with <think> or <thinking> and ends with </think> or
// </thinking>, in any case of letters; one that never ends is a thought to the
// end of the answer. Neither the tags nor the white space behind them are part
// of what comes out. A tag between two backticks is talked about, not used.
//
// Thoughts do not nest: within one, an opening tag is a word like any other.
//
// The zero value is ready to use, for one answer.
type Splitter struct {
	// Opened says that the prompt ends in <think>, as some templates have it:
	// the answer begins in the middle of a thought, and all of it up to the
	// first closing tag is one.
	Opened bool
	// PairsOnly limits the tags to <think>, and </think> after it. It is for Qwen's
	// models.
	PairsOnly bool

	begun    bool   // Opened has been looked at
	thought  bool   // what comes now is a thought
	shown    bool   // some text has been handed out
	unopened bool   // see Unopened
	untold   int    // parts up to which all are thoughts, as a later tag has told
	behind   bool   // a tag was just passed: white space is dropped
	last     byte   // the byte before held
	held     string // may be the beginning of a tag
	space    string // white space that begins the answer, if it does
}

// maxSpace bounds the white space that is held back at the beginning of an
// answer because a tag may follow.
const maxSpace = 1 << 10

// Split returns the parts of a whole answer. As all of it is known, what comes
// before a closing tag that nothing opened is a thought, too.
func (s Splitter) Split(answer string) []llm.Part {
	parts := s.scan(nil, answer)
	parts = s.end(parts)
	for i := range parts[:s.untold] {
		parts[i].Thought = true
	}
	return merge(parts)
}

// Unopened reports whether a closing tag came that nothing opened, and text had
// been handed out before it: that text was a thought, which only a Splitter with
// Opened set can know in time. The tag itself does not come out. The caller may
// throw the answer away and ask again, and should remember it of the model.
func (s *Splitter) Unopened() bool { return s.unopened }

// Add takes the next chunk and returns what is certain by now: text, and parts
// that have Thought set. At most the beginning of a tag is held back.
func (s *Splitter) Add(chunk string) []llm.Part {
	if s.held == "" && s.space == "" && !s.behind && (s.shown || s.thought) &&
		chunk != "" && strings.IndexByte(chunk, '<') < 0 { // nearly always
		s.last = chunk[len(chunk)-1]
		return []llm.Part{s.part(chunk)}
	}
	return merge(s.scan(nil, chunk))
}

// Flush returns what was held back. It is called once, when the answer has ended.
func (s *Splitter) Flush() []llm.Part { return merge(s.end(nil)) }

// scan appends what chunk makes certain.
func (s *Splitter) scan(parts []llm.Part, chunk string) []llm.Part {
	if !s.begun {
		s.begun, s.thought, s.behind = true, s.Opened, s.Opened
	}
	rest := s.held + chunk
	s.held = ""
	for i := 0; ; { // rest[:i] holds no tag
		n := strings.IndexByte(rest[i:], '<')
		if n < 0 {
			return s.say(parts, rest)
		}
		i += n
		last := s.last
		if i > 0 {
			last = rest[i-1]
		}
		switch tag, size := s.tag(rest[i:], last); tag {
		case none:
			i++
		case partial:
			s.held = rest[i:]
			return s.say(parts, rest[:i])
		default:
			parts = s.say(parts, rest[:i])
			s.pass(tag, len(parts))
			rest, i = rest[i+size:], 0
		}
	}
}

// end appends what scan has held back.
func (s *Splitter) end(parts []llm.Part) []llm.Part {
	rest := s.held
	s.held = ""
	if tag, size := s.tag(rest+"\n", s.last); tag > partial { // it only waited for what follows
		s.pass(tag, len(parts))
		rest = rest[size:]
	}
	parts = s.say(parts, rest)
	if s.space != "" {
		parts = append(parts, s.part(s.space))
		s.space = ""
	}
	return parts
}

// say appends words that hold no tag.
func (s *Splitter) say(parts []llm.Part, words string) []llm.Part {
	if words == "" {
		return parts
	}
	s.last = words[len(words)-1]
	if s.behind {
		if words = strings.TrimLeft(words, blank); words == "" {
			return parts
		}
		s.behind = false
	}
	if !s.thought && !s.shown {
		// The blanks that begin an answer are part of it, unless a tag follows.
		if len(s.space)+len(words) <= maxSpace && strings.TrimLeft(words, blank) == "" {
			s.space += words
			return parts
		}
		words, s.space, s.shown = s.space+words, "", true
	}
	return append(parts, s.part(words))
}

const blank = " \t\r\n"

func (s *Splitter) part(words string) llm.Part { return llm.Part{Text: words, Thought: s.thought} }

// pass goes behind a tag that stands behind n parts.
func (s *Splitter) pass(t tag, n int) {
	if t == closing && !s.thought {
		s.untold, s.unopened = n, s.unopened || s.shown
	}
	s.thought, s.behind, s.space, s.last = t == opening, true, "", '>'
}

type tag int

const (
	none tag = iota
	partial
	opening
	closing
)

var tags = [...]struct {
	name string
	is   tag
}{{"<think>", opening}, {"</think>", closing}, {"<thinking>", opening}, {"</thinking>", closing}}

// tag says which tag rest, which stands behind last, begins with, if any that
// counts here, and its size.
func (s *Splitter) tag(rest string, last byte) (tag, int) {
	found := none
	for i, t := range tags {
		if s.PairsOnly && (i > 1 || t.is == closing && !s.thought) || s.thought && t.is == opening {
			continue
		}
		switch n := len(t.name); {
		case len(rest) < n:
			if strings.EqualFold(rest, t.name[:len(rest)]) {
				found = partial
			}
		case !strings.EqualFold(rest[:n], t.name):
		case last == '`' && len(rest) == n:
			return partial, 0
		case last == '`' && rest[n] == '`':
			return none, 0
		default:
			return t.is, n
		}
	}
	return found, 0
}

// merge joins neighbours of the same kind.
func merge(parts []llm.Part) []llm.Part {
	out := parts[:0]
	for len(parts) > 0 {
		n := 1
		for n < len(parts) && parts[n].Thought == parts[0].Thought {
			n++
		}
		p := parts[0]
		if n > 1 {
			var b strings.Builder
			for i := range parts[:n] {
				b.WriteString(parts[i].Text)
			}
			p.Text = b.String()
		}
		out, parts = append(out, p), parts[n:]
	}
	return out
}
