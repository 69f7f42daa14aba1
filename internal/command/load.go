package command

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"

	"pollux/internal/durable"
	"pollux/internal/terminal"
)

// Limits of a source. A directory may hold anything.
const (
	maxFile    = 256 << 10 // bytes of a file
	maxFiles   = 1000      // command files
	maxEntries = 10_000    // names of files and directories
	maxDepth   = 8         // directories below Dir
)

// Loader reads command files. It caches files, and reads only changed ones again. It is safe for
// concurrent use.
type Loader struct {
	mu    sync.Mutex
	files map[string]entry // by path
}

// entry is the cached content of a file.
type entry struct {
	modified time.Time
	size     int64
	Command
	problem string
}

// Load returns the commands of the sources in their order, those of a source sorted by name, and
// problems with the others. A directory that does not exist has no commands.
func (l *Loader) Load(sources []Source) (commands []Command, problems []Problem) {
	l.mu.Lock()
	defer l.mu.Unlock()
	read := map[string]entry{}
	for _, source := range sources {
		s := search{Source: source, known: l.files, read: read, left: maxEntries}
		s.directory(source.Dir, nil)
		slices.SortStableFunc(s.commands, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
		commands, problems = append(commands, s.commands...), append(problems, s.problems...)
	}
	l.files = read
	return commands, problems
}

// Forget makes the next Load read all files again.
func (l *Loader) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files = nil
}

// search finds the commands of a source.
type search struct {
	Source
	known, read map[string]entry
	left        int // entries that may still be looked at
	commands    []Command
	problems    []Problem
}

func (s *search) skip(path, format string, args ...any) {
	s.problems = append(s.problems, Problem{path, fmt.Sprintf(format, args...)})
}

// directory adds the commands below dir. above are the directories on the way to it.
func (s *search) directory(dir string, above []fs.FileInfo) {
	info, err := os.Stat(dir)
	switch {
	case err != nil && len(above) == 0 && errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		s.skip(dir, "%v", durable.Cause(err))
		return
	case slices.ContainsFunc(above, func(other fs.FileInfo) bool { return os.SameFile(info, other) }):
		return // a link to a directory above it
	case len(above) > maxDepth:
		s.skip(dir, "it is more than %d directories deep", maxDepth)
		return
	}
	f, err := durable.OpenDir(dir)
	if err != nil {
		s.skip(dir, "%v", durable.Cause(err))
		return
	}
	names, _ := f.Readdirnames(s.left + 1) // as many as can be read of a broken directory
	_ = f.Close()
	if len(names) > s.left {
		s.skip(s.Dir, "it has more than %d files: Pollux reads only some of them", maxEntries)
		names = names[:s.left]
	}
	s.left -= len(names)
	slices.Sort(names)
	for _, name := range names {
		s.visit(filepath.Join(dir, name), append(slices.Clip(above), info))
	}
}

// visit adds the commands of a file or directory.
func (s *search) visit(path string, above []fs.FileInfo) {
	linked, err := os.Lstat(path)
	if err != nil {
		return // it is gone
	}
	isCommand := strings.HasSuffix(path, ".toml")
	info := linked
	if linked.Mode()&fs.ModeSymlink != 0 {
		if info, err = os.Stat(path); err != nil || !s.contains(path) {
			if isCommand || err == nil && info.IsDir() {
				s.skip(path, "it is a link that is broken or leads out of the %s", map[Kind]string{Workspace: "project", Extension: "extension"}[s.Kind])
			}
			return
		}
	}
	switch {
	case info.IsDir():
		s.directory(path, above)
	case !isCommand:
	case len(s.commands) == maxFiles:
		if s.left > 0 {
			s.skip(s.Dir, "it has more than %d command files: Pollux reads only some of them", maxFiles)
		}
		s.left = 0
	default:
		s.file(path, info)
	}
}

// contains reports whether a link leads to where it may lead.
func (s *search) contains(path string) bool {
	if s.Root == "" {
		return true
	}
	root, err := filepath.EvalSymlinks(s.Root)
	if err != nil {
		return false
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(root, target)
	return err == nil && filepath.IsLocal(rel)
}

// file adds the command of a file, which is read if it has changed.
func (s *search) file(path string, info fs.FileInfo) {
	f, isKnown := s.known[path]
	if !isKnown || !f.modified.Equal(info.ModTime()) || f.size != info.Size() || f.Source != s.Source {
		f = entry{modified: info.ModTime(), size: info.Size(), Command: Command{Source: s.Source, Path: path, Name: s.name(path)}}
		if err := f.parse(); err != nil {
			f.problem = err.Error()
		}
	}
	s.read[path] = f
	if f.problem != "" {
		s.skip(path, "%s", f.problem)
		return
	}
	s.commands = append(s.commands, f.Command)
}

// parse reads the file of a command.
func (c *Command) parse() error {
	data, err := durable.ReadFile(c.Path, maxFile)
	if err != nil {
		return err
	}
	data = bytes.ReplaceAll(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\r\n"), []byte("\n")) // shells need \n
	var found map[string]any
	if err := toml.Unmarshal(data, &found); err != nil {
		return syntaxError(err)
	}
	prompt, hasPrompt := found["prompt"]
	description, hasDescription := found["description"]
	var ok bool
	if c.Prompt, ok = prompt.(string); !ok {
		if hasPrompt {
			return errors.New("the prompt is not a string")
		}
		return errors.New("the prompt is missing")
	}
	if c.Description, ok = description.(string); !ok && hasDescription {
		return errors.New("the description is not a string")
	}
	if c.Description == "" {
		c.Description = "Custom command from " + filepath.Base(c.Path)
	}
	c.Description = terminal.Cut(terminal.Line(c.Description), maxDescription)
	if c.Kind == Extension {
		c.Prompt = strings.ReplaceAll(c.Prompt, "${extensionPath}", c.Root)
		c.Description = "[" + c.Owner + "] " + c.Description
	}
	return nil
}

const maxDescription = 100 // characters

// syntaxError names the line of an error of TOML.
func syntaxError(err error) error {
	var e *toml.DecodeError
	if !errors.As(err, &e) {
		return fmt.Errorf("it is not valid TOML: %w", err)
	}
	line, column := e.Position()
	return fmt.Errorf("it is not valid TOML (line %d, column %d): %s", line, column, strings.TrimPrefix(e.Error(), "toml: "))
}

// name returns the name of the command of a file.
func (s *search) name(path string) string {
	rel, err := filepath.Rel(s.Dir, strings.TrimSuffix(path, ".toml"))
	if err != nil { // path is below Dir
		return filepath.Base(path)
	}
	segments := strings.Split(filepath.ToSlash(rel), "/")
	for i, segment := range segments {
		segments[i] = sanitize(segment)
	}
	return strings.Join(segments, ":")
}

// sanitize returns a part of a name without characters that a name cannot have, one "_" for each, and
// shortened to 50 characters.
func sanitize(segment string) string {
	const most, dots = 50, "..."
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.", r) {
			return r
		}
		return '_'
	}, segment)
	if len(clean) > most {
		clean = clean[:most-len(dots)] + dots
	}
	return clean
}
