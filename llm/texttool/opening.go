package texttool

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// opening is the start of an object that may be a call.
type opening struct {
	at            int    // index of the { or [; without an opening, the number of bytes to skip
	key           string // its first key
	afterColon    int    // index after the colon that follows the key
	closer        string // end of the fence around the object, "" if there is none
	inFencedData  bool   // the object is in a fence for data
	hasProseMarks bool   // its quotes or colon are “ or ：
}

// verdict is the result of matching incomplete text.
type verdict int

const (
	no    verdict = iota
	maybe         // more of the text is needed
	yes
)

// openers are the characters that can start a call or its fence.
const openers = "`~{[<"

// The limits on the text that is held back before the first key of a call.
const (
	maxFence = 16
	maxInfo  = 64
	maxGap   = 256
)

// wideColon is the colon of Chinese keyboards.
const wideColon = "："

// bareKeys start a call anywhere, wrappedKeys only in a fence.
var (
	bareKeys    = [...]string{"tool_call", "tool_calls", "tool"}
	wrappedKeys = [...]string{"tool_call", "tool_calls", "tool", "name", "function_call"}
	callTags    = [...]string{"<tool_call>", "<tool_calls>", "<function_call>"}
)

// matchOpening matches the start of a call at the start of s, which begins with one
// of openers.
func matchOpening(s string, inFence bool) (opening, verdict) {
	o := opening{at: 1, inFencedData: inFence}
	i := 0
	switch c := s[0]; c {
	case '`', '~':
		i = countRun(s, c)
		o.at, o.closer = i, s[:i]
		switch {
		case i > maxFence: // the fence may continue after maxFence
			o.at = 1
			return o, no
		case i == len(s):
			return o, maybe
		case i < 3 && c == '~':
			return o, no
		case i >= 3:
			o.inFencedData = true
			n, v := matchInfo(s[i:])
			if v != yes {
				return o, v
			}
			i += n
		}
	case '<':
		n, v := matchPrefix(s, callTags[:])
		if v != yes {
			return o, v
		}
		i, o.closer, o.inFencedData = n, "</"+s[1:n], true
	}
	return matchObject(s, i, o)
}

// matchObject matches an object or a list of objects whose first key is that of a
// call. It skips white space at index i.
func matchObject(s string, i int, o opening) (opening, verdict) {
	n, v := matchSpace(s[i:])
	if v != yes {
		return o, v
	}
	i += n
	at := i
	if s[i] == '[' {
		if n, v = matchSpace(s[i+1:]); v != yes {
			return o, v
		}
		i += 1 + n
	}
	if s[i] != '{' {
		return o, no
	}
	if n, v = matchSpace(s[i+1:]); v != yes {
		return o, v
	}
	i += 1 + n
	keys := bareKeys[:]
	if o.inFencedData {
		keys = wrappedKeys[:]
	}
	if o.key, n, v = matchKey(s[i:], keys); v != yes {
		return o, v
	}
	o.hasProseMarks = s[i] >= utf8.RuneSelf
	i += n
	if n, v = matchSpace(s[i:]); v != yes {
		return o, v
	}
	i += n
	if n, v = matchPrefix(s[i:], []string{":", wideColon}); v != yes {
		return o, v
	}
	o.hasProseMarks = o.hasProseMarks || n > 1
	// parser.held will start with s, so afterColon counts from the start of s.
	o.at, o.afterColon = at, i+n
	return o, yes
}

// matchKey matches one of keys, with or without quotes, and returns it and its length
// with quotes.
func matchKey(s string, keys []string) (string, int, verdict) {
	begin, end := "", ""
	switch {
	case s[0] == '"' || s[0] == '\'':
		begin, end = s[:1], s[:1]
	case strings.HasPrefix(s, "“"):
		begin, end = "“", "”"
	case strings.HasPrefix("“", s):
		return "", 0, maybe
	}
	word := s[len(begin):]
	n := 0
	for n < len(word) && n < maxFence && (word[n] == '_' || 'a' <= word[n] && word[n] <= 'z') {
		n++
	}
	if n == len(word) {
		if slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(k, word) }) {
			return "", 0, maybe
		}
		return "", 0, no
	}
	if !slices.Contains(keys, word[:n]) {
		return "", 0, no
	}
	if end == "" {
		return word[:n], n, yes
	}
	closed, v := matchPrefix(word[n:], []string{end})
	return word[:n], len(begin) + n + closed, v
}

