package editorkeys

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"pollux/internal/durable"
	"pollux/internal/terminal"
)

// maxFile is the size of the largest file that is read, in bytes. It also limits the depth of the recursive parser.
const maxFile = 256 << 10

// Read returns how bindings stand in keybindings.json. A missing or empty file has none.
func Read(path string, bindings []Binding) (State, error) {
	text, err := read(path)
	if err != nil {
		return State{}, err
	}
	_, entries, err := parse(text)
	if err != nil {
		return State{}, fmt.Errorf("%s: %w", path, err)
	}
	return stateOf(entries, bindings), nil
}

// Add adds the missing ones of bindings to keybindings.json, whose comments and order stay, and returns how they stood before. It keeps
// the file before as backup, "" if there was none or nothing was missing.
func Add(path string, bindings []Binding, now time.Time) (before State, backup string, err error) {
	unlock, err := durable.Lock(path)
	if err != nil {
		return before, "", fmt.Errorf("lock %s: %w", path, durable.Cause(err))
	}
	defer unlock()
	text, err := read(path)
	if err != nil {
		return before, "", err
	}
	_, entries, err := parse(text)
	if err != nil {
		return before, "", fmt.Errorf("%s: %w", path, err)
	}
	before = stateOf(entries, bindings)
	if before.IsComplete() {
		return before, "", nil
	}
	edited, err := insert(text, before.Missing)
	if err != nil {
		return before, "", fmt.Errorf("%s: %w", path, err)
	}
	if len(text) > 0 {
		backup = path + ".backup-" + now.Format("20060102-150405.000")
		if err := durable.WriteFile(backup, text, 0o600); err != nil {
			return before, "", err
		}
	}
	return before, backup, durable.WriteFile(path, edited, 0o644)
}

func read(path string) ([]byte, error) {
	text, err := durable.ReadFile(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, durable.Cause(err))
	}
	return text, nil
}

var errNoList = errors.New("it is not a list of key bindings")

// parse returns the list in a file and its elements. A file with nothing but comments has neither.
func parse(text []byte) (list *hujson.Value, entries []json.RawMessage, err error) {
	value, err := hujson.Parse(append(bytes.Clone(text), '\n')) // a comment may end with the file
	if err != nil {
		if _, bare := hujson.Parse(append(bytes.Clone(text), "\n[]"...)); bare == nil {
			return nil, nil, nil
		}
		return nil, nil, errors.New(terminal.Cut(terminal.Line(strings.TrimPrefix(err.Error(), "hujson: ")), 200))
	}
	if _, ok := value.Value.(*hujson.Array); !ok {
		return nil, nil, errNoList
	}
	standard := value.Clone()
	standard.Standardize()
	if err := json.Unmarshal(standard.Pack(), &entries); err != nil {
		return nil, nil, errNoList
	}
	return &value, entries, nil
}

// insert adds bindings at the end of the list of a file, and changes nothing else of its text.
func insert(text []byte, bindings []Binding) ([]byte, error) {
	list, before, err := parse(text)
	if err != nil {
		return nil, err
	}
	var added []string
	for i := range bindings {
		element, err := json.Marshal(bindings[i].entry())
		if err != nil {
			return nil, err
		}
		added = append(added, "    "+string(element))
	}
	elements := strings.Join(added, ",\n") + "\n"
	var edited string
	if list == nil {
		if edited = trimRight(string(text)); edited != "" {
			edited += "\n"
		}
		edited += "[\n" + elements + "]\n"
	} else {
		edited = splice(text, list, elements)
	}
	return []byte(edited), check([]byte(edited), before, bindings)
}

func trimRight(text string) string { return strings.TrimRight(text, " \t\r\n") }

// splice returns the text of a file with more elements in its list.
func splice(text []byte, list *hujson.Value, elements string) string {
	end := list.EndOffset - 1 // before the bracket
	last, comma := end, ""
	if all := list.Value.(*hujson.Array).Elements; len(all) > 0 {
		last = all[len(all)-1].EndOffset
		if all[len(all)-1].AfterExtra == nil { // else there is one
			comma = ","
		}
	}
	return trimRight(string(text[:last])+comma+string(text[last:end])) + "\n" + elements + string(text[end:])
}

// check returns an error unless a file has the elements that it had before, and behind them those of bindings.
func check(edited []byte, before []json.RawMessage, bindings []Binding) error {
	_, after, err := parse(edited)
	if err != nil || len(after) != len(before)+len(bindings) {
		return errLayout
	}
	for i, raw := range after {
		var got, want any
		wanted := any(nil)
		if i < len(before) {
			wanted = before[i]
		} else {
			wanted = bindings[i-len(before)].entry()
		}
		data, err := json.Marshal(wanted)
		if err != nil || json.Unmarshal(raw, &got) != nil || json.Unmarshal(data, &want) != nil || !reflect.DeepEqual(got, want) {
			return errLayout
		}
	}
	return nil
}

var errLayout = errors.New("it is laid out in a way that cannot be edited safely: please do it by hand")

// Text returns bindings as a list for keybindings.json.
func Text(bindings []Binding) string {
	text, _ := insert(nil, bindings) // cannot fail
	return string(text)
}
