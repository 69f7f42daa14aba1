package openai

import (
	"strconv"
	"strings"

	"pollux/llm/httpwire"
)

// maxID is the longest call id that every service accepts, in bytes.
const maxID = 40

// WireID implements [chatwire.Form]. It removes the tool's name from the front
// of id and replaces ids that some services reject. A call without an id gets
// one derived from name; the nth result with that id belongs to the nth call.
func (t *traits) WireID(id, name string) string {
	id = strings.TrimPrefix(id, name+"__")
	switch {
	case t.NameIDs:
		id = wireName(name)
	case id == "":
		id = "call_" + name
	}
	switch {
	case t.ShortIDs:
		return shortID(id)
	case len(id) > maxID || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '\\' }):
		return "call_" + strconv.FormatUint(hash(id), 16)
	}
	return id
}

// alternateID returns the nth replacement for an id that is already used.
func (t *traits) alternateID(id string, n int) string {
	next := id + "_" + strconv.Itoa(n)
	switch {
	case t.ShortIDs:
		return shortID(next)
	case len(next) > maxID:
		return "call_" + strconv.FormatUint(hash(next), 16)
	}
	return next
}

// shortID returns id if it consists of nine letters and digits, otherwise a
// hash of it that does.
func shortID(id string) string {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	isShort := len(id) == 9
	for i := 0; isShort && i < len(id); i++ {
		isShort = strings.IndexByte(alphabet, id[i]) >= 0
	}
	if isShort {
		return id
	}
	var short [9]byte
	for h, i := hash(id), 0; i < len(short); i++ {
		short[i] = alphabet[h%uint64(len(alphabet))]
		h /= uint64(len(alphabet))
	}
	return string(short[:])
}

// hash returns the FNV-1a hash of s. It is the same in every process, so that
// repeated requests match the service's prompt cache.
func hash[T string | []byte](s T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// idSet is the set of call ids in a conversation, stored as hashes. A collision
// is unlikely and only renames an id that was unique.
type idSet map[uint64]struct{}

// add returns id, or a replacement if the set already contains it, and adds the
// result to the set.
func (s idSet) add(t *traits, id []byte) []byte {
	wire := id
	for n := 2; ; n++ {
		h := hash(wire)
		if _, isUsed := s[h]; !isUsed {
			s[h] = struct{}{}
			return wire
		}
		wire = []byte(t.alternateID(string(id), n))
	}
}

// maxName is the longest tool name that services accept, in bytes.
const maxName = 64

// wireName returns name in a form that services accept. A changed name ends in
// a hash of the original.
func wireName(name string) string { return httpwire.CleanName(name, maxName) }
