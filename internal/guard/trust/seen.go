package trust

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/terminal"
)

// Record has the powers of trusted folders that the user has seen, and the content of the files that they
// name, as hashes.
type Record struct {
	folders map[string][]string // by real path; each entry has the hashes of a [Sight]
	// IsFirst reports whether nothing was ever recorded. Then a folder that the user trusts was trusted
	// before with Gemini CLI.
	IsFirst bool
	// Problem is why a record that was there cannot be used, "" if it can. Then nothing counts as seen.
	Problem string
}

// ReadRecord reads the file of the record. A missing file is a problem if other files beside it show that
// Pollux has run here before.
func ReadRecord(file string) *Record {
	r := &Record{folders: map[string][]string{}}
	data, err := durable.ReadFile(file, maxFile)
	switch {
	case durable.IsAbsent(err) && isEmpty(filepath.Dir(file)):
		r.IsFirst = true
	case durable.IsAbsent(err):
		r.Problem = "it is missing"
	case err != nil:
		r.Problem = err.Error()
	case json.Unmarshal(data, &r.folders) != nil || r.folders == nil:
		r.folders, r.Problem = map[string][]string{}, "it is damaged"
	}
	return r
}

// isEmpty reports whether a directory is missing, or has no files.
func isEmpty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return durable.IsAbsent(err) || err == nil && len(entries) == 0
}

// Has reports whether the user has seen a power of a folder as it is now.
func (r *Record) Has(dir string, s Sight) bool {
	return !s.isOpen && slices.Contains(r.of(dir), strings.Join(s.print, "."))
}

// of returns the entries of a folder.
func (r *Record) of(dir string) []string { return r.folders[realPath(dir, false)] }

// List returns a line about each power of a folder, each after a line break. It is for a question: an answer is only about
// the powers that it shows.
func (r *Record) List(dir string, sights []Sight) string {
	var b strings.Builder
	for _, s := range sights {
		b.WriteString("\n- " + terminal.Line(r.withNotes(dir, s, lead(s.Text))))
	}
	return b.String()
}

// Excerpt is [Record.List] of the first powers, each shortened, and how many more there are. It is for a warning.
func (r *Record) Excerpt(dir string, sights []Sight) string {
	const most = 20
	var b strings.Builder
	for _, s := range sights[:min(len(sights), most)] {
		b.WriteString("\n- " + terminal.Line(r.Describe(dir, s)))
	}
	if more := len(sights) - most; more > 0 {
		fmt.Fprintf(&b, "\n- and %d more", more)
	}
	return b.String()
}

// maxBrief is the length of the text of a power in a warning.
const maxBrief = 300

// lead returns the text of a power. An object that is long begins with the members that say which program runs, or
// where requests go, so that no other one hides them.
func lead(text string) string {
	if len(text) <= maxBrief {
		return text
	}
	path, object, _ := strings.Cut(text, ": {")
	var members map[string]any
	if json.Unmarshal([]byte("{"+object), &members) != nil {
		return text
	}
	text = path + ": "
	for _, name := range [...]string{"command", "url", "httpUrl", "serverUrl"} {
		if value, ok := members[name]; ok {
			text += name + " " + inline(value) + ", "
		}
	}
	return text + "{" + object
}

// brief returns the text of a power with a bounded length.
func brief(text string) string { return terminal.Cut(lead(text), maxBrief) }

// Describe returns one line about a power for the user, of bounded length: its text, its place, which of its files have
// changed since they saw it, and its unchecked part.
func (r *Record) Describe(dir string, s Sight) string { return r.withNotes(dir, s, brief(s.Text)) }

// withNotes adds notes to the text of a power.
func (r *Record) withNotes(dir string, s Sight, text string) string {
	var notes []string
	if s.Place != "" {
		notes = append(notes, "in "+s.Place)
	}
	if changed := r.changed(dir, s); len(changed) > 0 {
		notes = append(notes, strings.Join(changed, ", ")+" has changed")
	}
	if s.Doubt != "" {
		notes = append(notes, s.Doubt)
	}
	if len(notes) == 0 {
		return text
	}
	return text + " (" + strings.Join(notes, "; ") + ")"
}

// changed returns the files of a power that the user has seen with other content or not at all. It is nil for a
// power that the user has not seen.
func (r *Record) changed(dir string, s Sight) []string {
	var known []string
	for _, entry := range r.of(dir) {
		if hashes := strings.Split(entry, "."); hashes[0] == s.print[0] {
			known = append(known, hashes...)
		}
	}
	if known == nil {
		return nil
	}
	var files []string
	for i, name := range s.files {
		if !slices.Contains(known, s.print[i+1]) {
			files = append(files, name)
		}
	}
	return files
}

// maxSeen is the maximum number of powers of one folder in the file. The first ones are forgotten.
const maxSeen = 1000

// Remember records in the file that the user has seen and accepts powers of a folder, in addition
// to recorded ones: a removed power may come back with another branch.
func Remember(file, dir string, sights []Sight) error {
	if err := remember(file, realPath(dir, false), sights); err != nil {
		return fmt.Errorf("remember what %s does: %w", dir, err)
	}
	return nil
}

func remember(file, folder string, sights []Sight) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	unlock, err := durable.Lock(file)
	if err != nil {
		return err
	}
	defer unlock()
	r := ReadRecord(file)
	entries := append([]string{}, r.folders[folder]...)
	for _, s := range sights {
		if e := strings.Join(s.print, "."); !s.isOpen && !slices.Contains(entries, e) {
			entries = append(entries, e)
		}
	}
	r.folders[folder] = entries[max(0, len(entries)-maxSeen):]
	data, err := json.MarshalIndent(r.folders, "", "  ")
	if err == nil && len(data) > maxFile { // which could not be read again
		maps.DeleteFunc(r.folders, func(dir string, _ []string) bool {
			_, err := os.Stat(dir)
			return errors.Is(err, os.ErrNotExist)
		})
		data, err = json.MarshalIndent(r.folders, "", "  ")
	}
	if err != nil {
		return err
	}
	return durable.WriteFile(file, append(data, '\n'), 0o600)
}

// IsNamed reports whether the user trusts the folder itself by its path, not as one of many below a
// folder that they trust. In the latter case they may never have seen it.
func IsNamed(o Options) bool {
	levels, err := Read(o.File)
	return err == nil && (levels[o.Dir] == TrustFolder || levels[realPath(o.Dir, false)] == TrustFolder)
}

// IsByFile reports whether the file of levels decides about the folder, not the environment, the
// settings or an editor.
func IsByFile(o Options) bool {
	return o.Restricted != "true" && o.Workspace == "" && o.Enabled && o.Editor == Unknown
}
