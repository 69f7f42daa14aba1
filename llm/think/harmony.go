package think

import (
	"slices"
	"strings"
)

// The tokens around the messages of gpt-oss that matter here.
const (
	startToken   = "<|start|>"
	channelToken = "<|channel|>"
	messageToken = "<|message|>"
	assistant    = startToken + "assistant"
)

// endTokens end a message.
var endTokens = [...]string{"<|end|>", "<|return|>"}

// maxHeader bounds the size of the header of a message in bytes.
const maxHeader = 160

// matchHarmony returns the tag of gpt-oss that rest begins with, and its size. Servers that do not know
// its form pass on an answer as it is:
//
//	<|channel|>analysis<|message|>THOUGHT<|end|><|start|>assistant<|channel|>final<|message|>TEXT<|return|>
//
// Such an answer begins with the header of a message, and a further header follows the end of a message. A message to
// a tool is text here: it is a call, see llm/texttool.
func (s *Splitter) matchHarmony(rest string) (tag, int) {
	switch {
	case rest[0] != '<':
		return none, 0
	case s.state == inText && s.closer == "":
		if !s.hasWords {
			if t, n := s.matchHeader(rest); t != none {
				return t, n
			}
		}
		if s.harmony && !s.isQuoting() && !s.place.InSpan() {
			return s.matchEnd(rest)
		}
	case s.state != inText && s.family == harmony:
		if t := s.matchStart(rest, assistant); t != none {
			return t, 0 // the header counts in text
		}
		for _, token := range endTokens {
			if t := s.matchStart(rest, token); t != none {
				return t, len(token)
			}
		}
	}
	return none, 0
}

// matchStart reports whether rest begins with a token that ends the thought.
func (s *Splitter) matchStart(rest, token string) tag {
	switch {
	case strings.HasPrefix(rest, token):
		return s.matchClosing(rest[len(token):])
	case !s.ended && strings.HasPrefix(token, rest):
		return partial
	}
	return none
}

// matchHeader matches the header of a thought or of a text.
func (s *Splitter) matchHeader(rest string) (tag, int) {
	size := strings.Index(rest[:min(len(rest), maxHeader)], messageToken)
	if size < 0 {
		begins := func(token string) bool { return strings.HasPrefix(rest, token) || strings.HasPrefix(token, rest) }
		if !s.ended && len(rest) < maxHeader && strings.IndexByte(rest, '\n') < 0 && (begins(assistant) || begins(channelToken)) {
			return partial, 0
		}
		return none, 0
	}
	name, ok := strings.CutPrefix(strings.TrimPrefix(rest[:size], assistant), channelToken)
	name, _, _ = strings.Cut(name, "<|constrain|>")
	size += len(messageToken)
	switch name = strings.TrimSpace(name); {
	case !ok, strings.Contains(rest[:size], "\n"):
		return none, 0
	case name == "analysis":
		s.harmony, s.family = true, harmony
		return opening, size
	case slices.Contains([]string{"final", "commentary"}, name):
		s.harmony = true
		return frame, size
	}
	return none, 0
}

// matchEnd matches the end of a text, which counts at the end of the answer and before another message.
func (s *Splitter) matchEnd(rest string) (tag, int) {
	for _, token := range endTokens {
		behind, ok := strings.CutPrefix(rest, token)
		if !ok {
			if !s.ended && strings.HasPrefix(token, rest) {
				return partial, 0
			}
			continue
		}
		next := strings.TrimLeft(behind, blank)
		switch size := len(rest) - len(next); {
		case strings.HasPrefix(next, startToken), next == "" && s.ended:
			return frame, len(token)
		case strings.HasPrefix(startToken, next) && !s.ended && size <= maxSpace:
			return partial, 0
		}
	}
	return none, 0
}
