package memory

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/workspace"
)

// seenFile is a file that was read: its path, its description at that time, and the directory
// that it describes, "" for none.
type seenFile struct {
	path string
	info fs.FileInfo
	dir  string
	tier Tier
	// sum is the checksum of the text without imports; zero if the text does not count.
	sum [sha256.Size]byte
	// file is the index of the memory file that has the content, -1 for none.
	file int
}

func newSeen(c candidate, got content, file int) seenFile {
	s := seenFile{path: c.path, info: got.info, dir: c.dir, tier: c.tier, file: file}
	if text := strings.TrimSpace(got.text); text != "" {
		s.sum = sha256.Sum256([]byte(text))
	} else {
		s.file = -1
	}
	return s
}

// is reports whether info describes the same file, under this or another name. The system
// may give the number of a deleted file to a new one, so equal numbers count only if the path
// still leads to the file, or if the file was moved without a change.
func (s *seenFile) is(info fs.FileInfo) bool {
	if !os.SameFile(s.info, info) {
		return false
	}
	now, err := os.Stat(s.path)
	return err == nil && os.SameFile(now, info) || s.info.Size() == info.Size() && s.info.ModTime().Equal(info.ModTime())
}

// isCopy reports whether other has the same text for a directory that s describes already. Copies
// in directories side by side are not copies of each other: each describes its own.
func (s *seenFile) isCopy(other *seenFile) bool {
	return s.sum != [sha256.Size]byte{} && s.sum == other.sum && s.dir != "" && other.dir != "" &&
		(s.tier == Global || workspace.IsWithin(other.dir, s.dir))
}

// isLoaded reports whether the content of a candidate is loaded already: as the same file, as a
// copy, or as the file that is all it imports. The loaded file then notes the path.
func (l *loaded) isLoaded(c candidate, got content) bool {
	this := newSeen(c, got, -1)
	at := slices.IndexFunc(l.seen, func(s seenFile) bool { return s.is(got.info) || s.isCopy(&this) })
	if at < 0 {
		at = l.soleImport(c, got)
	}
	if at < 0 {
		return false
	}
	if i := l.seen[at].file; i >= 0 && l.files[i].Path != c.path {
		l.files[i].Same = append(l.files[i].Same, c.path)
	}
	return true
}

// soleImport returns the index of the seen file whose import is the whole text of a candidate, -1
// if there is none.
func (l *loaded) soleImport(c candidate, got content) int {
	text := strings.TrimSpace(got.text)
	if spans := imports(text); len(spans) != 1 || spans[0] != (span{0, len(text)}) {
		return -1
	}
	im := l.importer(&File{}, got, c)
	next, err := im.open(text[1:], filepath.Dir(c.path))
	if err != nil {
		return -1
	}
	return slices.IndexFunc(l.seen, func(s seenFile) bool { return s.file >= 0 && s.is(next.info) })
}

// hasFile reports whether info describes a memory file that is loaded, or that an import has included.
func (l *loaded) hasFile(info fs.FileInfo) bool {
	return slices.ContainsFunc(l.seen, func(s seenFile) bool { return s.file >= 0 && s.is(info) })
}

// noteImport notes that the memory file that is being read includes another one, which then is not
// loaded again.
func (l *loaded) noteImport(got imported) {
	if slices.Contains(l.Names.All(), filepath.Base(got.abs)) {
		l.seen = append(l.seen, seenFile{path: got.abs, info: got.info, file: len(l.files)})
	}
}
