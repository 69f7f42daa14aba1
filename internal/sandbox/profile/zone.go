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
	ways map[string]way // that are known
	dirs []string       // without links
}

// newZone returns the zone of these paths, as far as they count. The order of the paths does not matter: one with links counts when it is certain that none of
// those that are still to be decided on has its links in it.
func newZone(r resolver, lists ...[]string) *zone {
	z := &zone{resolver: r, ways: map[string]way{}}
	var open []way
	for _, path := range slices.Concat(lists...) {
		switch w := z.way(path); {
		case !filepath.IsAbs(path):
		case len(w.links) == 0:
			z.dirs = append(z.dirs, w.path)
		default:
			open = append(open, w)
		}
	}
	// Mostly, all paths with links share one, that of the home directory: each directory with links is compared with each path once.
	holders := map[string]int{} // the number of open paths that a directory with a link is in
	for _, w := range open {
		for _, link := range w.links {
			holders[filepath.Dir(link)] = 0
		}
	}
	count := func(w way, by int) {
		for dir := range holders {
			if workspace.IsWithin(dir, w.path) {
				holders[dir] += by
			}
		}
	}
	for _, w := range open {
		count(w, 1)
	}
	isOfOther := func(w way) bool {
		return slices.ContainsFunc(w.links, func(link string) bool {
			dir, own := filepath.Dir(link), 0
			if workspace.IsWithin(dir, w.path) {
				own = 1
			}
			return holders[dir] > own
		})
	}
	for isChanged := true; isChanged; {
		isChanged = false
		open = slices.DeleteFunc(open, func(w way) bool {
			isDropped := z.hasOne(w.links) // see follow
			if !isDropped && isOfOther(w) {
				return false
			}
			if !isDropped {
				z.dirs = append(z.dirs, w.path)
			}
			count(w, -1)
			isChanged = true
			return true
		})
	}
	return z
}

// LeftOut returns those of some paths that lead elsewhere through a link which programs could have made, and so give them nothing.
func (p *Place) LeftOut(paths []string) (list []string) {
	isLinked := func(path string) bool {
		return filepath.IsAbs(path) && workspace.RealPath(path) != filepath.Clean(path)
	}
	if !slices.ContainsFunc(paths, isLinked) {
		return nil
	}
	z, _, _ := p.zone(resolver{})
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !filepath.IsAbs(path) || z.admits(path) })
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

// way follows a path. What it returns is of one look at each link: they may change at any time.
func (z *zone) way(path string) way {
	path = filepath.Clean(path)
	if known, ok := z.ways[path]; ok {
		return known
	}
	found := z.resolve(path)
	if !found.isLinked {
		return way{path: path, exists: found.exists}
	}
	w := z.next(z.way(filepath.Dir(path)), filepath.Base(path))
	w.exists = z.resolve(w.path).exists
	z.ways[path] = w
	return w
}

// next follows a name in the directory that a way leads to.
func (z *zone) next(w way, name string) way {
	path := filepath.Join(w.path, name)
	target, err := os.Readlink(path)
	if err != nil || len(w.links) > maxLinks { // the links may lead in a circle
		return way{path: path, links: w.links}
	}
	w.links = append(slices.Clip(w.links), path)
	if filepath.IsAbs(target) {
		w.path = "/"
	}
	for name := range strings.SplitSeq(target, "/") {
		switch name {
		case "", ".":
		case "..": // no link is in w.path
			w.path = filepath.Dir(w.path)
		default:
			w = z.next(w, name)
		}
	}
	return w
}
