package patch

import (
	"fmt"
	"strconv"
	"strings"
)

// Summary is the extent of a patch.
type Summary struct {
	Files []File
	// LeftOut is the number of files that git cannot have in a patch, or that are too large for one.
	LeftOut int
	// Outside is the number of files without a name in the patch.
	Outside int
}

// Kind is the kind of a change.
type Kind uint8

// The kinds.
const (
	Changed Kind = iota
	Created
	Deleted
)

// File is a file in a patch.
type File struct {
	Name           string
	Kind           Kind
	IsBinary       bool
	Added, Removed int // lines
}

// merged returns the change of a path that is deleted and created again as something else, of which one may be a directory.
func merged(parts []File) File {
	f := File{Name: parts[0].Name, Kind: Changed}
	for _, part := range parts {
		f.IsBinary = f.IsBinary || part.IsBinary
		f.Added, f.Removed = f.Added+part.Added, f.Removed+part.Removed
	}
	return f
}

// Lines returns the numbers of lines that were added and removed in all files.
func (s *Summary) Lines() (added, removed int) {
	for _, f := range s.Files {
		added, removed = added+f.Added, removed+f.Removed
	}
	return added, removed
}

// barWidth is the length of the longest bar.
const barWidth = 30

// Rows returns a row for each file: its name, the number of its lines that differ, and a bar of their signs.
func (s *Summary) Rows() (rows [][]string) {
	most := 0
	for _, f := range s.Files {
		most = max(most, f.Added+f.Removed)
	}
	for _, f := range s.Files {
		n := f.Added + f.Removed
		row := []string{f.Name, strconv.Itoa(n), f.bar(most)}
		if f.IsBinary {
			row[1] = "binary"
		}
		rows = append(rows, row)
	}
	return rows
}

// bar returns the signs of a file, in proportion to the largest number of lines of one.
func (f File) bar(most int) string {
	added, removed := f.Added, f.Removed
	if most > barWidth {
		added, removed = scaled(added, most), scaled(removed, most)
	}
	bar := strings.Repeat("+", added) + strings.Repeat("-", removed)
	switch f.Kind {
	case Created:
		bar = strings.TrimSpace(fmt.Sprintf("%s new", bar))
	case Deleted:
		bar = strings.TrimSpace(fmt.Sprintf("%s deleted", bar))
	}
	return bar
}

// scaled returns at least one sign for a number that is not 0.
func scaled(n, most int) int {
	if n == 0 {
		return 0
	}
	return max(1, n*barWidth/most)
}
