package search

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"pollux/internal/workspace"
)

// leftOut is what a search did not look at by default, but might have matches.
type leftOut struct {
	noise   bool     // logs and temporary files
	ignored bool     // files that ignore rules hide
	dirs    []string // names of directories, sorted
}

// maxLeftOut is the number of files after which leftOut stops looking: the note need not be
// complete.
const maxLeftOut = 50_000

// leftOut returns what the search has left out of the files that the include pattern selects.
// It does not look into hidden directories, which the tool's description excludes.
func (q *query) leftOut(ctx context.Context) leftOut {
	var left leftOut
	if q.file != "" || q.noIgnore {
		return left
	}
	var mu sync.Mutex
	seen := 0
	o := workspace.WalkOptions{
		Filter: q.w.DefaultFilter(), Ignored: true,
		Prune: func(_, name string) bool {
			if isHidden(name) || !q.isExcludedDir(name) {
				return isHidden(name)
			}
			mu.Lock()
			defer mu.Unlock()
			if slices.Contains(extraDirs, name) { // nobody looks for their own text in the others
				left.dirs = append(left.dirs, name)
			}
			return true
		},
	}
	err := q.w.Walk(ctx, q.dir, o, func(e workspace.Entry) error {
		mu.Lock()
		defer mu.Unlock()
		if seen++; seen > maxLeftOut {
			return fs.SkipAll
		}
		if e.Type != 0 || isHidden(e.Name) || q.include != nil && q.include.match(e.Rel()) == q.include.negated {
			return nil
		}
		if e.Ignored {
			left.ignored = true
		} else if isNoise(e.Name) && !q.include.isExplicit() {
			left.noise = true
		}
		return nil
	})
	if err != nil {
		return leftOut{} // the search itself has reported what matters
	}
	slices.Sort(left.dirs)
	left.dirs = slices.Compact(left.dirs)
	return left
}

// note returns the sentence about what was left out, "" if there is nothing to say.
func (l leftOut) note() string {
	var parts []string
	if l.noise {
		parts = append(parts, "files named *.log or *.tmp (include_pattern can name them)")
	}
	if l.ignored {
		parts = append(parts, "files that ignore rules hide (no_ignore includes them)")
	}
	if len(l.dirs) > 0 {
		parts = append(parts, "the directories "+strings.Join(l.dirs, ", ")+" (no_ignore includes them)")
	}
	if len(parts) == 0 {
		return ""
	}
	return " There may be matches in what was left out: " + strings.Join(parts, "; ") + "."
}
