package subagent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/durable"
)

// Source is a directory with definitions.
type Source struct {
	Kind Origin
	// Dir is the directory, and Root the one whose links must not lead out of it; "" allows all.
	Dir, Root string
	// Extension is the name of the extension that has the directory, "" for none.
	Extension string
	// Expand replaces variables in definitions of extensions; nil replaces none.
	Expand func(text string) string
}

// Limits of a source. A directory may hold anything.
const (
	maxFile  = 256 << 10 // bytes of a file
	maxFiles = 1000
)

// Load reads the definitions of the sources in their order, those of a source by the names of the files. It
// returns omitted definitions as errors; those about a file are [*LoadError]. A directory that does not
// exist has no definitions.
func Load(sources []Source) (list []*Definition, problems []error) {
	for _, s := range sources {
		entries, err := os.ReadDir(s.Dir)
		if durable.IsAbsent(err) {
			continue
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("agents in %s cannot be read: %w", s.Dir, durable.Cause(err)))
			continue
		}
		names := slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
			return e.IsDir() || strings.HasPrefix(e.Name(), "_") || filepath.Ext(e.Name()) != ".md"
		})
		if len(names) > maxFiles {
			problems = append(problems, fmt.Errorf("%s has more than %d files: Pollux reads only some of them", s.Dir, maxFiles))
			names = names[:maxFiles]
		}
		for _, e := range names {
			path := filepath.Join(s.Dir, e.Name())
			read, err := s.read(path)
			if err != nil {
				problems = append(problems, &LoadError{path, err})
				continue
			}
			list = append(list, read...)
		}
	}
	return list, problems
}

func (s *Source) read(path string) ([]*Definition, error) {
	if err := s.checkInside(path); err != nil {
		return nil, err
	}
	data, err := durable.ReadFile(path, maxFile)
	if err != nil {
		//lint:ignore ST1005 the text is that of Gemini CLI
		return nil, fmt.Errorf("Could not read file: %w", durable.Cause(err))
	}
	list, err := Parse(data)
	for _, d := range list {
		d.Origin, d.Path, d.Extension = s.Kind, path, s.Extension
		if s.Expand != nil {
			d.Prompt = s.Expand(d.Prompt)
			for name, entry := range d.Servers {
				d.Servers[name] = []byte(s.Expand(string(entry)))
			}
		}
	}
	return list, err
}

// checkInside returns an error for a link that leads out of the root of the source.
func (s *Source) checkInside(path string) error {
	if s.Root == "" {
		return nil
	}
	root, err := filepath.EvalSymlinks(s.Root)
	if err != nil {
		return durable.Cause(err)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return durable.Cause(err)
	}
	if rel, err := filepath.Rel(root, real); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return errors.New("it is a link to a file outside of the project")
	}
	return nil
}

// LoadError is why a file was left out.
type LoadError struct {
	Path string
	Err  error
}

func (e *LoadError) Error() string {
	return fmt.Sprintf("Agent loading error: Failed to load agent from %s: %v", e.Path, e.Err)
}

func (e *LoadError) Unwrap() error { return e.Err }
