package think

import "strings"

type tag int

const (
	none tag = iota
	partial
	opening
	closing
	frame // dropped, and no thought
	callStart
	callEnd
)

// family is the form of a thought. A thought ends with a tag of its own form.
type family uint8

const (
	unknown family = iota // the prompt has begun the thought
	angle
	square  // Magistral
	seed    // Seed
	channel // Gemma
	harmony // gpt-oss
)

// starts are the characters that begin tags.
const starts = "<["

var tags = [...]struct {
	name string
	is   tag
	of   family
}{
	{"<think>", opening, angle},
	{"</think>", closing, angle},
	{"<thinking>", opening, angle},
	{"</thinking>", closing, angle},
	{"[THINK]", opening, square},
	{"[/THINK]", closing, square},
	{"<seed:think>", opening, seed},
	{"</seed:think>", closing, seed},
	{"<|channel>thought", opening, channel},
	{"<channel|>", closing, channel},
}

// calls are the elements in which models write calls of tools (see llm/texttool). The
// arguments in them are text of any kind, such as files.
var calls = [...]struct{ begin, end string }{
	{"<tool_call>", "</tool_call>"},
	{"<function_calls>", "</function_calls>"},
	{"<function=", "</function>"},
	{"<invoke name=", "</invoke>"},
}

// match returns the tag that rest begins with, if any that counts here, and its size.
func (s *Splitter) match(rest string) (tag, int) {
	found := none
	if s.state == inText && s.closer != "" {
		return s.matchWord(rest, s.closer, callEnd, &found)
	}
	for i, t := range tags {
		if s.PairsOnly && i > 1 || !s.counts(t.is, t.of) {
			continue
		}
		switch n := len(t.name); {
		case len(rest) < n:
			if !s.ended && isTag(rest, t.name[:len(rest)]) {
				found = partial
			}
		case !isTag(rest[:n], t.name):
		case t.is == opening:
			s.family = t.of
			return opening, n
		default:
			return s.matchClosing(rest[n:]), n
		}
	}
	if found == none && !s.PairsOnly {
		if t, n := s.matchHarmony(rest); t != none {
			return t, n
		}
	}
	if s.state == inText && !s.isQuoting() && !s.place.InSpan() {
		for _, c := range calls {
			if t, n := s.matchWord(rest, c.begin, callStart, &found); t == callStart {
				return t, n
			}
		}
	}
	return found, 0
}

// isTag reports whether s is a tag, or the beginning of one. A word in brackets may be a link of Markdown: only [THINK] as it is written
// here is a tag.
func isTag(s, tag string) bool { return s == tag || tag[0] == '<' && strings.EqualFold(s, tag) }

// matchWord returns is if rest begins with word. Otherwise it returns found, which it
// sets to partial if rest may be the beginning of word.
func (s *Splitter) matchWord(rest, word string, is tag, found *tag) (tag, int) {
	if strings.HasPrefix(rest, word) {
		return is, len(word)
	}
	if !s.ended && strings.HasPrefix(word, rest) {
		*found = partial
	}
	return *found, 0
}

// counts reports whether a tag can count at this place.
func (s *Splitter) counts(t tag, of family) bool {
	switch {
	case s.state != inText:
		return t == closing && (s.family == of || s.family == unknown)
	case t == opening:
		return s.place.IsLineStart() && !s.isQuoting()
	}
	return s.MayBeOpened && !s.PairsOnly && !s.passed
}

// isQuoting reports whether this place of the text is in code or in a string.
func (s *Splitter) isQuoting() bool { return s.place.InFence() || s.object.inText() }

// matchClosing reports whether a closing tag before rest counts. It does not between quotes
// or backticks, and in inline code.
func (s *Splitter) matchClosing(rest string) tag {
	isQuoted := strings.IndexByte("`\"'", s.last) >= 0 && s.last != 0
	isSpan := s.ticks%2 == 1
	if !isQuoted && !isSpan {
		return closing
	}
	if rest == "" {
		if s.ended {
			return closing
		}
		return partial
	}
	if isQuoted && (rest[0] == s.last || rest[0] == '\\' && s.last != '`') {
		return none
	}
	if !isSpan {
		return closing
	}
	switch n := strings.IndexAny(rest[:min(len(rest), maxSpan)], "`\n"); {
	case n >= 0 && rest[n] == '`':
		return none
	case n < 0 && len(rest) < maxSpan && !s.ended:
		return partial
	}
	return closing
}
