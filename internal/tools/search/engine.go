package search

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"pollux/internal/crash"
	"pollux/internal/workspace"
)

// query is a text search, for either engine.
type query struct {
	w       *workspace.Workspace
	dir     string // the directory to search, or that of file
	file    string // the name of the only file to search; "" searches dir
	pattern *pattern
	exclude *pattern // nil for none
	include *include // nil for all
	// noIgnore also searches files that ignore rules and the default exclusions hide.
	noIgnore bool
	// namesOnly searches for the files with matches: one match of each is enough.
	namesOnly  bool
	maxPerFile int // maximum number of matches in one file; 0 for any
	maxTotal   int // maximum number of matches to show, or of files with namesOnly
}

// countLimit returns the number of matches in one file after which the search stops to look for
// more.
func (q *query) countLimit() int {
	switch {
	case q.namesOnly:
		return 1
	case q.maxPerFile > 0:
		return q.maxPerFile
	case q.file != "":
		return max(maxCounted, q.maxTotal)
	}
	return max(maxCountedInFile, q.maxTotal)
}

func (q *query) newScanner() *scanner {
	return &scanner{open: q.w.Disk().Stream, isNamed: q.file != ""}
}

func (q *query) newCollector() *collector {
	if q.namesOnly {
		return &collector{stop: maxFiles} // the result shows no lines
	}
	return &collector{limit: q.maxTotal, stop: maxCounted + q.maxTotal}
}

// keep returns the number of hits of one file that can be shown or that must be checked.
func (q *query) keep() int {
	if q.namesOnly {
		return 1
	}
	return q.maxTotal
}

// fileHits returns the matches that were found in a file. count may be greater than len(hits).
func (q *query) fileHits(path string, hits []hit, count int) fileHits {
	isAll := q.namesOnly || q.maxPerFile > 0 // all that the call wants
	return fileHits{path: path, hits: hits, count: count, more: !isAll && count >= q.countLimit()}
}

// searchInProcess runs the search on the engine in this process. The walk sends files to the
// workers in batches, so that one large directory keeps all processors busy.
func (q *query) searchInProcess(ctx context.Context) (*found, error) {
	c := q.newCollector()
	if q.file != "" {
		f, err := q.newScanner().search(ctx, q, filepath.Join(q.dir, q.file))
		c.add(f)
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return c.result(), err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan []string, 64)
	var workers sync.WaitGroup
	for range max(runtime.GOMAXPROCS(0), 2) {
		workers.Go(func() {
			defer crash.Recover()
			s := q.newScanner()
			for paths := range work {
				for _, path := range paths {
					if ctx.Err() != nil {
						break // continue to drain the channel
					}
					f, err := s.search(ctx, q, path)
					if skipped := (*skippedError)(nil); err != nil && !errors.As(err, &skipped) {
						cancel(err)
					} else if c.add(f) {
						cancel(errEnough)
					}
				}
			}
		})
	}
	err := q.walk(ctx, work)
	close(work)
	workers.Wait()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if errors.Is(err, errEnough) {
		err = nil
	}
	return c.result(), err
}

// batchSize is the number of files that the walk sends to a worker at once.
const batchSize = 32

