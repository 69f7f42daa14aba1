package anthropic

import (
	"bytes"
	"hash/fnv"
	"strconv"
	"strings"
	"unicode/utf8"

	"pollux/llm"
)

// The service takes [a-zA-Z0-9_-] for the names of tools and the ids of calls.
// What has other characters gets a name made of it, always the same: so a result
// finds its call, and the answer's tool the declared one (see declared).
const (
	maxName = 64 // 128 with newer versions of the service
	maxID   = 64
)

// toolName is a tool's name as the service knows it.
func toolName(name string) string { return plain(name, maxName) }

// callID is a call's id as the service knows it: inside, ids carry the tool's name.
func callID(id, name string) string {
	if len(id) > len(name)+2 && id[len(name):len(name)+2] == "__" && strings.HasPrefix(id, name) {
		id = id[len(name)+2:]
	}
	if id == "" {
		id = name
	}
	return plain(id, maxID)
}

// plain returns s if it needs no change, else what can be kept of it and a hash.
func plain(s string, limit int) string {
	if s != "" && len(s) <= limit && !strings.ContainsFunc(s, isOdd) {
		return s
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // cannot fail
	sum := strconv.FormatUint(h.Sum64(), 36)
	kept := strings.Map(func(r rune) rune {
		if isOdd(r) {
			return '_'
		}
		return r
	}, s)
	return kept[:min(len(kept), limit-len(sum)-1)] + "_" + sum
}

func isOdd(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
}

// declared returns the name under which the caller knows a tool.
func declared(sets []*llm.ToolSet, name string) string {
	renamed := name
	for _, set := range sets {
		for i := range set.Functions {
			switch known := set.Functions[i].Name; {
			case known == name:
				return name
			case toolName(known) == name:
				renamed = known
			}
		}
	}
	return renamed
}

// sound returns valid JSON in which every string can be one of UTF-8: half a
// surrogate pair, which models do write, makes the service refuse the request.
func sound(raw []byte) []byte {
	if utf8.Valid(raw) && !bytes.Contains(raw, []byte(`\u`)) {
		return raw
	}
	var out []byte
	for i := 0; i < len(raw); {
		switch r, n := utf8.DecodeRune(raw[i:]); {
		case r == utf8.RuneError && n == 1:
			out = append(out, "\uFFFD"...)
			i++
		case raw[i] != '\\' || i+1 == len(raw):
			out = append(out, raw[i:i+n]...)
			i += n
		case surrogate(raw[i:], "dD", "89abAB") && surrogate(raw[i+6:], "dD", "cdefCDEF"):
			out = append(out, raw[i:i+12]...)
			i += 12
		case surrogate(raw[i:], "dD", "89abcdefABCDEF"):
			out = append(out, `\ufffd`...)
			i += 6
		default:
			out = append(out, raw[i:i+2]...)
			i += 2
		}
	}
	return out
}

// surrogate reports whether s begins with \uXY.. for an X of first and a Y of second.
func surrogate(s []byte, first, second string) bool {
	return len(s) >= 6 && s[0] == '\\' && s[1] == 'u' &&
		strings.IndexByte(first, s[2]) >= 0 && strings.IndexByte(second, s[3]) >= 0
}
