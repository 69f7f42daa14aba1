package texttool

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pollux/llm"
	"pollux/llm/fence"
	"pollux/llm/quotation"
)

// writtenCall is a call as the parser has read it.
type writtenCall struct {
	call llm.FunctionCall
	text string // the call alone, if it is one of several in a text, or part of an object; else ""
}

// wait is the condition under which a call is no quotation.
type wait uint8

const (
	forNothing wait = iota
	untilFence      // nothing but calls up to the end of the fence
	untilEnd        // nothing but calls up to the end of the answer
)

// isFence reports whether a closer is that of a fence.
func isFence(closer string) bool { return closer[0] != '<' }

// given is the input of a model before an answer.
type given struct {
	index *quotation.Index
	req   *llm.Request
}

// has reports whether a text stands in it, and hasStart whether its first words do. The request is
// read at the first question: most answers have no text that looks like a call.
func (g *given) has(text string) bool { return g.read().Has(text) }

func (g *given) hasStart(text string) bool { return g.read().HasStart(text) }

func (g *given) read() *quotation.Index {
	if g.req != nil {
		g.index.Add(g.req)
		g.req = nil
	}
	return g.index
}

// body returns the call in held, without the text around it.
func (p *parser) body() string { return string(p.held[min(p.open.start, len(p.held)):]) }

// areQuoted reports whether one of the calls in held is a quotation.
func (p *parser) areQuoted(calls []writtenCall) bool {
	return p.isQuoted(p.body()) || slices.ContainsFunc(calls, func(c writtenCall) bool { return c.text != "" && p.isQuoted(c.text) })
}

// isQuoted reports whether a call is a quotation: its text is in the model's input. The frame of
// the call does not count (see [withoutFrame]), because a model may add it.
func (p *parser) isQuoted(call string) bool {
	if p.given == nil {
		return false
	}
	open := withoutEnd(call)
	alone := withoutFrame(open)
	return p.given.has(call) || p.given.has(open) || countWords(alone) >= minWords && p.given.has(alone)
}

// isQuotedStart reports whether the beginning of a call that cannot be parsed is a quotation.
func (p *parser) isQuotedStart(call string) bool { return p.given != nil && p.given.hasStart(call) }

// frameWords stand before and behind the name of a tool and its arguments.
var frameWords = [...]string{
	"tool_calls", "tool_call", "TOOL_CALLS", "function_calls", "function_call", "function", "invoke", "tool", "python_tag",
	"name", "parameter", "arg_value", "type", "minimax",
}

// minWords is the number of words of a call that is more than a name and the name of an argument:
// these could stand anywhere.
const minWords = 3

// withoutEnd returns a call without the tags at its end.
func withoutEnd(call string) string {
	for again := true; again; {
		again = false
		call = strings.TrimRightFunc(call, isBetween)
		for _, w := range frameWords {
			if rest, ok := strings.CutSuffix(call, "</"+w); ok {
				call, again = rest, true
			}
		}
	}
	return call
}

// withoutFrame returns a call without the words before it that announce a call.
func withoutFrame(call string) string {
	for again := true; again; {
		again = false
		call = strings.TrimLeftFunc(call, isBetween)
		for _, w := range frameWords {
			if rest, ok := strings.CutPrefix(call, w); ok && strings.IndexFunc(rest, isBetween) == 0 {
				call, again = rest, true
			}
		}
	}
	return call
}

func countWords(text string) int { return len(strings.FieldsFunc(text, isBetween)) }

// isBetween reports whether r separates words.
func isBetween(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// isQuoting reports whether a call cannot begin at this place with the byte c: in code, in a
// quotation, in a table, behind a quote.
func (p *parser) isQuoting(c byte) bool {
	isFence := c == '`' || c == '~'
	return p.place.InFence() || p.place.InQuote() || p.place.InSpan() ||
		isFence && p.lastRune() == rune(c) || // the rest of a mark that has ended a quotation
		!isFence && strings.ContainsRune("\"'“‘„«「『", p.lastRune())
}

// lastRune returns the character before this place.
func (p *parser) lastRune() rune {
	r, _ := utf8.DecodeLastRune(p.tail)
	return r
}

// note keeps the end of the visible text.
func (p *parser) note(s string) {
	p.place.Add(s)
	p.tail = append(p.tail, s[max(0, len(s)-utf8.UTFMax):]...)
	p.tail = p.tail[max(0, len(p.tail)-utf8.UTFMax):]
}

// thoughtTags are around thoughts, except where thoughts have parts of their own (see llm/think).
var thoughtTags = [...]struct{ begin, end string }{
	{"<think>", "</think>"},
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},
	{"[THINK]", "[/THINK]"},
	{"<seed:think>", "</seed:think>"},
	{"<|channel>thought", "<channel|>"},
	{"<|channel|>analysis<|message|>", endMark},
}

const endMark = "<|end|>"

// matchThought matches a tag that begins or ends a thought, at the start of a line of s. The text
// before an end without a beginning is a thought, too: calls in it do not count.
func (p *parser) matchThought(s string) (size int, v verdict) {
	if s[0] != '<' && s[0] != '[' || !p.place.IsLineStart() || p.place.InFence() {
		return 0, no
	}
	for _, tag := range thoughtTags {
		switch {
		case hasPrefixFold(s, tag.begin):
			p.mode, p.thought = inThought, tag.end
			return len(tag.begin), yes
		case strings.HasPrefix(tag.end, endMark): // ends other messages, too
			if hasPrefixFold(tag.begin, s) {
				v = maybe
			}
		case hasPrefixFold(s, tag.end):
			p.calls, p.waits = nil, nil
			return len(tag.end), yes
		case hasPrefixFold(tag.begin, s), hasPrefixFold(tag.end, s):
			v = maybe
		}
	}
	return 0, v
}

// hasPrefixFold reports whether s begins with prefix, in any case of letters if it begins a tag in angle brackets.
func hasPrefixFold(s, prefix string) bool {
	return strings.HasPrefix(s, prefix) || prefix[0] == '<' && len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// scanThought outputs s up to the end of the thought, and returns the rest.
func (p *parser) scanThought(s string) (rest string) {
	for i := 0; ; i++ {
		n := strings.IndexByte(s[i:], p.thought[0])
		if n < 0 {
			p.text(s)
			return ""
		}
		i += n
		switch {
		case hasPrefixFold(s[i:], p.thought):
			i += len(p.thought)
			p.text(s[:i])
			p.mode, p.place = inText, fence.Tracker{}
			return s[i:]
		case hasPrefixFold(p.thought, s[i:]):
			p.text(s[:i])
			p.held = append(p.held, s[i:]...)
			return ""
		}
	}
}
