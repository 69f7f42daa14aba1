package openai

import (
	"strconv"
	"strings"
)

// maxID is the longest id that every service takes.
const maxID = 40

// WireID implements [chatwire.Form]: a call's id is sent without the tool's name
// that ids carry inside, and as one that every service takes. Calls without an id get
// one of the tool's name; the nth response of it answers the nth call.
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

// another returns the nth id to try where id is taken.
func (t *traits) another(id string, n int) string {
	next := id + "_" + strconv.Itoa(n)
	switch {
	case t.ShortIDs:
		return shortID(next)
	case len(next) > maxID:
		return "call_" + strconv.FormatUint(hash(next), 16)
	}
	return next
}

// shortID returns id if it is nine letters and digits, else nine that stand for it.
func shortID(id string) string {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	fits := len(id) == 9
	for i := 0; fits && i < len(id); i++ {
		fits = strings.IndexByte(alphabet, id[i]) >= 0
	}
	if fits {
		return id
	}
	var short [9]byte
	for h, i := hash(id), 0; i < len(short); i++ {
		short[i] = alphabet[h%uint64(len(alphabet))]
		h /= uint64(len(alphabet))
	}
	return string(short[:])
}

// hash is FNV-1a, which is the same in every run: what is sent must be, or the
// service's prompt cache is lost.
func hash[T string | []byte](s T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// idSet holds the ids of a conversation, by their hashes: that two of them have
// the same one is unlikely, and does no more than give one a needless new name.
type idSet struct {
	slots []uint64 // a power of two of them, at most half in use; 0 is free
	used  int
}

// add returns id, or one like it where it is taken.
func (s *idSet) add(t *traits, id []byte) []byte {
	wire := id
	for n := 2; !s.insert(max(hash(wire), 1)); n++ {
		wire = []byte(t.another(string(id), n))
	}
	return wire
}

// insert reports whether h is new.
func (s *idSet) insert(h uint64) bool {
	if 2*s.used >= len(s.slots) {
		old := s.slots
		s.slots = make([]uint64, max(2*len(old), 64))
		for _, h := range old {
			if h != 0 {
				s.slots[s.find(h)] = h
			}
		}
	}
	i := s.find(h)
	if s.slots[i] == h {
		return false
	}
	s.slots[i] = h
	s.used++
	return true
}

// find returns the slot that holds h, or the free one where it belongs.
func (s *idSet) find(h uint64) int {
	mask := uint64(len(s.slots) - 1)
	i := h & mask
	for s.slots[i] != 0 && s.slots[i] != h {
		i = (i + 1) & mask
	}
	return int(i)
}

// maxName is the longest name of a tool.
const maxName = 64

// wireName is a tool's name as the service accepts it.
func wireName(name string) string {
	bad := func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}
	if len(name) <= maxName && name != "" && !strings.ContainsFunc(name, bad) {
		return name
	}
	clean := strings.Map(func(r rune) rune {
		if bad(r) {
			return '_'
		}
		return r
	}, name)
	mark := "_" + strconv.FormatUint(hash(name), 36)
	return clean[:min(len(clean), maxName-len(mark))] + mark
}
