package keys

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// maxFile is the maximum size of keybindings.json in bytes. It also limits the depth of the recursive JSON parser.
const maxFile = 64 << 10

// maxWarnings is the number of warnings about single entries of a file.
const maxWarnings = 20

// Load returns the default bindings on an operating system, as in [runtime.GOOS], changed by the content of
// keybindings.json: a JSON array, with comments, of objects such as {"command": "edit.undo", "key": "ctrl+z"}. An entry
// adds a key in front of the others of its command, or removes exactly that key if "-" precedes the command. Load skips
// invalid entries, with a warning each.
func Load(goos string, data []byte, path string) (b *Bindings, warnings []string) {
	b = Default(goos)
	path = printable(path)
	entries, err := parseFile(data)
	if err != nil {
		return b, []string{fmt.Sprintf(`Keybindings file "%s" error at %v`, path, err)}
	}
	skipped := 0
	for i, raw := range entries {
		warning := ""
		command, key, err := parseEntry(raw)
		if err != nil {
			warning = fmt.Sprintf(`Keybindings file "%s" error at %d: %v`, path, i, err)
		} else {
			warning = b.apply(command, key)
		}
		switch {
		case warning == "":
		case len(warnings) == maxWarnings:
			skipped++
		default:
			warnings = append(warnings, warning)
		}
	}
	if skipped > 0 {
		warnings = append(warnings, fmt.Sprintf(`Keybindings file "%s" has %d more errors.`, path, skipped))
	}
	return b, warnings
}

// parseFile returns the entries of the file. Errors begin with a place.
func parseFile(data []byte) ([]json.RawMessage, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("the root: the file is larger than %d KiB", maxFile>>10)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	value, err := hujson.Parse(append(bytes.Clone(data), '\n')) // a comment may end with the file
	if err != nil {
		return nil, errors.New(brief(printable(strings.TrimPrefix(err.Error(), "hujson: "))))
	}
	value.Standardize()
	if _, ok := value.Value.(*hujson.Array); !ok {
		return nil, errors.New("the root: the file must contain an array")
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(value.Pack(), &entries); err != nil {
		return nil, fmt.Errorf("the root: %w", err)
	}
	return entries, nil
}

// parseEntry returns the fields of an entry of the file.
func parseEntry(raw json.RawMessage) (command, key string, err error) {
	var entry struct{ Command, Key *string }
	if err := json.Unmarshal(raw, &entry); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" {
			return "", "", fmt.Errorf("%q must be a string", strings.ToLower(wrong.Field))
		}
		return "", "", errors.New(`an entry is an object with "command" and "key"`)
	}
	switch {
	case entry.Command == nil:
		return "", "", errors.New(`"command" is missing`)
	case entry.Key == nil:
		return "", "", errors.New(`"key" is missing`)
	}
	return *entry.Command, *entry.Key, nil
}

// apply changes the bindings as an entry of the file says. It returns a warning if it cannot, "" otherwise.
func (b *Bindings) apply(command, key string) (warning string) {
	name, isRemoval := strings.CutPrefix(command, "-")
	id := Command(name)
	if !id.isKnown() {
		return fmt.Sprintf("Invalid command: %q.", brief(command))
	}
	seq, err := ParseSequence(key)
	switch {
	case err != nil:
	case !isRemoval:
		b.add(id, seq)
	case !b.remove(id, seq):
		err = fmt.Errorf("cannot remove %q: it is not bound", seq.String())
	}
	if err != nil {
		return fmt.Sprintf("Invalid keybinding for command %q: %v", name, err)
	}
	return ""
}
