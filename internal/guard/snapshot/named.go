package snapshot

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/shellcmd"
	"pollux/internal/workspace"
)

// named returns the paths outside of the recorder's roots that a command names, as far as its words show them.
func (s *step) named(args json.RawMessage) (paths []string) {
	var a struct {
		Command string `json:"command"`
		Dir     string `json:"dir_path"`
	}
	if json.Unmarshal(args, &a) != nil {
		return nil
	}
	script, err := shellcmd.Parse(a.Command)
	if err != nil {
		return nil
	}
	dir := s.Workspace.Root()
	if a.Dir != "" {
		dir = absolute(dir, a.Dir)
	}
	add := func(w shellcmd.Word) {
		for _, path := range s.meant(dir, w) {
			path = workspace.RealPath(path)
			if s.Recorder.IsOutside(path) && s.isOne(path) && !s.isSkipped(path) && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	for _, c := range script.Commands {
		for i, w := range c.Words {
			if i > 0 {
				add(w)
			}
		}
	}
	for _, r := range script.Redirections {
		if strings.Contains(r.Op, ">") {
			add(r.Target)
		}
	}
	return paths
}

// isSkipped reports whether a path is one of Skip, or below one.
func (s *step) isSkipped(path string) bool {
	return s.Skip != nil && slices.ContainsFunc(s.Skip(), func(dir string) bool { return workspace.IsWithin(path, dir) })
}

// The most paths that a word stands for, and the most entries of directories that are compared with its patterns. If there are more,
// it stands for the directory above them.
const (
	mostPaths   = 1000
	mostEntries = 10_000
)

// meant returns the paths that a word stands for in a directory, none for an option or for a word with output of other commands.
func (s *step) meant(dir string, w shellcmd.Word) []string {
	fields, above, left := []string{w.Value}, "", mostEntries
	if !w.Static {
		var err error
		fields, err = w.Expand(func(name string) string { return map[string]string{"HOME": s.Home, "PWD": dir}[name] }, func(path string) ([]fs.DirEntry, error) {
			if !s.Recorder.IsOutside(workspace.RealPath(path)) {
				return nil, nil // nor is anything below it
			}
			above = cmp.Or(above, path)
			entries, err := firstEntries(path, left+1)
			left -= len(entries)
			return entries, err
		}, mostPaths)
		switch {
		case above != "" && (left < 0 || len(fields) == mostPaths):
			fields = []string{above}
		case err != nil:
			return nil
		}
	}
	fields = slices.DeleteFunc(fields, func(f string) bool { return f == "" || strings.HasPrefix(f, "-") || strings.Contains(f, "\n") })
	for i, f := range fields {
		fields[i] = absolute(dir, f)
	}
	return fields
}

// firstEntries returns some entries of a directory.
func firstEntries(dir string, most int) ([]fs.DirEntry, error) {
	if most <= 0 {
		return nil, nil
	}
	f, err := durable.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(most)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// absolute returns a path that is relative to a directory as an absolute one.
func absolute(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// isOne reports whether a path can be recorded as a whole: the home directory, those above it, and those of the system cannot.
func (s *step) isOne(path string) bool {
	if workspace.IsWithin(s.Home, path) {
		return false
	}
	top, below, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(path), "/"), "/")
	switch top {
	case "dev", "proc", "sys", "run":
		return false
	case "bin", "boot", "etc", "home", "lib", "lib32", "lib64", "libx32", "media", "mnt", "nix", "opt", "root", "sbin", "snap", "srv", "tmp", "usr", "var",
		"Applications", "Library", "Network", "System", "Users", "Volumes", "cores", "private":
		return below != ""
	}
	return true
}
