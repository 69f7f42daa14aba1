// Package seen counts how often the user has seen a notice, such as the tips at start, in ~/.gemini/state.json, and keeps the
// user's choice between the full and the reduced screen there. Gemini CLI keeps its own values in this file: Pollux shares those
// with the same meaning and preserves all others.
package seen

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"pollux/internal/durable"
)

// Notice names a count in the file.
type Notice struct {
	Group string // the object that has the count, "" for the file itself
	Name  string
}

// The notices.
var (
	Tips = Notice{Name: "tipsShown"}
	Tour = Notice{Name: "polluxTourShown"}
	Undo = Notice{Name: "polluxUndoShown"}
	// Deletion is the note about /undo after the first call that has deleted files.
	Deletion = Notice{Name: "polluxDeletionShown"}
	// TerminalSetup is the offer to add key bindings to the editor in whose terminal Pollux runs.
	TerminalSetup = Notice{Name: "polluxTerminalSetupShown"}
	// Import counts the look for other agents at the first start, also if there are none.
	Import = Notice{Name: "polluxImportShown"}
)

// Warning returns the count of a warning at start.
func Warning(id string) Notice { return Notice{"startupWarningCounts", id} }

// Flag names a choice of the user in the file.
type Flag string

// FocusUI is set if the user wants few lines around the input.
const FocusUI Flag = "focusUiEnabled"

// Counts has the number of times that each notice was shown, and the user's choices. The zero value has none.
type Counts struct{ tree map[string]any }

// maxSize is the maximum size of the file in bytes.
const maxSize = 1 << 20

// Read reads the counts. A missing file has none. A file that is no JSON object results in an error, and in no counts.
func Read(path string) (Counts, error) {
	data, err := durable.ReadFile(path, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return Counts{}, nil
	}
	if err != nil {
		return Counts{}, fmt.Errorf("read %s: %w", path, err)
	}
	var c Counts
	if err := json.Unmarshal(data, &c.tree); err != nil {
		return Counts{}, fmt.Errorf("%s: it is no JSON object", path)
	}
	return c, nil
}

// Of returns how often a notice was shown.
func (c Counts) Of(n Notice) int {
	tree := c.tree
	if n.Group != "" {
		tree, _ = tree[n.Group].(map[string]any)
	}
	count, _ := tree[n.Name].(float64)
	return int(max(count, 0))
}

// Is reports whether a flag is set.
func (c Counts) Is(f Flag) bool { return c.tree[string(f)] == true }

// withFlag returns the counts after a flag was set or cleared.
func (c Counts) withFlag(f Flag, isSet bool) Counts {
	c.tree = maps.Clone(c.tree)
	if c.tree == nil {
		c.tree = map[string]any{}
	}
	c.tree[string(f)] = isSet
	return c
}

// with returns the counts after these notices were shown once more.
func (c Counts) with(notices []Notice) Counts {
	c.tree = maps.Clone(c.tree)
	if c.tree == nil {
		c.tree = map[string]any{}
	}
	for _, n := range notices {
		count := float64(c.Of(n) + 1)
		if n.Group == "" {
			c.tree[n.Name] = count
			continue
		}
		group, _ := c.tree[n.Group].(map[string]any)
		if group = maps.Clone(group); group == nil {
			group = map[string]any{}
		}
		group[n.Name] = count
		c.tree[n.Group] = group
	}
	return c
}

// Add counts notices in the file. It does not change a file that is no JSON object.
func Add(path string, notices ...Notice) error {
	return change(path, func(c Counts) Counts { return c.with(notices) })
}

// First reports whether a notice was never shown, and counts it then. If the file cannot be read or written, it is the
// first time whenever it is asked.
func First(path string, n Notice) (bool, error) {
	c, err := Read(path)
	if err == nil && c.Of(n) > 0 {
		return false, nil
	}
	return true, errors.Join(err, Add(path, n))
}

// Set sets or clears a flag in the file. It does not change a file that is no JSON object.
func Set(path string, f Flag, isSet bool) error {
	return change(path, func(c Counts) Counts { return c.withFlag(f, isSet) })
}

// change replaces the content of the file.
func change(path string, f func(Counts) Counts) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	unlock, err := durable.Lock(path)
	if err != nil {
		return fmt.Errorf("lock %s: %w", path, durable.Cause(err))
	}
	defer unlock()
	c, err := Read(path)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(f(c).tree, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(path, data, 0o600)
}
