package trust

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"pollux/internal/durable"
	"pollux/internal/exit"
)

// Level is a user's decision about a path.
type Level string

// The levels, as written in the file.
const (
	TrustFolder Level = "TRUST_FOLDER"
	TrustParent Level = "TRUST_PARENT" // the path's parent is trusted
	DoNotTrust  Level = "DO_NOT_TRUST"
)

// Levels maps absolute paths to levels.
type Levels map[string]Level

// maxFile is the maximum size of the file in bytes, far more than needed.
const maxFile = 4 << 20

// Read reads a file of levels, which is JSON with comments. A missing file results in no
// levels. An error is an [*exit.Error] with code 52.
func Read(file string) (Levels, error) {
	data, err := readFile(file)
	if err != nil {
		return nil, &exit.Error{Code: exit.Config, Err: err, Message: fmt.Sprintf("Cannot read trusted folders: %v", err)}
	}
	levels, err := parse(data)
	if err != nil {
		return nil, &exit.Error{Code: exit.Config, Err: err, Message: fmt.Sprintf("%v\nPlease fix %s and try again.", err, file)}
	}
	return levels, nil
}

// readFile reads the file. A file that is missing, or in an inaccessible home directory,
// counts as empty, and a link to nothing does not.
func readFile(file string) ([]byte, error) {
	switch _, err := os.Stat(file); {
	case errors.Is(err, fs.ErrPermission):
		return nil, nil
	case durable.IsAbsent(err):
		if err := durable.CheckLink(file); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return nil, nil
	}
	data, err := durable.ReadFile(file, maxFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return data, nil
}

// parse parses the content of a file of levels.
func parse(data []byte) (Levels, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(bytes.TrimSpace(data)) == 0 {
		return Levels{}, nil
	}
	if isDeep(data) {
		return nil, errors.New("trusted folders are not valid JSON: nested too deeply")
	}
	plain, err := hujson.Standardize(bytes.Clone(data))
	if err != nil {
		return nil, fmt.Errorf("trusted folders are not valid JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(plain, &raw); err != nil {
		return nil, errors.New("trusted folders must be a JSON object")
	}
	if path := repeatedPath(plain); path != "" {
		return nil, fmt.Errorf("trusted folders name %q twice, with different levels", path)
	}
	levels := Levels{}
	for _, path := range slices.Sorted(maps.Keys(raw)) {
		var level Level
		if json.Unmarshal(raw[path], &level) != nil {
			level = Level(raw[path])
		}
		switch level {
		case TrustFolder, TrustParent, DoNotTrust:
			levels[path] = level
		default:
			//lint:ignore ST1005 scripts know the text
			return nil, fmt.Errorf(`Invalid trust level "%s" for path "%s". Possible values are: TRUST_FOLDER, TRUST_PARENT, DO_NOT_TRUST.`, level, path)
		}
	}
	return levels, nil
}

// repeatedPath returns a path that an object has twice, with different levels, "" for none. JSON would take the last one, and
// the other one may be the one that trusts less.
func repeatedPath(plain []byte) string {
	seen := map[string]string{}
	d := json.NewDecoder(bytes.NewReader(plain))
	_, _ = d.Token() // the object, which is valid
	for d.More() {
		name, err := d.Token()
		var level json.RawMessage
		if err != nil || d.Decode(&level) != nil {
			return ""
		}
		path, _ := name.(string)
		if before, ok := seen[path]; ok && before != string(level) {
			return path
		}
		seen[path] = string(level)
	}
	return ""
}

// isDeep reports whether the data is nested too deeply: the parser is recursive and would
// crash.
func isDeep(data []byte) bool {
	const most = 1000
	depth := 0
	for _, c := range data {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > most {
			return true
		}
	}
	return false
}

// Set writes the level of a path into the file, and creates it if necessary. It preserves the
// rest of the file, including comments. If the file is invalid, Set does not change it and
// returns an error.
func Set(file, path string, level Level) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("trust %s: %w", path, err)
	}
	unlock, err := durable.Lock(file)
	if err != nil {
		return fmt.Errorf("trust %s: %w", path, err)
	}
	defer unlock()
	if _, err := Read(file); err != nil {
		return err
	}
	data, err := readFile(file)
	if err == nil {
		data, err = edit(data, path, level)
	}
	if err != nil {
		return fmt.Errorf("trust %s: %w", path, err)
	}
	return durable.WriteFile(file, data, 0o600)
}

// edit sets one member of a JSON object with comments.
func edit(data []byte, path string, level Level) ([]byte, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("{}")
	}
	v, err := hujson.Parse(data)
	if err != nil {
		return nil, err
	}
	pointer := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(path)
	patch, err := json.Marshal([]map[string]string{{"op": "add", "path": pointer, "value": string(level)}})
	if err != nil {
		return nil, err
	}
	if err := v.Patch(patch); err != nil {
		return nil, err
	}
	v.Format()
	return v.Pack(), nil
}
