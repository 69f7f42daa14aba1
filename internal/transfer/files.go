package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/exit"
)

// Place is a directory with files of another agent: the home directory, or that of a project.
type Place struct {
	Dir string
	// IsProject means that links must not lead out of the directory.
	IsProject bool
}

// The maximum sizes of files, in bytes. A file of Claude Code with servers has much else in it. The decoder of TOML takes quadratic time
// in the size of a table.
const (
	maxJSON = 64 << 20
	maxTOML = 256 << 10
)

// File is a file with an object.
type File struct {
	Name   string // below the place, with slashes
	Path   string
	Object map[string]any
	// Text is the content.
	Text []byte
}

// Objects reads those of the files in the place that exist. They are TOML by their name, else JSON with comments.
func (p Place) Objects(names ...string) (files []File, err error) {
	for _, name := range names {
		limit := int64(maxJSON)
		if filepath.Ext(name) == ".toml" {
			limit = maxTOML
		}
		data, err := p.Read(name, limit)
		if durable.IsAbsent(err) {
			continue
		}
		f := File{Name: name, Path: p.Path(name), Text: data}
		if err == nil {
			f.Object, err = parse(name, data)
		}
		if err != nil {
			return files, exit.Errorf(exit.Config, "Cannot read %s: %w.", f.Path, err)
		}
		files = append(files, f)
	}
	return files, nil
}

// Member returns an object in a settings file as it is written, with the names of variables. It returns nil if there is none.
func Member(file, key string) (map[string]any, error) {
	data, err := durable.ReadFile(file, maxJSON)
	if durable.IsAbsent(err) {
		return nil, nil
	}
	var tree map[string]any
	if err == nil {
		tree, err = config.ParseObject(data)
	}
	if err != nil {
		return nil, exit.Errorf(exit.Config, "Cannot read %s: %w.", file, err)
	}
	member, _ := tree[key].(map[string]any)
	return member, nil
}

// Read reads a file in the place.
func (p Place) Read(name string, limit int64) ([]byte, error) {
	if p.IsProject {
		return durable.ReadInside(p.Dir, filepath.FromSlash(name), limit)
	}
	return durable.ReadFile(p.Path(name), limit)
}

// Path returns the path of a file in the place.
func (p Place) Path(name string) string { return filepath.Join(p.Dir, filepath.FromSlash(name)) }

// Paths returns the paths of files.
func Paths(files []File) (paths []string) {
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	return paths
}

// parse returns the object in a file.
func parse(name string, data []byte) (map[string]any, error) {
	if filepath.Ext(name) == ".toml" {
		return ParseTOML(data)
	}
	return config.ParseObject(data)
}

// ParseTOML returns the object that a text of TOML has, in the types of [encoding/json].
func ParseTOML(data []byte) (map[string]any, error) {
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil {
		var wrong *toml.DecodeError
		if errors.As(err, &wrong) {
			line, column := wrong.Position()
			return nil, fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(wrong.Error(), "toml: "))
		}
		return nil, errors.New(strings.TrimPrefix(err.Error(), "toml: "))
	}
	if !isShallow(tree, 100) {
		return nil, errors.New("it has too many tables in one another")
	}
	text, err := json.Marshal(tree)
	if err != nil {
		return nil, errors.New("it has a number that JSON does not have")
	}
	plain := map[string]any{}
	return plain, json.Unmarshal(text, &plain)
}

// isShallow reports whether a value is nested at most so deep.
func isShallow(v any, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		for _, one := range v {
			if !isShallow(one, depth-1) {
				return false
			}
		}
	case []any:
		for _, one := range v {
			if !isShallow(one, depth-1) {
				return false
			}
		}
	}
	return true
}

// Write writes a new file. One of a project must not be written out of it by a link that the project has.
func Write(file string, text []byte, ofProject bool, dir string) error {
	if ofProject {
		if err := checkInside(dir, filepath.Dir(file)); err != nil {
			return err
		}
	}
	if err := durable.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return durable.WriteFile(file, text, 0o600)
}

// backupEnd is at the end of the names of copies of settings, before a number.
const backupEnd = ".before-import"

// keep copies a settings file to a new file beside it, and returns its path, "" if there is no settings file.
func keep(file string) (backup string, err error) {
	data, err := durable.ReadFile(file, maxJSON)
	if durable.IsAbsent(err) {
		return "", nil
	}
	backup = file + backupEnd
	for n := 2; err == nil && !durable.IsMissing(backup); n++ {
		if n > maxFiles {
			return "", exit.Errorf(exit.General, "Cannot keep a copy of %s: there are too many.", file)
		}
		backup = fmt.Sprintf("%s%s-%d", file, backupEnd, n)
	}
	if err == nil {
		err = durable.WriteFile(backup, data, 0o600)
	}
	if err != nil {
		return "", exit.Errorf(exit.General, "Cannot keep a copy of %s: %w.", file, durable.Cause(err))
	}
	return backup, nil
}

// checkInside returns an error if the part of a path that exists leads out of a directory.
func checkInside(dir, file string) error {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	for {
		target, err := filepath.EvalSymlinks(file)
		switch {
		case err == nil:
			if rel, err := filepath.Rel(dir, target); err != nil || !filepath.IsLocal(rel) {
				return durable.ErrOutside
			}
			return nil
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		if err := durable.CheckLink(file); err != nil {
			return err // a link to nothing would be followed when the directory is made
		}
		file = filepath.Dir(file)
	}
}

// The bounds of Find. A directory of a project may hold anything.
const (
	maxEntries = 10_000
	maxFiles   = 1000
	maxDepth   = 8
)

// Find returns the names of the files below a directory of the place that end in one of the suffixes, sorted, without the directory. Links to
// directories are not followed. isWhole is false if there are more files than it returns.
func (p Place) Find(dir string, suffixes ...string) (names []string, isWhole bool) {
	left := maxEntries
	isWhole = p.find(dir, "", suffixes, maxDepth, &left, &names)
	if len(names) > maxFiles {
		names, isWhole = names[:maxFiles], false
	}
	return names, isWhole
}

func (p Place) find(dir, below string, suffixes []string, depth int, left *int, names *[]string) (isWhole bool) {
	if depth == 0 || *left <= 0 {
		return false
	}
	f, err := p.openDir(path.Join(dir, below))
	if err != nil {
		return durable.IsAbsent(err)
	}
	entries, _ := f.ReadDir(*left + 1) // as many as can be read of a broken directory
	_ = f.Close()
	if isWhole = len(entries) <= *left; !isWhole {
		entries = entries[:*left]
	}
	*left -= len(entries)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		name := path.Join(below, e.Name())
		switch {
		case e.IsDir():
			isWhole = p.find(dir, name, suffixes, depth-1, left, names) && isWhole
		case slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) }):
			*names = append(*names, name)
		}
	}
	return isWhole
}

// openDir opens a directory of the place.
func (p Place) openDir(name string) (*os.File, error) {
	if !p.IsProject {
		return durable.OpenDir(p.Path(name))
	}
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if info, err := root.Stat(filepath.FromSlash(name)); err != nil || !info.IsDir() {
		return nil, fs.ErrNotExist
	}
	return root.Open(filepath.FromSlash(name))
}

// Has reports whether the place has a file or a directory.
func (p Place) Has(name string) bool { return !durable.IsMissing(p.Path(name)) }
