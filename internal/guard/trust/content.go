package trust

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"pollux/internal/config"
	"pollux/internal/durable"
)

// Sight is a power as the user sees it: its text, and the content of the files of the folder that its program
// names.
type Sight struct {
	Power
	print []string // hashes of the text and of each file
	files []string // names of the files, as in print[1:]
	// isOpen is set if the content cannot be checked: such a power is new each time. Doubt names the
	// unchecked part, for people; "" for none.
	isOpen bool
	Doubt  string
}

// The limits of the content of one power.
const (
	maxNamed    = 64       // files
	maxContent  = 32 << 20 // bytes of all files
	maxAttempts = 4000     // names that may be files
)

// LookAt returns powers of a folder as they are now.
func LookAt(dir string, powers []Power) (sights []Sight) {
	for _, power := range powers {
		sights = append(sights, power.Look(dir))
	}
	return sights
}

// Look returns the power as it is now in the folder dir. It reads the files that the program names.
func (p Power) Look(dir string) Sight {
	s := Sight{Power: p, print: []string{hash(p.Text)}}
	if p.Runs == nil {
		return s
	}
	l := looker{root: dir, room: maxContent, missing: map[string]bool{}}
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

// Files returns the paths of the files of the folder dir that programs in the settings of all layers run: scripts
// of hooks, of MCP servers and of discovery commands, and the files that [Power.Look] finds in them. lines are further command lines.
func Files(s *config.Settings, dir string, lines ...string) (paths []string) {
	text, err := json.Marshal(s.Tree())
	tree := map[string]any{}
	if err != nil || json.Unmarshal(text, &tree) != nil { // it was parsed from JSON
		return nil
	}
	look := func(p Power) bool {
		for _, name := range p.Look(dir).files {
			if !filepath.IsAbs(name) {
				name = filepath.Join(dir, name)
			}
			if !slices.Contains(paths, name) {
				paths = append(paths, name)
			}
		}
		return true
	}
	Powers(nil, tree, look)
	look(Power{Runs: &Program{Lines: lines}})
	for _, line := range lines {
		paths = append(paths, wordFiles(dir, line)...)
	}
	return paths
}

// wordFiles returns the files of the folder dir that words of a command line may name, whatever they mean there: also in directories that it changes to.
func wordFiles(dir, line string) (paths []string) {
	dirs, before := []string{dir}, ""
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`<>;&|()=$", r) }) {
		if before == "cd" && len(dirs) < maxNamed {
			dirs = append(dirs, filepath.Join(dir, word))
		}
		before = word
		names := []string{word}
		if strings.HasPrefix(word, "-") && len(word) > 2 {
			names = append(names, word[2:]) // of a flag with its value
		}
		for _, dir := range dirs {
			for _, name := range names {
				if !filepath.IsAbs(name) {
					name = filepath.Join(dir, name)
				}
				if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && len(paths) < maxNamed {
					paths = append(paths, name)
				}
			}
		}
	}
	return paths
}

// looker collects the files that a program names.
type looker struct {
	root     string
	room     int64
	files    []named
	seen     []string
	missing  map[string]bool
	attempts int // to find files
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
	for _, names := range p.sequences(l.root) {
		l.sequence(dir, names)
	}
}

// sequence adds the files that the words of a command line name.
func (l *looker) sequence(dir string, names []string) {
	var run runner
	isRun := false
	for i, name := range names {
		if r, ok := runnerOf(name); ok {
			run, isRun = runner{append(run.files, r.files...), append(run.endings, r.endings...)}, true
		}
		module, isGlued := strings.CutPrefix(name, "-m")
		if module == "" && i+1 < len(names) {
			module = names[i+1]
		}
		if isGlued {
			for _, file := range modules(module) {
				l.file(dir, file, true)
			}
		}
	}
	if isRun {
		l.directory(dir, run)
	}
	isNext := false // the next file is run
	for i, name := range names {
		isRead := isNext || i > 0 && strings.HasPrefix(names[i-1], "-")
		isFile, isDir := l.file(dir, name, isRead)
		if dir != l.root { // the word may have had the path of the folder
			inRoot, _ := l.file(l.root, name, isRead)
			isFile = isFile || inRoot
		}
		if path, ok := strings.CutPrefix(name, "-"); ok { // such as -I./lib
			l.file(dir, strings.TrimLeft(path, "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"), true)
		}
		if isDir && isRun {
			l.directory(filepath.Join(dir, name), run)
		}
		for _, ending := range run.endings {
			l.file(dir, name+ending, true)
		}
		if isRun && !strings.ContainsAny(name, `/\\`) {
			l.file(dir, filepath.Join("node_modules", ".bin", name), true)
		}
		switch isValue := i > 0 && strings.HasPrefix(names[i-1], "-"); {
		case isInterpreter(name), i == 0 && name == ".":
			isNext = true
		case isFile, !isValue && !strings.HasPrefix(name, "-") && !slices.Contains(subcommands, name):
			isNext = false
		}
	}
}

// subcommands are words between an interpreter and the file that it runs.
var subcommands = []string{"run", "exec", "x", "dlx", "start", "test"}

// directory adds the files that a runner reads in a directory.
func (l *looker) directory(dir string, r runner) {
	for _, file := range r.files {
		if !strings.Contains(file, "*") {
			l.file(dir, file, true)
			continue
		}
		found, _ := fs.Glob(os.DirFS(dir), file) // the pattern is valid
		for _, path := range found[:min(len(found), maxNamed+1)] {
			l.file(dir, path, true)
		}
	}
}

// file adds a file of the folder, if there is one with this name, and reports whether there is, or whether it is a
// directory of the folder. It leaves out data, such as logs, unless, by isRead, the program runs or reads it as
// code.
func (l *looker) file(dir, name string, isRead bool) (isFile, isDir bool) {
	if name == "" || len(name) > 4096 || strings.IndexByte(name, 0) >= 0 {
		return false, false
	}
	path := filepath.Clean(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if !within(path, l.root) && !within(realPath(path, false), l.root) {
		return false, false
	}
	if l.missing[path] {
		return false, false
	}
	if l.attempts++; l.attempts > maxAttempts {
		l.problem = "it names too many files"
		return false, false
	}
	info, err := os.Stat(path)
	switch {
	case err != nil && (durable.IsAbsent(err) || errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.EINVAL)):
		l.missing[path] = true
		return false, false
	case err == nil && info.IsDir():
		return false, path != l.root
	case slices.Contains(l.seen, path):
		return true, false
	case err == nil && !isRead && info.Mode()&0o111 == 0 && isData(path) && !isScript(path):
		return true, false
	}
	l.seen = append(l.seen, path)
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
	return true, false
}

// isScript reports whether a file names its interpreter in its first line.
func isScript(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return true // which reading it reports
	}
	defer f.Close()
	head := make([]byte, 2)
	n, _ := f.Read(head) // a short file is none
	return string(head[:n]) == "#!"
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
			l.file(l.root, word, true)
			l.file(filepath.Dir(path), word, true)
		}
	}
}

// hash returns a short hash of a text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// ServerContent identifies the content of the files of the folder dir that MCP servers run, given as entries of
// mcpServers. It is "" if they name no files, and different each time if it cannot be checked.
func ServerContent(dir string, entries map[string]json.RawMessage) string {
	var print []string
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		var entry map[string]any
		if json.Unmarshal(entries[name], &entry) != nil {
			continue
		}
		s := Power{Text: name, Runs: programOf(config.Server, entry)}.Look(dir)
		if s.isOpen {
			return rand.Text()
		}
		print = append(print, s.print[1:]...)
	}
	if len(print) == 0 {
		return ""
	}
	return hash(strings.Join(print, "."))
}
