package workspace

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"pollux/tool/spelling"
)

const (
	// maxSimilar is the number of paths that Similar returns.
	maxSimilar = 3
	// maxExamined is the number of files and directories after which Similar stops.
	maxExamined = 50_000
	// maxSearch limits the time of a search for similar paths.
	maxSearch = 500 * time.Millisecond
)

// Similar returns up to three files of the workspace whose paths are most like abs, which does
// not exist, or directories if dirs is set. The paths are relative to the root if they are below
// it. Files that tools must not access, and those that the ignore rules of the settings hide,
// are left out. In a very large workspace Similar does not examine everything.
func (w *Workspace) Similar(ctx context.Context, abs string, dirs bool) []string {
	ctx, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	s := &similar{want: filepath.ToSlash(w.Display(abs)), names: map[string]int{}}
	for _, dir := range w.all() {
		o := WalkOptions{
			Filter: w.DefaultFilter(),
			Prune: func(rel, name string) bool {
				if isGuarded(name) {
					return true
				}
				if dirs {
					s.add(filepath.ToSlash(w.Display(filepath.Join(dir, filepath.FromSlash(rel)))))
				}
				return s.isFull()
			},
		}
		// Entries found before an error count.
		_ = w.Walk(ctx, dir, o, func(e Entry) error {
			if s.isFull() {
				return fs.SkipAll
			}
			if !dirs && e.Type.IsRegular() && !isGuarded(e.Name) {
				s.add(filepath.ToSlash(w.Display(e.Path())))
			}
			return nil
		})
	}
	if len(s.best) > 0 && s.rank(s.best[0]) < sharedBeginning { // other names that begin alike add nothing
		s.best = slices.DeleteFunc(s.best, func(p string) bool { return s.rank(p) == sharedBeginning })
	}
	return s.best
}

// Display returns abs relative to the root if it is below it, else abs.
func (w *Workspace) Display(abs string) string {
	if _, ok := within(abs, w.Root()); ok {
		return w.Rel(abs)
	}
	return abs
}

// similar collects the paths most like a wanted one.
type similar struct {
	want string // with slashes

	mu       sync.Mutex
	examined int
	names    map[string]int // ranks of base names; see rank
	best     []string       // the most similar first
}

func (s *similar) isFull() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.examined >= maxExamined
}

func (s *similar) add(p string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.examined++
	if s.rank(p) < 0 || slices.Contains(s.best, p) {
		return
	}
	s.best = append(s.best, p)
	slices.SortFunc(s.best, s.compare)
	s.best = s.best[:min(len(s.best), maxSimilar)]
}

func (s *similar) compare(a, b string) int {
	return cmp.Or(
		cmp.Compare(s.rank(a), s.rank(b)),
		cmp.Compare(s.distance(a), s.distance(b)),
		strings.Compare(a, b),
	)
}

// rank returns how like the wanted path p is, 0 for the most like, or -1 if it is not.
func (s *similar) rank(p string) int {
	if strings.EqualFold(p, s.want) {
		return 0
	}
	name := path.Base(p)
	rank, ok := s.names[name]
	if !ok {
		rank = rankName(name, path.Base(s.want))
		if len(s.names) < maxExamined {
			s.names[name] = rank
		}
	}
	return rank
}

// sharedBeginning is the rank of two names if one is a prefix of the other.
const sharedBeginning = 7

// rankName is rank for the last names of two paths.
func rankName(name, want string) int {
	if name == want {
		return 1
	}
	lower, wantLower := strings.ToLower(name), strings.ToLower(want)
	if lower == wantLower {
		return 2
	}
	stem, wantStem := strings.TrimSuffix(lower, path.Ext(lower)), strings.TrimSuffix(wantLower, path.Ext(wantLower))
	if stem == wantStem && stem != "" {
		return 3
	}
	if d := len(lower) - len(wantLower); d >= -3 && d <= 3 && len(wantLower) >= 3 {
		switch d := spelling.Distance(lower, wantLower); {
		case d == 1:
			return 4
		case d <= min(3, len(wantStem)/3):
			return 3 + d
		}
	}
	if path.Ext(lower) == path.Ext(wantLower) && (beginsWith(stem, wantStem) || beginsWith(wantStem, stem)) {
		return sharedBeginning
	}
	return -1
}

// beginsWith reports whether a name begins with another one of at least three bytes, and the rest
// is one letter, or a part that is set off.
func beginsWith(name, start string) bool {
	rest, ok := strings.CutPrefix(name, start)
	return ok && len(start) >= 3 && (len(rest) == 1 || strings.ContainsAny(rest[:min(1, len(rest))], "_-."))
}

// distance returns how many directories p and the wanted path do not share.
func (s *similar) distance(p string) int {
	a, b := strings.Split(path.Dir(p), "/"), strings.Split(path.Dir(s.want), "/")
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	end := 0
	for end < min(len(a), len(b))-same && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return len(a) + len(b) - 2*(same+end)
}

// AsLink returns the end of an error about the missing file at abs, which a path leads to: " (link.txt is a link to it)", or "" if the
// path is not a link.
func (w *Workspace) AsLink(path, abs string) string {
	at := w.abs(path)
	if info, err := os.Lstat(at); err != nil || info.Mode()&fs.ModeSymlink == 0 || RealPath(at) != abs {
		return ""
	}
	return " (" + PrintableName(w.Display(at)) + " is a link to it)"
}

// DidYouMean returns the end of an error for a model, about the paths of [Workspace.Similar]: ". Did you mean
// ...?", or "" if there are none.
func (w *Workspace) DidYouMean(ctx context.Context, abs string, dirs bool) string {
	found := w.Similar(ctx, abs, dirs)
	for i := range found {
		found[i] = `"` + PrintableName(found[i]) + `"`
	}
	switch len(found) {
	case 0:
		return ""
	case 1:
		return ". Did you mean " + found[0] + "?"
	}
	return ". Did you mean one of: " + strings.Join(found, ", ") + "?"
}
