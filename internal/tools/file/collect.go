package file

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

// Selection selects the files that [Collect] reads.
type Selection struct {
	// Include are paths and globs, absolute or relative to the workspace's directories. Globs
	// ignore case and match names that begin with a dot. Media files are read only if a
	// pattern contains their name or extension.
	Include []string
	Filter  workspace.Filter
	// Room is the number of tokens that all texts may have together; 0 is no limit. Longer ones
	// are cut, the longest first.
	Room int
	// Seen, if set, learns the files that were read.
	Seen *Seen
}

// Collection is the result of [Collect], sorted by path.
type Collection struct {
	Files   []File
	Skipped []Skipped
	More    int // files that are left out because there are too many; Skipped has the first of them
}

// File is a file that was read.
type File struct {
	Path  string    // absolute path
	Text  string    // as read_file returns it, after a warning if it is incomplete
	Media *llm.Blob // replaces Text for media files
	// Cut names the lines of Text, such as "lines 1-530 of 20000", if it was cut for
	// [Selection.Room]; else it is "".
	Cut string
}

// Skipped is a file that was not read, with the reason.
type Skipped struct {
	tool.Skipped
	// Err is the error of reading; nil if a rule excludes the file.
	Err error
}

const (
	// maxCollected is the maximum size of all contents together, in bytes.
	maxCollected = 32 << 20
	// maxFiles is the maximum number of files, maxFound that of paths that are compared to find the first ones.
	maxFiles = 2000
	maxFound = 100_000
)

// Collect reads the selected files: each within the limits of read_file, and all together up
// to 32 MiB and 2,000 files. Files that cannot or must not be read are skipped, and so are directories
// and files that are rarely wanted or hold secrets: dependencies, build output, archives, office
// documents, .env files of any name. A path of Include is read whatever its name. The error is the one
// of ctx.
func Collect(ctx context.Context, w *workspace.Workspace, s Selection) (*Collection, error) {
	c := &collector{w: w, Selection: s, found: map[string]bool{}}
	for _, pattern := range s.Include {
		for _, dir := range w.Dirs() {
			if err := c.search(ctx, dir, pattern); err != nil {
				return nil, err
			}
			if filepath.IsAbs(pattern) {
				break
			}
		}
	}
	paths := make([]string, 0, len(c.found))
	for p := range c.found {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	if n := len(paths) - maxFiles; n > 0 {
		c.More = n
		c.skip(paths[maxFiles], nil, "it and %d more files are left out: more than %d files in all", n-1, maxFiles)
		paths = paths[:maxFiles]
	}
	for _, p := range paths {
		if err := c.read(ctx, p); err != nil {
			return nil, err
		}
	}
	c.fit(ctx)
	slices.SortStableFunc(c.Skipped, func(a, b Skipped) int { return cmp.Compare(a.Path, b.Path) })
	return &c.Collection, nil
}

type collector struct {
	w *workspace.Workspace
	Selection
	Collection

	mu    sync.Mutex
	found map[string]bool // absolute paths
	size  int
	texts []*content // of Files; nil for media
}

// search adds the files that pattern matches in one of the workspace's directories.
func (c *collector) search(ctx context.Context, dir, pattern string) error {
	full := pattern
	if !filepath.IsAbs(full) {
		full = filepath.Join(dir, full)
	}
	if info, err := c.w.Disk().Stat(full); isRefusal(err) || err == nil && !info.IsDir() {
		c.found[filepath.Clean(full)] = true // named explicitly; if a rule forbids it, that is reported
		return nil
	}
	pattern, except := workspace.ExpandGlob(c.absolute(dir, filepath.ToSlash(pattern)))
	except = strings.ToLower(except)
	for _, glob := range []string{pattern, except} {
		if !doublestar.ValidatePattern(glob) || workspace.HasManyAlternatives(glob) {
			return nil
		}
	}
	base, rest := workspace.SplitGlob(pattern)
	rest = strings.ToLower(rest)
	if c.w.CheckRead(base) != nil {
		return nil // nothing below it can be read
	}
	err := c.w.Walk(ctx, base, workspace.WalkOptions{Filter: c.Filter, Prune: func(_, name string) bool { return isPruned(name) }}, func(e workspace.Entry) error {
		rel := e.Rel()
		if c.isFull() {
			return fs.SkipAll
		}
		if ok, _ := doublestar.Match(rest, strings.ToLower(rel)); !ok || isExcluded(e.Name) || !c.isFile(e) {
			return nil
		}
		if except != "" && doublestar.MatchUnvalidated(except, strings.ToLower(filepath.ToSlash(e.Path()))) {
			return nil
		}
		c.mu.Lock()
		c.found[e.Path()] = true
		c.mu.Unlock()
		return nil
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_ = err // base is not a directory, or is gone: no matches
	return nil
}

// absolute returns an absolute glob for one that may be relative to a directory. The paths of the workspace's directories in it are
// literal.
func (c *collector) absolute(dir, glob string) string {
	if !filepath.IsAbs(glob) {
		return path.Join(workspace.EscapeGlob(dir), glob)
	}
	for _, dir := range c.w.Dirs() {
		if rest, ok := workspace.CutDir(glob, dir); ok {
			return path.Join(workspace.EscapeGlob(dir), rest)
		}
	}
	return glob
}

func (c *collector) isFull() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.found) >= maxFound
}

// skip notes that a file is not read.
func (c *collector) skip(path string, err error, reason string, args ...any) {
	c.Skipped = append(c.Skipped, Skipped{tool.Skipped{Path: path, Reason: fmt.Sprintf(reason, args...)}, err})
}

// isFile reports whether e is a file or a link to one. A link out of the workspace counts as a
// file, so that it is reported as skipped.
func (c *collector) isFile(e workspace.Entry) bool {
	if e.Type&fs.ModeSymlink == 0 {
		return e.Type.IsRegular()
	}
	if isExcludedPath(workspace.RealPath(e.Path())) {
		return false
	}
	info, err := c.w.Disk().Stat(e.Path())
	return isRefusal(err) || err == nil && info.Mode().IsRegular()
}

// isPruned reports whether directories of this name are excluded.
func isPruned(name string) bool {
	if isEnvironment(name) {
		return true
	}
	switch name {
	case "node_modules", ".git", "bower_components", ".svn", ".hg",
		".vscode", ".idea", "dist", "build", "coverage", "__pycache__":
		return true
	}
	return false
}

// isExcluded reports whether files of this name are left out.
func isExcluded(name string) bool {
	switch strings.ToLower(strings.TrimPrefix(path.Ext(name), ".")) {
	case "bin", "exe", "dll", "so", "dylib", "class", "jar", "war", "zip", "tar", "gz", "bz2", "rar", "7z", "pak", "rpa",
		"doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "pyc", "pyo":
		return true
	}
	return name == ".DS_Store" || name == "GEMINI.md" || isEnvironment(name)
}

// isExcludedPath reports whether a file is left out because of its name, or that of a directory above it.
func isExcludedPath(path string) bool {
	return isExcluded(filepath.Base(path)) || slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), isEnvironment)
}

