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

	"pollux/internal/workspace"
)

// query is a text search, for either engine.
type query struct {
	w       *workspace.Workspace
	dir     string // searched, or the directory of file
	file    string // name of the only file to search, "" for all of dir
	pattern *pattern
	exclude *pattern // nil for none
	include *include // nil for all
	// noIgnore searches what ignore rules and the usual exclusions hide.
	noIgnore bool
	perFile  int // matches in one file at most
	total    int // matches at most
}

// fileHits are the matches in one file.
type fileHits struct {
	path string // absolute
	hits []hit
}

// collector gathers what the searches of single files find.
type collector struct {
	mu    sync.Mutex
	left  int
	files []fileHits
}

// add takes the hits of a file as far as there is room; full says that there
// is no more.
func (c *collector) add(path string, hits []hit) (full bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if hits = hits[:min(len(hits), c.left)]; len(hits) > 0 {
		c.left -= len(hits)
		c.files = append(c.files, fileHits{path, hits})
	}
	return c.left <= 0
}

// sorted returns what was found, by path.
func (c *collector) sorted() []fileHits {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.SortFunc(c.files, func(a, b fileHits) int { return strings.Compare(a.path, b.path) })
	return c.files
}

// searchHere is the engine in this process. The walk hands over files in
// batches, so that one large directory keeps all processors busy.
func (q *query) searchHere(ctx context.Context) ([]fileHits, error) {
	found := &collector{left: q.total}
	open := q.w.Disk().Stream
	if q.file != "" {
		s := &scanner{open: open}
		path := filepath.Join(q.dir, q.file)
		hits, err := s.search(ctx, path, q.pattern, q.exclude, min(q.perFile, q.total))
		found.add(path, hits)
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return found.sorted(), err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan []string, 64)
	var workers sync.WaitGroup
	for range max(runtime.GOMAXPROCS(0), 2) {
		workers.Go(func() {
			s := &scanner{open: open}
			for paths := range work {
				for _, path := range paths {
					if ctx.Err() != nil {
						break // but take what is left in the channel
					}
					hits, err := s.search(ctx, path, q.pattern, q.exclude, min(q.perFile, q.total))
					if not := (*unsearched)(nil); err != nil && !errors.As(err, &not) {
						cancel(err)
					} else if found.add(path, hits) {
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
	return found.sorted(), err
}

// batchSize is how many files are handed over at once.
const batchSize = 32

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
		if !q.wants(e) {
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

func (q *query) walkOptions() workspace.WalkOptions {
	o := workspace.WalkOptions{
		Prune: func(rel, name string) bool {
			asked := q.include.match(rel)
			if q.include.out() && asked {
				return true
			}
			if hidden(name) && !asked {
				return true
			}
			return !q.noIgnore && (slices.Contains(coreDirs, name) || slices.Contains(extraDirs, name))
		},
	}
	if !q.noIgnore {
		o.Filter = q.w.DefaultFilter()
	}
	return o
}

// wants reports whether a file is to be searched. Like ripgrep it takes hidden
// files only where they are asked for.
func (q *query) wants(e workspace.Entry) bool {
	if e.Type != 0 {
		return false // links, FIFOs, devices
	}
	switch {
	case q.include == nil:
		if hidden(e.Name) {
			return false
		}
	case q.include.not:
		if hidden(e.Name) || q.include.match(e.Rel()) {
			return false
		}
	case !q.include.match(e.Rel()):
		return false
	}
	return q.noIgnore || !noise(e.Name)
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// noise reports whether a file of this name holds nothing worth searching.
func noise(name string) bool {
	return strings.HasSuffix(name, ".log") || strings.HasSuffix(name, ".tmp")
}

// include is the glob that files must match, as ripgrep's --glob takes it:
// without a slash it is for names, with one for paths below the searched
// directory; with a ! before it, it is for files to leave out.
type include struct {
	source string // for ripgrep
	glob   string
	not    bool
	name   bool
}

func compileInclude(source string) (*include, error) {
	if source == "" {
		return nil, nil
	}
	in := &include{source: source}
	in.glob, in.not = strings.CutPrefix(source, "!")
	in.name = !strings.Contains(in.glob, "/")
	in.glob = strings.TrimPrefix(strings.TrimPrefix(in.glob, "./"), "/")
	if !doublestar.ValidatePattern(in.glob) || alternatives(in.glob) > maxAlternatives {
		return nil, errors.New("include_pattern is no glob that can be matched: " + source)
	}
	return in, nil
}

// out reports whether what matches is to be left out.
func (in *include) out() bool { return in != nil && in.not }

// match reports whether the glob matches a path, whatever that means; it is
// false for no include.
func (in *include) match(rel string) bool {
	if in == nil {
		return false
	}
	if in.name {
		rel = rel[strings.LastIndexByte(rel, '/')+1:]
	}
	return doublestar.MatchUnvalidated(in.glob, rel)
}
