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

// newZone returns the zone of these paths, as far as they count. The order of the paths does not matter: one with links counts when it is certain that none of
// those that are still to be decided on has its links in it.
func newZone(r resolver, lists ...[]string) *zone {
	z := &zone{resolver: r}
	var open []way
	for _, path := range slices.Concat(lists...) {
		switch w := r.way(path); {
		case !filepath.IsAbs(path):
		case len(w.links) == 0:
			z.dirs = append(z.dirs, w.path)
		default:
			open = append(open, w)
		}
	}
	for isChanged := true; isChanged; {
		isChanged = false
		for i := 0; i < len(open); i++ {
			w := open[i]
			rest := slices.Delete(slices.Clone(open), i, i+1)
			isOfOther := func(link string) bool {
				return slices.ContainsFunc(rest, func(other way) bool { return workspace.IsWithin(filepath.Dir(link), other.path) })
			}
			switch {
			case z.hasOne(w.links): // see follow
			case slices.ContainsFunc(w.links, isOfOther):
				continue
			default:
				z.dirs = append(z.dirs, w.path)
			}
			open, isChanged = rest, true
			i--
		}
	}
	return z
}

// LeftOut returns those of some paths that lead elsewhere through a link which programs could have made, and so give them nothing.
func (p *Place) LeftOut(paths []string) (list []string) {
	r := resolver{}
	var z *zone
	for _, path := range paths {
		if !filepath.IsAbs(path) || len(r.way(path).links) == 0 {
			continue
		}
		if z == nil {
			z, _, _ = p.zone(r)
		}
		if !z.admits(path) {
			list = append(list, path)
		}
	}
	return list
}

// has reports whether a path without links is in the zone.
func (z *zone) has(path string) bool {
	return slices.ContainsFunc(z.dirs, func(dir string) bool { return workspace.IsWithin(path, dir) })
}

// hasOne reports whether one of some links is in a directory of the zone.
func (z *zone) hasOne(links []string) bool {
	return slices.ContainsFunc(links, func(link string) bool { return z.has(filepath.Dir(link)) })
}

// follow returns where a path leads, and whether it counts.
func (z *zone) follow(path string) (way, bool) {
	w := z.way(path)
	return w, filepath.IsAbs(path) && (!z.hasOne(w.links) || z.has(w.path))
}

// admits reports whether a path counts.
func (z *zone) admits(path string) bool {
	_, ok := z.follow(path)
	return ok
}

// existing returns where the paths that count lead, each once. Those that do not exist are left out unless isAll is set.
func (z *zone) existing(paths []string, isAll bool) (list []string) {
	for _, path := range paths {
		if w, ok := z.follow(path); ok && (w.exists || isAll) && !slices.Contains(list, w.path) {
			list = append(list, w.path)
		}
	}
	return list
}

// links returns the links in the zone that paths lead through.
func (z *zone) links(paths []string) (list []string) {
	for _, path := range paths {
		for _, link := range z.way(path).links {
			if z.has(filepath.Dir(link)) && !slices.Contains(list, link) {
				list = append(list, link)
			}
		}
	}
	return list
}

// way is where a path leads.
type way struct {
	path   string // without links
	exists bool
	links  []string // that it leads through
}

// maxLinks limits the links that a path leads through.
const maxLinks = 40

// way follows a path. It decides and resolves in one go: the links may change at any time.
func (r resolver) way(path string) way {
	path = filepath.Clean(path)
	if found := r.resolve(path); found.path == path {
		return way{path: path, exists: found.exists}
	}
	w := way{path: "/"}
	for rest := split(path); len(rest) > 0; {
		next := filepath.Join(w.path, rest[0])
		rest = rest[1:]
		target, err := os.Readlink(next)
		if err != nil {
			w.path = next
			continue
		}
		if w.links = append(w.links, next); len(w.links) > maxLinks {
			return way{path: path, links: w.links}
		}
		if filepath.IsAbs(target) {
			w.path = "/"
		}
		rest = append(split(target), rest...)
	}
	_, err := os.Lstat(w.path)
	w.exists = err == nil
	return w
}

// split returns the names in a path.
func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}
