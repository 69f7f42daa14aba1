// Package index parses the index of a git repository: the list of tracked files, with the id of the content of
// each and the state of the file in which git last saw that content. It reads versions 2 to 4, with SHA-1 and SHA-256.
package index

import (
	"path/filepath"
	"sort"
	"strings"
)

// Index is a parsed index. It is not changed after [Parse], so it may be used from several goroutines at once.
type Index struct {
	text    string // the file
	names   string // where the names are: in the file, unless it shortens them
	hash    int    // bytes
	entries []span
}

// span has the offsets of an entry in the text, and of its name in the names.
type span struct{ at, name, end uint32 }

// Entry is a file in an index. A file in conflict has several entries.
type Entry struct {
	Name string // relative to the top directory of the work tree, with slashes; any bytes but NUL
	// Changed and Modified are the times of the last change of the file, and of its content. Programs other than
	// git may leave Changed 0.
	Changed, Modified Time
	Inode             uint32 // the lower half
	Mode              uint32 // the type of the file, as Unix numbers it, and 0644 or 0755
	Size              uint32 // of the file in the work tree, modulo 4 GiB
	Hash              string // the id of the content, binary
	// IsSkipped reports whether git does not look at the file, because the user has said so. IsOpen reports
	// whether the content is not settled: a file that is in conflict, or to be added later.
	IsSkipped, IsOpen bool
}

// Time is a time of a file. Nanoseconds are 0 if the index has only seconds.
type Time struct{ Seconds, Nanoseconds uint32 }

// Bits of [Entry.Mode], and types of files.
const (
	TypeMask = 0o170000
	Link     = 0o120000
	Regular  = 0o100000
)

// Bits of an entry's flags.
const (
	assumeValid  = 0x8000
	extended     = 0x4000
	stage        = 0x3000
	skipWorktree = 0x4000 // of the extended flags
	intentToAdd  = 0x2000
)

// header is the size of the part before the entries, and stat that of the part of an entry before its hash.
const (
	header = 12
	stat   = 40
)

// maxNames limits the size of the names of version 4 in full, in bytes: that of an index is never close to it, but a
// damaged one could have any.
func maxNames(size int) int { return min(32*size, 1<<31) }

// Parse parses an index whose hashes have a number of bytes, 20 or 32. It is not ok if the index has another form: one
// that is damaged, or a split index, which has only a part of the files.
func Parse(data []byte, hash int) (x *Index, ok bool) {
	if len(data) < header || string(data[:4]) != "DIRC" || uint64(len(data)) > 1<<31 {
		return nil, false
	}
	x = &Index{text: string(data), hash: hash}
	version, count := x.uint32(4), x.uint32(8)
	if version < 2 || version > 4 || int64(count)*int64(stat+hash+2) > int64(len(data)) {
		return nil, false
	}
	x.entries = make([]span, 0, count)
	end, ok := 0, false
	if version == 4 {
		end, ok = x.parseShortened(int(count))
	} else {
		end, ok = x.parsePadded(int(count))
	}
	if !ok || !x.isSorted() || !x.isWhole(end) {
		return nil, false
	}
	return x, true
}

// parsePadded parses the entries of versions 2 and 3, and returns the offset of their end.
func (x *Index) parsePadded(count int) (end int, ok bool) {
	x.names = x.text
	at := header
	for range count {
		name, ok := x.nameOffset(at)
		if !ok {
			return 0, false
		}
		size := strings.IndexByte(x.text[name:], 0)
		if size < 0 {
			return 0, false
		}
		x.entries = append(x.entries, span{uint32(at), uint32(name), uint32(name + size)})
		if at += (name + size - at + 8) &^ 7; at > len(x.text) {
			return 0, false
		}
	}
	return at, true
}

// parseShortened parses the entries of version 4, whose names begin with a part of the previous one. It returns the offset
// of their end.
func (x *Index) parseShortened(count int) (end int, ok bool) {
	var names []byte
	at, previous := header, 0 // the offset of the previous name
	for range count {
		name, ok := x.nameOffset(at)
		if !ok {
			return 0, false
		}
		drop, n := offset(x.text[name:])
		if n == 0 || drop > len(names)-previous {
			return 0, false
		}
		rest := x.text[name+n:]
		size := strings.IndexByte(rest, 0)
		if size < 0 {
			return 0, false
		}
		begin := len(names)
		names = append(names, names[previous:begin-drop]...)
		names = append(names, rest[:size]...)
		if len(names) > maxNames(len(x.text)) {
			return 0, false
		}
		x.entries = append(x.entries, span{uint32(at), uint32(begin), uint32(len(names))})
		at, previous = name+n+size+1, begin
	}
	x.names = string(names)
	return at, true
}

