package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"pollux/internal/durable"
)

// MarkSeen stores which hooks of a project the user was warned of, in a file that Gemini CLI has as
// well. It returns the IDs of the project's hooks that are new. The error is that of the file; the
// hooks are then new the next time, too.
func MarkSeen(file, project string, hooks []Hook) (added []string, err error) {
	seen := map[string]json.RawMessage{}
	isRead := false
	var keys []string
	for i := range hooks {
		h := &hooks[i]
		if h.Source != Workspace {
			continue
		}
		if !isRead {
			isRead = true
			if seen, err = readSeen(file); err != nil {
				err = fmt.Errorf("read %s: %w", file, err)
			}
			_ = json.Unmarshal(seen[project], &keys) // none if it is no list
		}
		if !slices.Contains(keys, h.key()) {
			keys = append(keys, h.key())
			added = append(added, h.ID())
		}
	}
	if len(added) == 0 || err != nil {
		return added, err
	}
	seen[project] = encode(keys)
	var data bytes.Buffer
	_ = json.Indent(&data, encode(seen), "", "  ") // it is valid
	if err = durable.MkdirAll(filepath.Dir(file), 0o700); err == nil {
		err = durable.WriteFile(file, data.Bytes(), 0o600)
	}
	if err != nil {
		err = fmt.Errorf("write %s: %w", file, err)
	}
	return added, err
}

// readSeen reads the file; a file that does not exist or is no JSON object is empty.
func readSeen(file string) (map[string]json.RawMessage, error) {
	seen := map[string]json.RawMessage{}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return seen, nil
	case err != nil:
		return seen, err
	case !info.Mode().IsRegular():
		return seen, errors.New("it is not a regular file")
	}
	data, err := os.ReadFile(file)
	if err == nil && (json.Unmarshal(data, &seen) != nil || seen == nil) {
		seen = map[string]json.RawMessage{}
	}
	return seen, err
}