// isEnvironment reports whether a file or directory of this name holds variables, which may be
// secrets.
func isEnvironment(name string) bool { return strings.HasPrefix(strings.ToLower(name), ".env") }

// read reads one file, or skips it.
func (c *collector) read(ctx context.Context, abs string) error {
	skip := func(err error, reason string, args ...any) { c.skip(abs, err, reason, args...) }
	switch {
	case c.w.CheckRead(abs) != nil:
		skip(nil, "%v", c.w.CheckRead(abs))
		return nil
	case c.w.Ignored(abs, false, c.Filter):
		skip(nil, "ignored by the project's ignore files")
		return nil
	case !c.isRequested(abs):
		skip(nil, "asset file (image/pdf/audio) was not explicitly requested by name or extension")
		return nil
	case c.size >= maxCollected:
		skip(nil, "more than %dMB in all", maxCollected>>20)
		return nil
	}
	got, err := read(ctx, c.w, abs, 0, 0)
	var e *tool.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, workspace.ErrNotRegular):
		skip(nil, "not a regular file")
	case errors.As(err, &e) && e.Type == tool.ErrFileTooLarge:
		skip(nil, "%s", e.Message)
	case isRefusal(err):
		skip(nil, "%v", err)
	case err != nil:
		skip(err, "Read error: %v", err)
	case got.blob != nil:
		c.Seen.note(ctx, abs, got.version)
		c.size += len(got.blob.Data)
		c.Files, c.texts = append(c.Files, File{Path: abs, Media: got.blob}), append(c.texts, nil)
	default:
		c.size += len(got.text)
		c.Files, c.texts = append(c.Files, File{Path: abs}), append(c.texts, got)
	}
	return nil
}

// fit sets the texts of the files, and cuts those that are too long for Room.
func (c *collector) fit(ctx context.Context) {
	share := 0 // no limit
	if c.Room > 0 {
		var sizes []int
		for _, t := range c.texts {
			if t != nil {
				sizes = append(sizes, llm.EstimateTokens([]llm.Part{{Text: t.text}}))
			}
		}
		share = max(1, llm.ShareTokens(sizes, c.Room))
	}
	for i, t := range c.texts {
		if t == nil {
			continue
		}
		f := &c.Files[i]
		if t.fit(share) {
			f.Cut = fmt.Sprintf("lines %d-%d of %d", t.first, t.last, t.total)
		}
		c.Seen.noteWindow(ctx, f.Path, t.version, &t.window)
		f.Text = t.note + t.encodingLine() + t.text
		var missing []string
		if t.isText() && t.hasMore() {
			missing = append(missing, fmt.Sprintf("This is not all of the file, but lines %d-%d of %d. Read the rest of it with read_file.", t.first, t.last, t.total))
		}
		if t.isText() && t.shortened {
			missing = append(missing, shortenedNote)
		}
		if len(missing) > 0 {
			f.Text = "[WARNING: " + strings.Join(missing, " ") + "]\n\n" + f.Text
		}
	}
}

// isRequested reports whether a file may be read. Media files must be requested by name or
// extension, because they are expensive.
func (c *collector) isRequested(abs string) bool {
	switch k, _ := kindByName(abs); k {
	case imageKind, pdfKind, audioKind:
		name := strings.ToLower(filepath.Base(abs))
		return slices.ContainsFunc(c.Include, func(p string) bool {
			p = strings.ToLower(path.Base(filepath.ToSlash(p)))
			return strings.Contains(p, filepath.Ext(name)) || strings.Contains(p, strings.TrimSuffix(name, filepath.Ext(name)))
		})
	}
	return true
}
