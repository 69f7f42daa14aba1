package snapshot

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

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
		dir = s.resolve(dir, a.Dir)
	}
	add := func(word string) {
		if word == "" || strings.HasPrefix(word, "-") || strings.Contains(word, "\n") {
			return
		}
		for _, path := range s.matches(dir, word) {
			if s.Recorder.IsOutside(path) && s.isOne(path) && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	for _, c := range script.Commands {
		for i, w := range c.Words {
			if i > 0 {
				add(s.value(w))
			}
		}
	}
	for _, r := range script.Redirections {
		if strings.Contains(r.Op, ">") {
			add(s.value(r.Target))
		}
	}
	return paths
}

var (
	homes  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^"?(~|\$HOME|\$\{HOME\})"?/`) })
	braces = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[^{}]*\}`) })
)

// value returns a word as the program gets it, as far as only the home directory and patterns are to be expanded.
func (s *step) value(w shellcmd.Word) string {
	if w.Static {
		return w.Value
	}
	home, rest := homes().FindString(w.Text), w.Text
	if home != "" && s.Home != "" {
		rest = rest[len(home):]
		if strings.Count(home, `"`) == 1 {
			rest = strings.TrimSuffix(rest, `"`)
		}
		home = s.Home + "/"
	}
	if strings.ContainsAny(rest, "~$`\"'\\") {
		return ""
	}
	return home + rest
}

// matches returns the paths of a word, whose patterns are expanded; or the directory above a pattern with very many matches. Braces
// count as a pattern for any text.
func (s *step) matches(dir, word string) (paths []string) {
	const most = 1000
	path := s.absolute(dir, braces().ReplaceAllString(word, "*"))
	at := strings.IndexAny(path, "*?[")
	if at < 0 {
		return []string{workspace.RealPath(path)}
	}
	found, _ := filepath.Glob(path) // a pattern that is wrong for it is one for nothing
	if len(found) > most {
		return []string{workspace.RealPath(filepath.Dir(path[:at]))}
	}
	for _, path := range found {
		paths = append(paths, workspace.RealPath(path))
	}
	return paths
}

func (s *step) resolve(dir, word string) string { return workspace.RealPath(s.absolute(dir, word)) }

func (s *step) absolute(dir, word string) string {
	if rest, ok := strings.CutPrefix(word, "~/"); ok && s.Home != "" {
		word = filepath.Join(s.Home, rest)
	}
	if !filepath.IsAbs(word) {
		word = filepath.Join(dir, word)
	}
	return filepath.Clean(word)
}

// system are the directories in the root that cannot be recorded as a whole, or where nothing can be.
var system = strings.Fields(`bin boot dev etc home lib lib32 lib64 libx32 media mnt nix opt proc root run sbin snap srv sys tmp usr var
	Applications Library Network System Users Volumes cores private`)

// isOne reports whether a path can be recorded as a whole: the home directory, those above it, and those of the system cannot.
func (s *step) isOne(path string) bool {
	if workspace.IsWithin(s.Home, path) {
		return false
	}
	top, rest, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(path), "/"), "/")
	switch top {
	case "dev", "proc", "sys", "run":
		return false
	}
	return rest != "" || !slices.Contains(system, top)
}
