package search

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

const (
	// maxCounted is the number of matches after which a search stops counting.
	maxCounted = 10_000
	// maxCountedInFile is the number of matches in one file after which a search of a directory
	// stops counting them.
	maxCountedInFile = 1000
	// maxFiles is the number of files with matches after which a search stops.
	maxFiles = 5000
)

// fileHits are the matches in one file.
type fileHits struct {
	path  string // absolute
	hits  []hit  // those that a result can show, from the first one on
	count int    // number of matches
	more  bool   // counting stopped at count
	// encoding is the name of the encoding of the file, "" for UTF-8.
	encoding string
}

// found is the result of a search.
type found struct {
	files   []fileHits // sorted by path
	matches int        // in all files, counted
	// stopped reports that the search stopped before the last file.
	stopped bool
}

// isLowerBound reports whether there may be more matches than were counted.
func (f *found) isLowerBound() bool {
	return f.stopped || slices.ContainsFunc(f.files, func(f fileHits) bool { return f.more })
}

// atLeast returns the words before a number of matches, "" if all were counted.
func (f *found) atLeast() string {
	if f.isLowerBound() {
		return "at least "
	}
	return ""
}

// manyAlike is the number of matches that a result shows if more would be too many, and they differ only in numbers.
const manyAlike = 10

// areAlike reports whether the hits that can be shown are many lines of few files that differ only in numbers, such as
// those of a log. Of such hits in many files, the places matter.
func (f *found) areAlike() bool {
	if len(f.files) > manyAlike {
		return false
	}
	shape, count := "", 0
	for _, file := range f.files {
		for _, h := range file.hits {
			s := withoutDigits(h.text)
			if count++; count > 1 && s != shape {
				return false
			}
			shape = s
		}
	}
	return count > manyAlike
}

// withoutDigits returns a line with one 0 in the place of each number.
func withoutDigits(line string) string {
	var b strings.Builder
	isNumber := false
	for _, r := range line {
		isDigit := '0' <= r && r <= '9'
		switch {
		case !isDigit:
			b.WriteRune(r)
		case !isNumber:
			b.WriteByte('0')
		}
		isNumber = isDigit
	}
	return b.String()
}

// collector collects the matches of concurrent searches of files. Its memory is bounded: it
// keeps the hits that can be shown, whatever files come later.
type collector struct {
	limit int // maximum number of hits to show
	stop  int // number of matches after which the search stops

	mu    sync.Mutex
	found found
	kept  int // hits in found.files
}

// add adds the matches of a file, and reports whether the search should stop.
func (c *collector) add(f fileHits) (full bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.count > 0 {
		c.found.files = append(c.found.files, f)
		c.found.matches += f.count
		if c.kept += len(f.hits); c.kept > 4*c.limit+1000 {
			c.share()
		}
	}
	if c.found.matches >= c.stop || len(c.found.files) >= maxFiles {
		c.found.stopped = true
	}
	return c.found.stopped
}

func (c *collector) share() {
	share(c.found.files, c.limit)
	c.kept = 0
	for _, f := range c.found.files {
		c.kept += len(f.hits)
	}
}

// result returns the matches, with each file's share of the limit.
func (c *collector) result() *found {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.share()
	result := c.found
	return &result
}

// share sorts files by path and removes hits, so that at most limit are left. Each file keeps
// the same number, files with fewer leave theirs to the others, and the first files get the
// remainder. If there are more files than limit, the first ones keep one each.
//
// A file that is added never increases the share of another one. So the result does not
// depend on the order in which files are added, nor on calls of share in between.
func share(files []fileHits, limit int) {
	slices.SortFunc(files, func(a, b fileHits) int { return strings.Compare(a.path, b.path) })
	sizes := make([]int, len(files))
	for i, f := range files {
		sizes[i] = len(f.hits)
	}
	slices.Sort(sizes)
	level, room := 0, limit
	for i, size := range sizes {
		rest := len(sizes) - i
		step := min(size-level, room/rest)
		level += step
		room -= step * rest
		if level < size {
			break
		}
	}
	for i := range files {
		f := &files[i]
		keep := min(len(f.hits), level)
		if keep < len(f.hits) && room > 0 {
			keep++
			room--
		}
		f.hits = slices.Clip(f.hits[:keep])
	}
}

// maxNamed limits the number of files or directories that a result names without showing more
// of them.
const maxNamed = 20

// named returns a list of names with their counts: "a.go (3), b.go (12) and 7 more files". what
// is their plural noun.
func named(names []string, counts []string, what string) string {
	shown := min(len(names), maxNamed)
	if len(names) == maxNamed+1 { // "1 more" is not shorter than its name
		shown++
	}
	parts := make([]string, shown)
	for i := range parts {
		parts[i] = fmt.Sprintf("%s (%s)", names[i], counts[i])
	}
	list := strings.Join(parts, ", ")
	if rest := len(names) - shown; rest > 0 {
		list += fmt.Sprintf(" and %d more %s", rest, what)
	}
	return list
}

// byDirectory returns how many of the paths are in which directory, as [named] does, the
// directories with the most paths first.
func byDirectory(paths []string) string {
	count := map[string]int{}
	for _, p := range paths {
		count[filepath.Dir(p)+string(filepath.Separator)]++
	}
	var dirs []string
	for dir := range count {
		dirs = append(dirs, dir)
	}
	slices.SortFunc(dirs, func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(a, b))
	})
	counts := make([]string, len(dirs))
	for i, dir := range dirs {
		counts[i] = fmt.Sprint(count[dir])
	}
	return named(dirs, counts, "directories")
}
