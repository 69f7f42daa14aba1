package workspace

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Spelled returns a clean absolute path as the disk has it: a name that does not exist stands for the one in its directory that
// looks the same, if there is exactly one. Such are names with accents or Hangul from macOS, which decomposes them, and those
// with other spaces than the usual one: a model, and a keyboard, write é and a space as one and the same character.
func (w *Workspace) Spelled(abs string) string {
	dir := abs
	var missing []string // the last one first
	for !w.exists(dir) {
		if len(dir) > maxPath || dir == filepath.Dir(dir) {
			return abs
		}
		dir, missing = filepath.Dir(dir), append(missing, filepath.Base(dir))
	}
	for i, name := range slices.Backward(missing) {
		found := w.alike(dir, name)
		if found == "" {
			slices.Reverse(missing[:i+1])
			return filepath.Join(dir, filepath.Join(missing[:i+1]...))
		}
		dir = filepath.Join(dir, found)
	}
	return dir
}

// alike returns the only name in a directory that looks the same as this one, or "".
func (w *Workspace) alike(dir, name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r == ' ' || r >= utf8.RuneSelf }) {
		return ""
	}
	entries, err := w.Disk().ReadDir(dir)
	if err != nil {
		return ""
	}
	want, found := looks(name), ""
	for _, e := range entries {
		switch {
		case looks(e.Name()) != want:
		case found != "":
			return ""
		default:
			found = e.Name()
		}
	}
	return found
}

// looks returns the same for names that look the same.
func looks(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Zs, r) {
			return ' '
		}
		return r
	}, norm.NFC.String(name))
}