// walk sends the paths of the files to search to work, in batches.
func (q *query) walk(ctx context.Context, work chan<- []string) error {
	var mu sync.Mutex
	var paths []string
	send := func(batch []string) error {
		select {
		case work <- batch:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := q.w.Walk(ctx, q.dir, q.walkOptions(), func(e workspace.Entry) error {
		if !q.shouldSearch(e) {
			return nil
		}
		path := e.Path()
		mu.Lock()
		paths = append(paths, path)
		var batch []string
		if len(paths) == batchSize {
			batch, paths = paths, nil
		}
		mu.Unlock()
		if batch == nil {
			return nil
		}
		return send(batch)
	})
	if err != nil || len(paths) == 0 {
		return err
	}
	return send(paths)
}

// walkOptions returns the ignore rules of the walk and the directories that it skips.
func (q *query) walkOptions() workspace.WalkOptions {
	o := workspace.WalkOptions{
		Prune: func(rel, name string) bool {
			return name == ".git" || // the repository's own data, which no tool shows
				q.include.excludes() && q.include.match(rel) ||
				isPrivate(name) && !q.include.match(rel) && !q.include.entersHidden(name) ||
				q.isExcludedDir(name)
		},
	}
	if !q.noIgnore {
		o.Filter = q.w.DefaultFilter()
	}
	return o
}

func (q *query) shouldSearch(e workspace.Entry) bool {
	return q.selects(e) && (q.noIgnore || !isNoise(e.Name) || q.include.isExplicit())
}

// selects reports whether the call means a file: it is one, the include pattern selects it, and it
// is nothing private that the pattern does not name.
func (q *query) selects(e workspace.Entry) bool {
	if e.Type != 0 || workspace.IsSecret(e.Name) || e.Name == ".git" {
		return false // links, FIFOs, devices
	}
	if isPrivate(e.Name) && !q.include.namesHidden() {
		return false
	}
	return q.include == nil || q.include.match(e.Rel()) != q.include.negated
}

// isExcludedDir reports whether the search leaves out directories of this name by default, and
// the include pattern does not name it.
func (q *query) isExcludedDir(name string) bool {
	return !q.noIgnore && (slices.Contains(coreDirs, name) || slices.Contains(extraDirs, name)) && !q.include.names(name)
}

// entersHidden reports whether the glob selects files in hidden directories of this name: a part
// of the glob that begins with a dot matches it.
func (in *include) entersHidden(name string) bool {
	if in == nil || in.negated || in.nameOnly {
		return false
	}
	for _, part := range in.parts() {
		if isHidden(part) && doublestar.MatchUnvalidated(part, name) {
			return true
		}
	}
	return false
}

// isHidden reports whether the name of a file or directory hides it.
func isHidden(name string) bool { return strings.HasPrefix(name, ".") }

// isPrivate reports whether files of this name, or all files in directories of this name, often
// hold credentials. The search includes them only if the include pattern or dir_path names them.
func isPrivate(name string) bool {
	return strings.HasPrefix(name, ".env.") || slices.Contains(privateNames, name)
}

var privateNames = []string{
	".netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials", ".htpasswd",
	".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker",
}

// isPrivatePath is isPrivate for any part of a path with slashes.
func isPrivatePath(rel string) bool {
	return slices.ContainsFunc(strings.Split(rel, "/"), isPrivate)
}

// isNoise reports whether a file with this name is a log or a temporary file.
func isNoise(name string) bool {
	return strings.HasSuffix(name, ".log") || strings.HasSuffix(name, ".tmp")
}

// include is the glob that searched files must match, with the syntax of ripgrep's --glob: a
// glob without a slash matches names, one with a slash matches paths below the searched
// directory, and a leading ! excludes the files that match.
type include struct {
	source   string // as written
	ripgrep  string // for ripgrep, to which "./a" matches nothing
	glob     string
	negated  bool
	nameOnly bool
}

// compileInclude compiles an include pattern; it returns nil for "".
func compileInclude(source string) (*include, error) {
	if source == "" {
		return nil, nil
	}
	in := &include{source: source, ripgrep: source}
	in.glob, in.negated = strings.CutPrefix(source, "!")
	in.nameOnly = !strings.Contains(in.glob, "/")
	if below, isBelow := strings.CutPrefix(in.glob, "./"); isBelow {
		in.glob = "/" + below
		if in.ripgrep = in.glob; in.negated {
			in.ripgrep = "!" + in.glob
		}
	}
	in.glob = strings.TrimPrefix(in.glob, "/")
	if !doublestar.ValidatePattern(in.glob) || workspace.HasManyAlternatives(in.glob) {
		return nil, errors.New("include_pattern is no glob that can be matched: " + source)
	}
	return in, nil
}

// excludes reports whether the files that match are excluded from the search.
func (in *include) excludes() bool { return in != nil && in.negated }

// match reports whether the glob, without its !, matches a path. It returns false if in is nil.
func (in *include) match(rel string) bool {
	if in == nil {
		return false
	}
	if in.nameOnly {
		rel = rel[strings.LastIndexByte(rel, '/')+1:]
	}
	return doublestar.MatchUnvalidated(in.glob, rel)
}

// isExplicit reports whether the glob selects files, and is not one that matches everything.
func (in *include) isExplicit() bool {
	return in != nil && !in.negated && strings.Trim(in.glob, "*/.?") != ""
}

// names reports whether the glob selects files in a directory of this name, which it contains
// to the letter.
func (in *include) names(dir string) bool {
	if in == nil || in.negated || in.nameOnly {
		return false
	}
	return slices.Contains(in.parts(), dir)
}

// parts returns the names in the glob, those in braces too.
func (in *include) parts() []string {
	return strings.FieldsFunc(in.glob, func(r rune) bool { return strings.ContainsRune("/{},", r) })
}

// namesHidden reports whether the glob selects files, and a part of it begins with a dot.
func (in *include) namesHidden() bool {
	return in != nil && !in.negated && slices.ContainsFunc(in.parts(), isHidden)
}
