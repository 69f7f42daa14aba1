package search

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"pollux/internal/workspace"
)

// leftOut has the files that a search skipped by default, but that might match.
type leftOut struct {
	noise   bool     // logs and temporary files
	ignored bool     // files that ignore rules hide
	dirs    []string // names of directories, sorted
	// noFile is the include pattern if no file matches it.
	noFile string
	pruned []string // names of directories that are never searched unless asked for, sorted
}

// maxLeftOut is the number of files after which leftOut stops looking: the note need not be
// complete.
const maxLeftOut = 50_000

// leftOut returns the skipped files that the include pattern selects.
func (q *query) leftOut(ctx context.Context) leftOut {
	var left leftOut
	isSelecting := q.include != nil && !q.include.negated
	if q.file != "" || q.noIgnore && !isSelecting {
		return left
	}
	var mu sync.Mutex
	seen, isMatched := 0, false
	o := q.walkOptions()
	isPruned := o.Prune
	o.Filter, o.Ignored = q.w.DefaultFilter(), true
	o.Prune = func(rel, name string) bool {
		if !isPruned(rel, name) || slices.Contains(extraDirs, name) && !q.include.excludes() {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		if name != ".git" && slices.Contains(coreDirs, name) {
			left.pruned = append(left.pruned, name)
		}
		return true
	}
	err := q.w.Walk(ctx, q.dir, o, func(e workspace.Entry) error {
		mu.Lock()
		defer mu.Unlock()
		if seen++; seen > maxLeftOut {
			isMatched = true // perhaps
			return fs.SkipAll
		}
		if workspace.IsSecret(e.Name) && q.include.match(e.Rel()) {
			isMatched = true
		}
		if !q.selects(e) {
			return nil
		}
		isMatched = true
		switch dir := q.excludedDir(e.Dir()); {
		case q.noIgnore:
		case dir != "":
			left.dirs = append(left.dirs, dir)
		case e.Ignored:
			left.ignored = true
		case isNoise(e.Name) && !q.include.isExplicit():
			left.noise = true
		}
		return nil
	})
	if err != nil {
		return leftOut{} // the search itself has reported the important part
	}
	if isSelecting && !isMatched {
		left.noFile = q.include.source
	}
	slices.Sort(left.dirs)
	left.dirs = slices.Compact(left.dirs)
	slices.Sort(left.pruned)
	left.pruned = slices.Compact(left.pruned)
	return left
}

// excludedDir returns the first name in the path of a directory that the search leaves out by
// default, "" if there is none.
func (q *query) excludedDir(rel string) string {
	for name := range strings.SplitSeq(rel, "/") {
		if q.isExcludedDir(name) {
			return name
		}
	}
	return ""
}

// note returns the sentence about skipped files, "" for none.
func (l leftOut) note() string {
	if l.noFile != "" {
		text := fmt.Sprintf(" No file matches %q", l.noFile)
		if len(l.pruned) > 0 {
			text += fmt.Sprintf(" (%s left out)", strings.Join(l.pruned, ", "))
		}
		return text + "."
	}
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
