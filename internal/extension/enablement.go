package extension

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"pollux/internal/durable"
)

// enablementName is the file name of an [Enablement], in the directory of extensions.
const enablementName = "extension-enablement.json"

const maxEnablement = 4 << 20 // bytes

// Enablement is the file of the directories in which extensions are enabled, in the format of Gemini
// CLI. An extension without a rule is enabled everywhere.
type Enablement struct {
	path    string
	entries []enablementEntry // in the order of the file
}

type enablementEntry struct {
	name  string
	rules []string
}

// OpenEnablement reads the file in the directory of extensions. If it cannot be read, no extension is
// enabled, because the user may have disabled any.
func OpenEnablement(extensionsDir string) (*Enablement, error) {
	e := &Enablement{path: filepath.Join(extensionsDir, enablementName)}
	data, err := durable.ReadFile(e.path, maxEnablement)
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	if err == nil {
		err = e.parse(data)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", e.path, err)
	}
	return e, nil
}

// parse reads the entries, and keeps their order.
func (e *Enablement) parse(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return errors.New("it is not a JSON object")
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return errors.New("it is not valid JSON")
		}
		var entry struct {
			Overrides []string `json:"overrides"`
		}
		name, _ := key.(string)
		if err := d.Decode(&entry); err != nil {
			return fmt.Errorf("the entry %.100q is not valid", name)
		}
		e.remove(name) // the last of several counts
		e.entries = append(e.entries, enablementEntry{name, entry.Overrides})
	}
	if _, err := d.Token(); err != nil || d.More() {
		return errors.New("it is not valid JSON")
	}
	return nil
}

// IsEnabled reports whether an extension is enabled in a directory. A nil Enablement enables none.
func (e *Enablement) IsEnabled(name, dir string) bool {
	if e == nil {
		return false
	}
	enabled := true
	if i := e.index(name); i >= 0 {
		dir = slashed(dir)
		for _, text := range e.entries[i].rules {
			if r := parseRule(text); r.matches(dir) {
				enabled = !r.disables
			}
		}
	}
	return enabled
}

// Enable enables an extension in a directory and, if recursive is set, below it.
func (e *Enablement) Enable(name, dir string, recursive bool) error {
	return e.add(name, rule{slashed(dir), false, recursive})
}

// Disable disables an extension in a directory and, if recursive is set, below it.
func (e *Enablement) Disable(name, dir string, recursive bool) error {
	return e.add(name, rule{slashed(dir), true, recursive})
}

// Remove removes the rules of an extension.
func (e *Enablement) Remove(name string) error {
	return e.change(func() { e.remove(name) })
}

// Rename gives the rules of an extension to another name.
func (e *Enablement) Rename(from, to string) error {
	return e.change(func() {
		if i := e.index(from); i >= 0 && from != to {
			rules := e.entries[i].rules
			e.remove(to)
			e.entries[e.index(from)] = enablementEntry{to, rules}
		}
	})
}

func (e *Enablement) index(name string) int {
	return slices.IndexFunc(e.entries, func(entry enablementEntry) bool { return entry.name == name })
}

func (e *Enablement) remove(name string) {
	e.entries = slices.DeleteFunc(e.entries, func(entry enablementEntry) bool { return entry.name == name })
}

// add appends a rule, and removes those that it replaces.
func (e *Enablement) add(name string, added rule) error {
	return e.change(func() {
		if e.index(name) < 0 {
			e.entries = append(e.entries, enablementEntry{name: name})
		}
		rules := &e.entries[e.index(name)].rules
		kept := slices.DeleteFunc(slices.Clone(*rules), func(text string) bool {
			r := parseRule(text)
			return r.dir == added.dir || added.recursive && added.matches(r.dir)
		})
		*rules = append(kept, added.String())
	})
}

// change reads the file again, changes the entries and writes them. Other processes may do the same.
func (e *Enablement) change(change func()) error {
	dir := filepath.Dir(e.path)
	if err := durable.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	unlock, err := durable.Lock(e.path)
	if err != nil {
		return err
	}
	defer unlock()
	current, err := OpenEnablement(dir)
	if err != nil {
		return err
	}
	e.entries = current.entries
	before := e.encode()
	change()
	after := e.encode()
	if bytes.Equal(before, after) {
		return nil
	}
	return durable.WriteFile(e.path, after, 0o644)
}

// encode returns the text of the file, as Gemini CLI writes it.
func (e *Enablement) encode() []byte {
	var b, indented bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	separator := "{"
	for _, entry := range e.entries {
		b.WriteString(separator)
		_ = encoder.Encode(entry.name) // a string is always valid, and so are several
		b.WriteString(`:{"overrides":`)
		_ = encoder.Encode(append([]string{}, entry.rules...))
		b.WriteString("}")
		separator = ","
	}
	_ = json.Indent(&indented, []byte(cmp.Or(b.String(), "{")+"}"), "", "  ") // it is valid
	return indented.Bytes()
}

// rule enables or disables an extension in a directory.
type rule struct {
	dir       string // with a slash at both ends
	disables  bool
	recursive bool
}

// parseRule parses a rule: "!" disables, and "*" at the end includes subdirectories.
func parseRule(text string) rule {
	var r rule
	r.dir, r.disables = strings.CutPrefix(text, "!")
	r.dir, r.recursive = strings.CutSuffix(r.dir, "*")
	return r
}

// String returns the rule as the file has it.
func (r rule) String() string {
	text := r.dir
	if r.disables {
		text = "!" + text
	}
	if r.recursive {
		text += "*"
	}
	return text
}

// matches reports whether the rule is about a directory, which has a slash at both ends. A "*" within the
// rule stands for any directories.
func (r rule) matches(dir string) bool {
	if !strings.Contains(r.dir, "*") {
		return dir == r.dir || r.recursive && (strings.HasPrefix(dir, r.dir) || dir == strings.TrimSuffix(r.dir, "/"))
	}
	pattern := regexp.QuoteMeta(rule{r.dir, false, r.recursive}.String())
	pattern = strings.NewReplacer(`/\*`, "(/.*)?", `\*`, "(.*)?").Replace(pattern)
	found, err := regexp.MatchString("^"+pattern+"$", dir)
	return err == nil && found
}

// slashed returns a directory with a slash at both ends, and with slashes in place of backslashes.
func slashed(dir string) string {
	dir = strings.ReplaceAll(dir, `\`, "/")
	if !strings.HasPrefix(dir, "/") {
		dir = "/" + dir
	}
	if !strings.HasSuffix(dir, "/") {
		dir += "/"
	}
	return dir
}
