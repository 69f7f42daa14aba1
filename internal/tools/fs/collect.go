package fs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
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

// Selection says which files [Collect] reads.
type Selection struct {
	// Include are paths and globs, relative to the workspace's directories or
	// absolute. Globs ignore case and match names that begin with a dot. Media
	// is read only if a pattern has its name or its extension.
	Include []string
	// Exclude are globs for paths below the directory that is searched.
	Exclude []string
	// DefaultExcludes leaves out directories and files that people rarely mean:
	// dependencies, build output, archives, office documents.
	DefaultExcludes bool
	Filter          workspace.Filter
}

// Collection is what [Collect] read, sorted by path.
type Collection struct {
	Files   []File
	Skipped []Skipped
}

// File is a file that was read.
type File struct {
	Path  string    // absolute
	Text  string    // as read_file returns it, after a warning if it is not all
	Media *llm.Blob // in place of Text
}

// Skipped is a file that was not read and why.
type Skipped struct {
	tool.Skipped
	// Err is set if reading was tried and failed; nil if a rule says not to read.
	Err error
}

// maxCollected is how much content is read at once.
const maxCollected = 32 << 20

// Collect reads the files that a selection names, each within the limits of
// read_file, and all of them within 32 MiB. Files that cannot or must not be
// read are skipped; the error is that of ctx (spec/tools.md §3.3).
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
	for _, p := range paths {
		if err := c.read(ctx, p); err != nil {
			return nil, err
		}
	}
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
}

// search adds what pattern names in one of the workspace's directories.
func (c *collector) search(ctx context.Context, dir, pattern string) error {
	full := pattern
	if !filepath.IsAbs(full) {
		full = filepath.Join(dir, full)
	}
	if info, err := c.w.Disk().Stat(full); isRefusal(err) || err == nil && !info.IsDir() {
		c.found[filepath.Clean(full)] = true // named: even if a rule says no, and then it is told
		return nil
	}
	pattern = filepath.ToSlash(full)
	if !doublestar.ValidatePattern(pattern) {
		return nil
	}
	base, rest := doublestar.SplitPattern(pattern)
	base, rest = filepath.FromSlash(base), strings.ToLower(rest)
	if c.w.CheckRead(base) != nil {
		return nil // nothing below it may be read
	}
	err := c.w.Walk(ctx, base, workspace.WalkOptions{Filter: c.Filter, Prune: c.prune}, func(e workspace.Entry) error {
		rel := e.Rel()
		if ok, _ := doublestar.Match(rest, strings.ToLower(rel)); !ok || c.excluded(rel, e.Name) || !c.isFile(e) {
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
	_ = err // base is no directory, or has gone: then nothing matches
	return nil
}

// isFile reports whether e is a file, or a link to one. A link out of the
// workspace is taken for one, so that it is told that it was not read.
func (c *collector) isFile(e workspace.Entry) bool {
	if e.Type&iofs.ModeSymlink == 0 {
		return e.Type.IsRegular()
	}
	info, err := c.w.Disk().Stat(e.Path())
	return isRefusal(err) || err == nil && info.Mode().IsRegular()
}

// prune reports whether a directory is left out.
func (c *collector) prune(rel, name string) bool {
	if c.DefaultExcludes {
		switch name {
		case "node_modules", ".git", "bower_components", ".svn", ".hg",
			".vscode", ".idea", "dist", "build", "coverage", "__pycache__":
			return true
		}
	}
	// "x/**" leaves out the directory x with all that is in it.
	return slices.ContainsFunc(c.Exclude, func(p string) bool {
		dir, all := strings.CutSuffix(p, "/**")
		ok, _ := doublestar.Match(dir, rel)
		return all && ok
	})
}

func (c *collector) excluded(rel, name string) bool {
	if c.DefaultExcludes {
		switch strings.ToLower(strings.TrimPrefix(path.Ext(name), ".")) {
		case "bin", "exe", "dll", "so", "dylib", "class", "jar", "war", "zip", "tar", "gz", "bz2", "rar", "7z", "pak", "rpa",
			"doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "pyc", "pyo":
			return true
		}
		if name == ".DS_Store" || name == ".env" || name == "GEMINI.md" {
			return true
		}
	}
	return slices.ContainsFunc(c.Exclude, func(p string) bool {
		ok, _ := doublestar.Match(p, rel)
		return ok
	})
}

// read reads one file, or skips it.
func (c *collector) read(ctx context.Context, abs string) error {
	skip := func(err error, reason string, args ...any) {
		c.Skipped = append(c.Skipped, Skipped{tool.Skipped{Path: abs, Reason: fmt.Sprintf(reason, args...)}, err})
	}
	switch {
	case c.w.CheckRead(abs) != nil:
		skip(nil, "%v", c.w.CheckRead(abs))
		return nil
	case c.w.Ignored(abs, false, c.Filter):
		skip(nil, "ignored by the project's ignore files")
		return nil
	case !c.asked(abs):
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
		c.size += len(got.blob.Data)
		c.Files = append(c.Files, File{Path: abs, Media: got.blob})
	default:
		text := got.note + got.text
		if got.isText() && got.partial() {
			text = "[WARNING: This is not all of the file. Read the rest of it with read_file.]\n\n" + text
		}
		c.size += len(text)
		c.Files = append(c.Files, File{Path: abs, Text: text})
	}
	return nil
}

// asked reports whether a file may be read that costs as much as media does.
func (c *collector) asked(abs string) bool {
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
