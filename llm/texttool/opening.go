package texttool

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// opening is how an object begins that may be a call.
type opening struct {
	at      int    // where its { is, or the [ of a list; where there is none, what to skip
	key     string // its first key
	behind  int    // the colon behind the key
	closer  string // the end of the fence it stands in, "" if it stands in none
	wrapped bool   // the fence says that what is in it is data
	prose   bool   // its quotes or its colon are those of prose, “ and ：
}

type verdict int

const (
	no    verdict = iota
	maybe         // more of the text is needed
	yes
)

// openers are the letters that a call, with its fence, may begin with.
const openers = "`~{[<"

// The bounds keep what a possible call holds back small.
const (
	maxFence = 16
	maxInfo  = 64
	maxGap   = 256
)

// wideColon is the one that Chinese keyboards write.
const wideColon = "："

// bareKeys begin a call anywhere, wrappedKeys only in a fence.
var (
	bareKeys    = [...]string{"tool_call", "tool_calls", "tool"}
	wrappedKeys = [...]string{"tool_call", "tool_calls", "tool", "name", "function_call"}
	callTags    = [...]string{"<tool_call>", "<tool_calls>", "<function_call>"}
)

// match says whether s begins as a call does. Its first letter is one of openers.
func match(s string, inFence bool) (opening, verdict) {
	o := opening{at: 1, wrapped: inFence}
	i := 0
	switch c := s[0]; c {
	case '`', '~':
		i = run(s, c)
		o.at, o.closer = i, s[:i]
		switch {
		case i > maxFence: // and perhaps more: only the next letters tell
			o.at = 1
			return o, no
		case i == len(s):
			return o, maybe
		case i < 3 && c == '~':
			return o, no
		case i >= 3:
			o.wrapped = true
			n, v := info(s[i:])
			if v != yes {
				return o, v
			}
			i += n
		}
	case '<':
		n, v := prefix(s, callTags[:])
		if v != yes {
			return o, v
		}
		i, o.closer, o.wrapped = n, "</"+s[1:n], true
	}
	return object(s, i, o)
}

// object matches an object, or a list of objects, whose first key is a call's.
// White space before it begins at i.
func object(s string, i int, o opening) (opening, verdict) {
	n, v := gap(s[i:])
	if v != yes {
		return o, v
	}
	i += n
	at := i
	if s[i] == '[' {
		if n, v = gap(s[i+1:]); v != yes {
			return o, v
		}
		i += 1 + n
	}
	if s[i] != '{' {
		return o, no
	}
	if n, v = gap(s[i+1:]); v != yes {
		return o, v
	}
	i += 1 + n
	keys := bareKeys[:]
	if o.wrapped {
		keys = wrappedKeys[:]
	}
	if o.key, n, v = key(s[i:], keys); v != yes {
		return o, v
	}
	o.prose = s[i] >= utf8.RuneSelf
	i += n
	if n, v = gap(s[i:]); v != yes {
		return o, v
	}
	i += n
	if n, v = prefix(s[i:], []string{":", wideColon}); v != yes {
		return o, v
	}
	o.prose = o.prose || n > 1
	// Held will begin where s does, so that is where behind counts from.
	o.at, o.behind = at, i+n
	return o, yes
}

// key matches one of keys, with or without quotes, and returns it and its length.
func key(s string, keys []string) (string, int, verdict) {
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
	closed, v := prefix(word[n:], []string{end})
	return word[:n], len(begin) + n + closed, v
}

// info matches the rest of a fence's first line, or as much of it as stands
// before an object on the same line.
func info(s string) (int, verdict) {
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

// gap matches the white space before something else.
func gap(s string) (int, verdict) {
	n := 0
	for n < len(s) && n <= maxGap && strings.IndexByte(blank, s[n]) >= 0 {
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

// run counts how often c stands at the beginning of s, up to one more than a
// fence may be long.
func run(s string, c byte) int {
	n := 0
	for n < len(s) && n <= maxFence && s[n] == c {
		n++
	}
	return n
}

// prefix matches one of words and returns its length.
func prefix(s string, words []string) (int, verdict) {
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

// closing matches the end of a fence.
func closing(s, fence string) (int, verdict) {
	if fence[0] == '<' {
		return prefix(s, []string{fence})
	}
	switch n := run(s, fence[0]); {
	case n < len(fence) && n < len(s):
		return 0, no
	case n == len(s) && n <= maxFence:
		return 0, maybe
	default:
		return n, yes
	}
}

// invents says whether s, which stands behind a call, is the result of a call:
// the model has gone on without waiting for it.
func invents(s string, tools map[string]bool) verdict {
	n, v := prefix(s, []string{resultOf, errorFrom})
	if v != yes {
		return v
	}
	name, _, ok := strings.Cut(s[n:], ":")
	switch {
	case ok && tools[name]:
		return yes
	case ok || len(name) > maxName || strings.ContainsAny(name, blank):
		return no
	}
	return maybe
}

const maxName = 128

// meant says whether an object that cannot be read was to be a call: it begins
// as one, and names a tool that there is.
func meant(held string, o opening, tools map[string]bool) bool {
	if o.behind > len(held) {
		return false
	}
	rest := held[o.behind:]
	if strings.HasPrefix(o.key, "tool_call") || o.key == "function_call" {
		return mentions(rest, tools)
	}
	rest = strings.TrimLeft(rest, blank)
	for name := range tools {
		for _, q := range [...]struct{ begin, end string }{{`"`, `"`}, {`'`, `'`}, {"“", "”"}, {}} {
			after, ok := strings.CutPrefix(rest, q.begin+name+q.end)
			if ok && (after == "" || q.end != "" || !nameByte(after[0])) {
				return true
			}
		}
	}
	return false
}

// mentions reports whether a word of s is a tool's name.
func mentions(s string, tools map[string]bool) bool {
	for i := 0; i < len(s); {
		n := i
		for n < len(s) && nameByte(s[n]) {
			n++
		}
		if tools[s[i:n]] {
			return true
		}
		i = n + 1
	}
	return false
}

func nameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.' || c == ':'
}
