package trust

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"pollux/internal/durable"
)

// Sight is a power as the user sees it: its text, and the content of the files of the folder that its program
// names.
type Sight struct {
	Power
	print []string // hashes of the text and of each file
	files []string // names of the files, as in print[1:]
	// isOpen is set if the content cannot be checked: such a power is new each time. Doubt is what is not
	// checked, for people; "" for nothing.
	isOpen bool
	Doubt  string
}

// The limits of the content of one power.
const (
	maxNamed    = 64       // files
	maxContent  = 32 << 20 // bytes of all files
	maxAttempts = 4000     // names that may be files
)

// Look returns the power as it is now in the folder dir. It reads the files that the program names.
func (p Power) Look(dir string) Sight {
	s := Sight{Power: p, print: []string{hash(p.Text)}}
	if p.Runs == nil {
		return s
	}
	l := looker{root: dir, room: maxContent}
	l.program(p.Runs)
	for _, f := range l.files {
		s.files, s.print = append(s.files, f.name), append(s.print, f.hash)
	}
	switch {
	case l.problem != "":
		s.isOpen, s.Doubt = true, l.problem+", so Pollux asks each time"
	case p.Runs.computes(dir):
		s.Doubt = "it computes names, so changes of its files are not noticed"
	}
	return s
}

// looker collects the files that a program names.
type looker struct {
	root     string
	room     int64
	files    []named
	seen     []string
	attempts int
	problem  string
}

type named struct{ name, hash string }

func (l *looker) program(p *Program) {
	dir := l.root
	if p.Dir != "" {
		if dir = filepath.Clean(p.Dir); !filepath.IsAbs(dir) {
			dir = filepath.Join(l.root, dir)
		}
	}
	names := p.candidates(l.root)
	var run runner
	isRun := false
	for i, name := range names {
		if r, ok := runnerOf(name); ok {
			run, isRun = runner{append(run.files, r.files...), append(run.endings, r.endings...)}, true
		}
		if name == "-m" && i+1 < len(names) {
			for _, file := range modules(names[i+1]) {
				l.file(dir, file)
			}
		}
		if path, ok := strings.CutPrefix(name, "-m"); ok && path != "" {
			for _, file := range modules(path) {
				l.file(dir, file)
			}
		}
	}
	if isRun {
		l.directory(dir, run)
	}
	for _, name := range names {
		if isDir := l.file(dir, name); isDir && isRun {
			l.directory(filepath.Join(dir, name), run)
		}
		if dir != l.root {
			l.file(l.root, name)
		}
		if path, ok := strings.CutPrefix(name, "-"); ok { // such as -I./lib
			l.file(dir, strings.TrimLeft(path, "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
		}
		for _, ending := range run.endings {
			l.file(dir, name+ending)
		}
		if isRun && !strings.ContainsAny(name, `/\`) {
			l.file(dir, filepath.Join("node_modules", ".bin", name))
		}
	}
}

// directory adds the files that a runner reads in a directory.
func (l *looker) directory(dir string, r runner) {
	for _, file := range r.files {
		if !strings.Contains(file, "*") {
			l.file(dir, file)
			continue
		}
		found, _ := filepath.Glob(filepath.Join(dir, file)) // the pattern is valid
		for _, path := range found[:min(len(found), maxNamed+1)] {
			l.file(dir, path)
		}
	}
}

// file adds a file of the folder, if there is one with this name. It reports whether it is a directory of the
// folder instead.
func (l *looker) file(dir, name string) (isDir bool) {
	if name == "" || len(name) > 4096 || strings.IndexByte(name, 0) >= 0 {
		return false
	}
	path := filepath.Clean(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if !within(path, l.root) && !within(realPath(path, false), l.root) || slices.Contains(l.seen, path) {
		return false
	}
	if l.attempts++; l.attempts > maxAttempts {
		l.problem = "it names too many files"
		return false
	}
	l.seen = append(l.seen, path)
	info, err := os.Stat(path)
	switch {
	case err != nil && (durable.IsAbsent(err) || errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.EINVAL)):
		return false
	case err == nil && info.IsDir():
		return path != l.root
	}
	rel, relErr := filepath.Rel(l.root, path)
	if relErr != nil {
		rel = path
	}
	switch {
	case l.problem != "":
	case err != nil || !info.Mode().IsRegular():
		l.problem = rel + " cannot be read"
	case info.Size() > l.room:
		l.problem = rel + " is too large to check"
	case len(l.files) == maxNamed:
		l.problem = "it names too many files"
	default:
		l.add(path, rel)
	}
	return false
}

// add reads a file.
func (l *looker) add(path, rel string) {
	data, err := durable.ReadFile(path, l.room)
	if err != nil {
		l.problem = rel + " cannot be read"
		return
	}
	l.room -= int64(len(data))
	sum := sha256.New()
	sum.Write([]byte(rel + "\x00"))
	sum.Write(data)
	l.files = append(l.files, named{rel, hex.EncodeToString(sum.Sum(nil)[:16])})
	if line, ok := bytes.CutPrefix(data[:min(len(data), 512)], []byte("#!")); ok {
		line, _, _ = bytes.Cut(line, []byte("\n"))
		for _, word := range tokens(string(line)) {
			l.file(l.root, word)
			l.file(filepath.Dir(path), word)
		}
	}
}

// hash returns a short hash of a text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}
