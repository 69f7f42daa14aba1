package gitstate

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"pollux/internal/durable"
)

// entry is a file in the index.
type entry struct {
	name       string
	sec, nsec  uint32 // of the last change
	mode, size uint32
	hash       [sha1.Size]byte
	// isSkipped reports whether git does not compare the file. isOpen reports whether it is added
	// without content, or in conflict.
	isSkipped, isOpen bool
}

// Bits of an entry's flags.
const (
	assumeValid  = 0x8000
	extended     = 0x4000
	stage        = 0x3000
	skipWorktree = 0x4000 // of the extended flags
	intentToAdd  = 0x2000
)

// fixed is the size of an entry without extended flags and name.
const fixed = 62

// parse returns the entries of an index of version 2, 3 or 4. It is not ok if the index has another
// form.
func parse(data []byte) (entries []entry, ok bool) {
	if len(data) < 12 || string(data[:4]) != "DIRC" {
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 || int64(count)*fixed > int64(len(data)) {
		return nil, false
	}
	entries = make([]entry, 0, count)
	previous := ""
	for rest := data[12:]; count > 0; count-- {
		if len(rest) < fixed+2 {
			return nil, false
		}
		at := func(i int) uint32 { return binary.BigEndian.Uint32(rest[i:]) }
		e := entry{sec: at(8), nsec: at(12), mode: at(24), size: at(36)}
		copy(e.hash[:], rest[40:])
		flags, n := binary.BigEndian.Uint16(rest[60:]), fixed
		e.isSkipped, e.isOpen = flags&assumeValid != 0, flags&stage != 0
		if flags&extended != 0 {
			more := binary.BigEndian.Uint16(rest[n:])
			e.isSkipped, e.isOpen = e.isSkipped || more&skipWorktree != 0, e.isOpen || more&intentToAdd != 0
			n += 2
		}
		if version == 4 { // the name begins with a part of the previous one
			drop, size := offset(rest[n:])
			if size == 0 || drop > len(previous) {
				return nil, false
			}
			e.name = previous[:len(previous)-drop]
			n += size
		}
		end := bytes.IndexByte(rest[n:], 0)
		if end < 0 {
			return nil, false
		}
		e.name += string(rest[n : n+end])
		n += end + 1
		if version < 4 {
			n = (n + 7) &^ 7
		}
		if n > len(rest) || !filepath.IsLocal(filepath.FromSlash(e.name)) {
			return nil, false
		}
		previous, rest = e.name, rest[n:]
		entries = append(entries, e)
	}
	return entries, true
}

// offset decodes a number in git's variable length, and returns its size, 0 if it is not one.
func offset(b []byte) (n, size int) {
	for size < len(b) && size < 5 {
		c := b[size]
		size++
		if n = n<<7 | int(c&0x7f); c&0x80 == 0 {
			return n, size
		}
		n++
	}
	return 0, 0
}

// isChanged reports whether the file in the directory top differs from the index, which was written
// at a time. Like git, it compares the content only if the size is the same and the time says
// nothing.
func (e *entry) isChanged(top string, written time.Time) bool {
	const (
		typeMask = 0o170000
		link     = 0o120000
		regular  = 0o100000
	)
	switch {
	case e.isOpen:
		return true
	case e.isSkipped, e.mode&typeMask != link && e.mode&typeMask != regular: // a submodule or a directory
		return false
	}
	path := top + string(filepath.Separator) + filepath.FromSlash(e.name)
	info, err := os.Lstat(path)
	if err != nil {
		return os.IsNotExist(err)
	}
	isLink := info.Mode()&fs.ModeSymlink != 0
	if isLink != (e.mode&typeMask == link) || !isLink && !info.Mode().IsRegular() {
		return filepath.Separator == '/' // other systems may have no links
	}
	at := info.ModTime()
	isSame := uint32(at.Unix()) == e.sec && (e.nsec == 0 || uint32(at.Nanosecond()) == e.nsec)
	if uint32(info.Size()) == e.size && isSame && at.Before(written) {
		return false
	}
	if uint32(info.Size()) != e.size && e.size != 0 {
		return true
	}
	return !e.hasContent(path, isLink)
}

// maxContent is the size in bytes up to which contents are compared.
const maxContent = 256 << 10

// hasContent reports whether the file has the content in the index.
func (e *entry) hasContent(path string, isLink bool) bool {
	var content []byte
	if isLink {
		target, err := os.Readlink(path)
		if err != nil {
			return false
		}
		content = []byte(target)
	} else {
		var err error
		if content, err = durable.ReadFile(path, maxContent); err != nil {
			return false
		}
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return [sha1.Size]byte(h.Sum(nil)) == e.hash
}
