package profile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/workspace"
)

// zone is the directories that programs may change. A path that leads through a link in there counts only if it ends in there, too: a program could
// have made the link, to have later ones change or read its target.
type zone struct {
	resolver
	dirs []string // without links
}

// newZone returns the zone of directories, with the paths of lists as far as they count.
func newZone(r resolver, dirs []string, lists ...[]string) *zone {
	z := &zone{r, r.real(dirs)}
	paths := slices.Concat(lists...)
	slices.SortStableFunc(paths, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") }) // what is above others comes first
	for _, path := range paths {
		if z.admits(path) {
			z.dirs = append(z.dirs, r.resolve(filepath.Clean(path)).path)
		}
	}
	return z
}

// admitted returns the paths that count.
func (z *zone) admitted(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !z.admits(path) })
}

// has reports whether a path without links is in the zone.
func (z *zone) has(path string) bool {
	return slices.ContainsFunc(z.dirs, func(dir string) bool { return workspace.IsWithin(path, dir) })
}

// maxLinks limits the links that a path leads through.
const maxLinks = 40

// admits reports whether a path counts.
func (z *zone) admits(path string) bool {
	path = filepath.Clean(path)
	if !filepath.IsAbs(path) {
		return false
	}
	if z.resolve(path).path == path {
		return true
	}
	here, rest := "/", strings.Split(path[1:], "/")
	for links, isInside := 0, false; links < maxLinks; {
		if len(rest) == 0 {
			return !isInside || z.has(here)
		}
		next := filepath.Join(here, rest[0])
		rest = rest[1:]
		target, err := os.Readlink(next)
		if err != nil {
			here = next
			continue
		}
		links++
		isInside = isInside || z.has(here)
		if filepath.IsAbs(target) {
			here = "/"
		}
		rest = append(strings.FieldsFunc(target, func(r rune) bool { return r == '/' }), rest...)
	}
	return false
}
