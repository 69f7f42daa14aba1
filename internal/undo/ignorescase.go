package undo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"pollux/internal/undo/state"
)

// ignoresCase reports whether names in a directory that differ in case only are those of one file, as far as its entries show. A watch
// there has names as programs write them, not as they are in the directory.
func ignoresCase(dir string) bool {
	d, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer d.Close()
	const enough = 100
	names, _ := d.Readdirnames(enough) // fewer at the end
	for _, name := range names {
		other := strings.Map(swapCase, name)
		if other == name || slices.Contains(names, other) {
			continue
		}
		a, err := state.Read(filepath.Join(dir, name))
		b, otherErr := state.Read(filepath.Join(dir, other))
		return err == nil && otherErr == nil && a.Kind != state.Absent && a.IsSame(b) && a.Inode == b.Inode && a.Device == b.Device
	}
	return false
}

func swapCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}
