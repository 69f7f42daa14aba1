package project

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"pollux/internal/config"
	"pollux/internal/wording"
)

// warnUnused warns once of settings and variables that Pollux does not support yet. It warns
// again after a settings file or the list has changed.
func (p *Project) warnUnused() {
	if line := p.unused(); line != "" && !p.wasShown(line) {
		p.Warn(line)
	}
}

// unused returns one line about settings and variables that have no effect yet, "" if
// there are none.
func (p *Project) unused() string {
	var counts, names []string
	add := func(noun string, found []string) {
		if len(found) > 0 {
			counts = append(counts, wording.Count(len(found), noun))
			names = append(names, found...)
		}
	}
	degrees := []config.Support{config.Later}
	if p.Options.Interactive {
		degrees = append(degrees, config.Screen)
	}
	add("setting", p.Settings().Ineffective(degrees...))
	add("variable", config.IneffectiveVariables(p.Env()))
	if len(names) == 0 {
		return ""
	}
	verb := "have"
	if len(names) == 1 {
		verb = "has"
	}
	begin, end := enumerate(counts)+" "+verb+" no effect yet: ", ". Details: pollux doctor"
	return begin + listOf(names, maxUnused-utf8.RuneCountInString(begin+end)) + end
}

// maxUnused is the length of the notice about settings without effect, in characters: two lines.
const maxUnused = 150

// listOf returns as many of the names as fit into room characters, but at least one, and the
// number of the others.
func listOf(names []string, room int) string {
	list := config.Printable(names[0])
	rest := func(shown int) string {
		if shown == len(names) {
			return ""
		}
		return fmt.Sprintf(" and %d more", len(names)-shown)
	}
	for i, name := range names[1:] {
		longer := list + ", " + config.Printable(name)
		if utf8.RuneCountInString(longer+rest(i+2)) > room {
			return list + rest(i+1)
		}
		list = longer
	}
	return list
}

// enumerate joins words as in "a, b and c".
func enumerate(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// wasShown reports whether line has been shown for the current settings files, and remembers
// that it is shown now. It returns false if that cannot be remembered.
func (p *Project) wasShown(line string) bool {
	hash := sha256.New()
	hash.Write([]byte(line))
	for _, f := range config.Files(p.Settings(), p.Paths) {
		if f.State == "read" {
			data, _ := os.ReadFile(f.File) // the file was read a moment ago; without it the line is shown again
			hash.Write(data)
		}
	}
	// A file for each line: several processes can create them at once.
	dir := filepath.Join(p.Paths.RuntimeDir(), "pollux", "shown")
	path := filepath.Join(dir, hex.EncodeToString(hash.Sum(nil)[:16]))
	if _, err := os.Lstat(path); err == nil {
		return true
	}
	if os.MkdirAll(dir, 0o700) != nil {
		return false
	}
	forgetOldest(dir)
	if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
		_ = f.Close()
	}
	return false
}

// forgetOldest removes the oldest files of a directory that has many.
func forgetOldest(dir string) {
	const most = 100
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) < most {
		return
	}
	age := func(e os.DirEntry) int64 {
		info, err := e.Info()
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(age(a), age(b)) })
	for _, e := range entries[:len(entries)-most/2] {
		_ = os.Remove(filepath.Join(dir, e.Name()))
	}
}
