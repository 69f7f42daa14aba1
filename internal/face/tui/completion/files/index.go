package files

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"pollux/internal/face/tui/completion/fuzzy"
	"pollux/internal/face/tui/completion/paths"
	"pollux/internal/workspace"
)

// index has the paths of files and directories to search. It does not change.
type index struct {
	texts []fuzzy.Text // directories end in a slash
	// first are the entries for an empty query: those near the top of the workspace.
	first []string
	isCut bool // there are more files
}

// Limits of an index beside the number of files, in bytes: of all paths, and of one.
const (
	maxIndex = 16 << 20
	maxPath  = 4096
)

// collector collects the paths of walks. Its methods may be called from several goroutines.
type collector struct {
	w        *workspace.Workspace
	maxFiles int
	cancel   context.CancelFunc

	mu    sync.Mutex
	seen  map[string]bool
	size  int
	isCut bool
}

// walkAll returns the paths of the workspace. The directories and files at the top come first, so that they are there
// however large the workspace is.
func walkAll(ctx context.Context, w *workspace.Workspace, maxFiles int, isDeep bool) *index {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &collector{w: w, maxFiles: maxFiles, cancel: cancel, seen: map[string]bool{}}
	for _, dir := range w.Dirs() {
		c.walk(ctx, dir, false)
	}
	for _, dir := range w.Dirs() {
		if isDeep {
			c.walk(ctx, dir, true)
		}
	}
	c.isCut = c.isCut || ctx.Err() != nil
	return newIndex(c.seen, c.isCut)
}

// walkOne returns the paths in one directory of the workspace.
func walkOne(ctx context.Context, w *workspace.Workspace, dir string, maxFiles int) *index {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &collector{w: w, maxFiles: maxFiles, cancel: cancel, seen: map[string]bool{}}
	c.walk(ctx, dir, false)
	return newIndex(c.seen, c.isCut)
}

// walk collects the paths in a directory, and if isDeep those below it. Errors end it early: there is nothing to do
// about them while the user types.
func (c *collector) walk(ctx context.Context, dir string, isDeep bool) {
	prefix := filepath.ToSlash(c.w.Display(dir)) + "/"
	if prefix == "./" {
		prefix = ""
	}
	o := workspace.WalkOptions{Filter: c.w.DefaultFilter(), Prune: func(rel, name string) bool {
		if name == ".git" || name == "node_modules" { // file tools do not read them
			return true
		}
		c.add(prefix + rel + "/")
		return !isDeep
	}}
	_ = c.w.Walk(ctx, dir, o, func(e workspace.Entry) error {
		if (e.Type.IsRegular() || e.Type&fs.ModeSymlink != 0) && !workspace.IsSecret(e.Name) {
			c.add(prefix + e.Rel())
		}
		return nil
	})
}

// add adds a path, or ends the walk if there are too many. A path that cannot be mentioned is left out.
func (c *collector) add(p string) {
	if len(p) > maxPath || !paths.IsTypable(p) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.seen[p]:
	case len(c.seen) >= c.maxFiles, c.size+len(p) > maxIndex:
		c.isCut = true
		c.cancel()
	default:
		c.seen[p] = true
		c.size += len(p)
	}
}

// maxFirst is the number of paths for an empty query.
const maxFirst = maxFiles

func newIndex(seen map[string]bool, isCut bool) *index {
	x := &index{texts: make([]fuzzy.Text, 0, len(seen)), isCut: isCut}
	top := fuzzy.Top[string]{Limit: maxFirst, Compare: compareDepth}
	for p := range seen {
		x.texts = append(x.texts, fuzzy.NewText(p))
		top.Add(p)
	}
	slices.SortFunc(x.texts, func(a, b fuzzy.Text) int { return strings.Compare(a.Shown, b.Shown) })
	x.first = top.Items
	return x
}

// compareDepth orders paths by their depth, at the same depth directories first, hidden files last, then by name.
func compareDepth(a, b string) int {
	if n := depth(a) - depth(b); n != 0 {
		return n
	}
	if n := kind(a) - kind(b); n != 0 {
		return n
	}
	return workspace.CompareNames(a, b)
}

// depth returns the number of directories above a path.
func depth(p string) int { return strings.Count(strings.TrimSuffix(p, "/"), "/") }

// kind returns 0 for a directory, 1 for a file, 2 for a hidden one.
func kind(p string) int {
	switch {
	case !unicode.IsLetter(rune(path.Base(p)[0])) && path.Base(p)[0] == '.':
		return 2
	case strings.HasSuffix(p, "/"):
		return 0
	}
	return 1
}

// has reports whether the index has a path.
func (x *index) has(p string) bool {
	_, ok := x.find(p)
	return ok
}

// hasBelow reports whether the index has a path in a directory, which ends in a slash.
func (x *index) hasBelow(dir string) bool {
	i, ok := x.find(dir)
	if ok {
		i++
	}
	return i < len(x.texts) && strings.HasPrefix(x.texts[i].Shown, dir)
}

func (x *index) find(p string) (int, bool) {
	return slices.BinarySearchFunc(x.texts, p, func(t fuzzy.Text, p string) int { return strings.Compare(t.Shown, p) })
}