// nameOffset returns the offset of the name of the entry at an offset, which has at least one byte.
func (x *Index) nameOffset(at int) (offset int, ok bool) {
	name := at + stat + x.hash + 2
	if name+2 > len(x.text) {
		return 0, false
	}
	if x.uint16(name-2)&extended != 0 {
		name += 2
	}
	return name, name < len(x.text)
}

// offset decodes a number in git's variable length, and returns its size, 0 if it is not one.
func offset(s string) (n, size int) {
	for size < len(s) && size < 5 {
		c := s[size]
		size++
		if n = n<<7 | int(c&0x7f); c&0x80 == 0 {
			return n, size
		}
		n++
	}
	return 0, 0
}

// isSorted reports whether the names are paths in the work tree, in ascending order, as [Index.Find] needs them. Only a
// file in conflict may have several entries.
func (x *Index) isSorted() bool {
	previous := ""
	for i := range x.entries {
		name := x.Name(i)
		isTwice := name == previous && !x.Entry(i).IsOpen
		if name < previous || isTwice || !filepath.IsLocal(filepath.FromSlash(name)) {
			return false
		}
		previous = name
	}
	return true
}

// isWhole reports whether the extensions after the entries do not change their meaning. Those whose names begin with
// a capital letter are optional. A sparse index (sdir) has directories in place of the files that are not in the work tree.
func (x *Index) isWhole(at int) bool {
	for len(x.text)-at > x.hash {
		if len(x.text)-at < 8 {
			return false
		}
		name, size := x.text[at:at+4], int64(x.uint32(at+4))
		if (name[0] < 'A' || name[0] > 'Z') && name != "sdir" || size > int64(len(x.text)-at-8) {
			return false
		}
		at += 8 + int(size)
	}
	return len(x.text)-at == x.hash
}

// Len returns the number of entries.
func (x *Index) Len() int { return len(x.entries) }

// Name returns the name of an entry; see [Entry].
func (x *Index) Name(i int) string { return x.names[x.entries[i].name:x.entries[i].end] }

// Entry returns an entry. Entries are in ascending order of their names.
func (x *Index) Entry(i int) Entry {
	at := int(x.entries[i].at)
	flags := x.uint16(at + stat + x.hash)
	e := Entry{
		Name:     x.Name(i),
		Changed:  Time{x.uint32(at), x.uint32(at + 4)},
		Modified: Time{x.uint32(at + 8), x.uint32(at + 12)},
		Inode:    x.uint32(at + 20), Mode: x.uint32(at + 24), Size: x.uint32(at + 36),
		Hash:      x.text[at+stat : at+stat+x.hash],
		IsSkipped: flags&assumeValid != 0, IsOpen: flags&stage != 0,
	}
	if flags&extended != 0 {
		more := x.uint16(at + stat + x.hash + 2)
		e.IsSkipped, e.IsOpen = e.IsSkipped || more&skipWorktree != 0, e.IsOpen || more&intentToAdd != 0
	}
	return e
}

// Find returns the first entry with a name, and whether there is one.
func (x *Index) Find(name string) (i int, ok bool) {
	i = sort.Search(len(x.entries), func(i int) bool { return x.Name(i) >= name })
	return i, i < len(x.entries) && x.Name(i) == name
}

// IsEqual reports whether two indexes have the same files with the same contents, whatever the states are in which git has
// last seen them. Git writes these again when it only looks.
func (x *Index) IsEqual(o *Index) bool {
	if x.hash != o.hash || len(x.entries) != len(o.entries) {
		return false
	}
	for i := range x.entries {
		a, b := int(x.entries[i].at), int(o.entries[i].at)
		isSame := x.Name(i) == o.Name(i) && x.uint32(a+24) == o.uint32(b+24) &&
			x.text[a+stat:a+stat+x.hash] == o.text[b+stat:b+stat+o.hash] && x.flags(a) == o.flags(b)
		if !isSame {
			return false
		}
	}
	return true
}

// flags returns the flags of the entry at an offset, without the length of the name.
func (x *Index) flags(at int) uint32 {
	at += stat + x.hash
	flags := uint32(x.uint16(at)) & (assumeValid | stage)
	if x.uint16(at)&extended != 0 {
		flags |= uint32(x.uint16(at+2)&(skipWorktree|intentToAdd)) << 16
	}
	return flags
}

func (x *Index) uint16(at int) uint16 { return uint16(x.text[at])<<8 | uint16(x.text[at+1]) }

func (x *Index) uint32(at int) uint32 {
	s := x.text[at : at+4]
	return uint32(s[0])<<24 | uint32(s[1])<<16 | uint32(s[2])<<8 | uint32(s[3])
}