// matchInfo matches the rest of the first line of a fence, up to an object on the
// same line.
func matchInfo(s string) (int, verdict) {
	for i := range min(len(s), maxInfo) {
		switch c := s[i]; {
		case c == '\n':
			return i + 1, yes
		case c == '{' || c == '[':
			return i, yes
		case c < ' ' && c != '\r' && c != '\t' || c == '`' || c == '~':
			return 0, no
		}
	}
	if len(s) >= maxInfo {
		return 0, no
	}
	return 0, maybe
}

// matchSpace matches white space that something else follows.
func matchSpace(s string) (int, verdict) {
	n := 0
	for n < len(s) && n <= maxGap && strings.IndexByte(whiteSpace, s[n]) >= 0 {
		n++
	}
	switch {
	case n > maxGap:
		return 0, no
	case n == len(s):
		return 0, maybe
	}
	return n, yes
}

// countRun counts the bytes c at the start of s, up to maxFence + 1.
func countRun(s string, c byte) int {
	n := 0
	for n < len(s) && n <= maxFence && s[n] == c {
		n++
	}
	return n
}

// matchPrefix matches one of words and returns its length.
func matchPrefix(s string, words []string) (int, verdict) {
	found := no
	for _, w := range words {
		if strings.HasPrefix(s, w) {
			return len(w), yes
		}
		if strings.HasPrefix(w, s) {
			found = maybe
		}
	}
	return 0, found
}

// matchClosing matches the end of a fence.
func matchClosing(s, fence string) (int, verdict) {
	if fence[0] == '<' {
		return matchPrefix(s, []string{fence})
	}
	switch n := countRun(s, fence[0]); {
	case n < len(fence) && n < len(s):
		return 0, no
	case n == len(s) && n <= maxFence:
		return 0, maybe
	default:
		return n, yes
	}
}

// matchInventedResult reports whether s, the text after a call, starts with the
// result of a call. The model has then continued without waiting for the result.
func matchInventedResult(s string, tools map[string]bool) verdict {
	n, v := matchPrefix(s, []string{resultOf, errorFrom})
	if v != yes {
		return v
	}
	name, _, ok := strings.Cut(s[n:], ":")
	switch {
	case ok && tools[name]:
		return yes
	case ok || len(name) > maxName || strings.ContainsAny(name, whiteSpace):
		return no
	}
	return maybe
}

const maxName = 128

// isIntendedCall reports whether an object that cannot be parsed was meant as a call:
// it starts like one and names a declared tool.
func isIntendedCall(held string, o opening, tools map[string]bool) bool {
	if o.afterColon > len(held) {
		return false
	}
	rest := held[o.afterColon:]
	if strings.HasPrefix(o.key, "tool_call") || o.key == "function_call" {
		return mentionsTool(rest, tools)
	}
	rest = strings.TrimLeft(rest, whiteSpace)
	for name := range tools {
		for _, q := range [...]struct{ begin, end string }{{`"`, `"`}, {`'`, `'`}, {"“", "”"}, {}} {
			after, ok := strings.CutPrefix(rest, q.begin+name+q.end)
			if ok && (after == "" || q.end != "" || !isNameByte(after[0])) {
				return true
			}
		}
	}
	return false
}

// mentionsTool reports whether s contains the name of a tool as a word.
func mentionsTool(s string, tools map[string]bool) bool {
	for i := 0; i < len(s); {
		n := i
		for n < len(s) && isNameByte(s[n]) {
			n++
		}
		if tools[s[i:n]] {
			return true
		}
		i = n + 1
	}
	return false
}

// isNameByte reports whether c can be part of a tool's name.
func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.' || c == ':'
}
