package httpwire

import (
	"hash/fnv"
	"io"
	"strconv"
	"strings"
)

// CleanName returns name if it is valid for a service that accepts at most limit of
// the characters [a-zA-Z0-9_-], else its valid characters and a hash, which is the same
// in every process.
func CleanName(name string, limit int) string {
	if name != "" && len(name) <= limit && !strings.ContainsFunc(name, isInvalidChar) {
		return name
	}
	h := fnv.New64a()
	_, _ = io.WriteString(h, name) // cannot fail
	suffix := "_" + strconv.FormatUint(h.Sum64(), 36)
	kept := strings.Map(func(r rune) rune {
		if isInvalidChar(r) {
			return '_'
		}
		return r
	}, name)
	return kept[:min(len(kept), limit-len(suffix))] + suffix
}

// CalledName returns the name of the tool that a model calls, as its server has read it: without white space around it, and
// without a token of the model behind it, as in read_file<|channel|>commentary.
func CalledName(name string) string {
	before, _, _ := strings.Cut(name, "<|")
	if before = strings.TrimSpace(before); before != "" {
		return before
	}
	return strings.TrimSpace(name)
}

// isInvalidChar reports whether r is not in [a-zA-Z0-9_-].
func isInvalidChar(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
}
