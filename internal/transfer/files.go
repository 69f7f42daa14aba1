package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
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
func Write(path string, text []byte, ofProject bool, dir string) error {
	if ofProject {
		if err := checkInside(dir, filepath.Dir(path)); err != nil {
			return err
		}
	}
	if err := durable.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return durable.WriteFile(path, text, 0o600)
}

// checkInside returns an error if the part of a path that exists leads out of a directory.
func checkInside(dir, path string) error {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	for {
		target, err := filepath.EvalSymlinks(path)
		switch {
		case err == nil:
			if rel, err := filepath.Rel(dir, target); err != nil || !filepath.IsLocal(rel) {
				return durable.ErrOutside
			}
			return nil
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		if err := durable.CheckLink(path); err != nil {
			return err // a link to nothing would be followed when the directory is made
		}
		path = filepath.Dir(path)
	}
}
