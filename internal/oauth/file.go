package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"pollux/internal/durable"
	"pollux/internal/keychain"
)

// maxFile is the maximum size of the file, in bytes.
const maxFile = 4 << 20

// readFile returns the entries of the file at path, a JSON array of objects. A file that does not exist has
// none.
func readFile(path string) ([]json.RawMessage, error) {
	data, err := durable.ReadFile(path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	case len(bytes.TrimSpace(data)) == 0:
		return nil, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		return nil, fmt.Errorf("cannot read %s: it is not a JSON array", path)
	}
	return list, nil
}

// fileCredential returns the entry of a server, nil if there is none.
func fileCredential(list []json.RawMessage, server string) (*credential, int) {
	for i, entry := range list {
		if c, err := parseCredential(entry); err == nil && c.Server == server {
			c.inFile = true
			return c, i
		}
	}
	return nil, -1
}

// changeFile replaces the entry of a server, or removes it if c is nil. Other entries stay as they are, and
// a file without entries is removed.
func changeFile(ctx context.Context, path, server string, c *credential) error {
	if _, err := os.Lstat(path); c == nil && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, err := durable.LockContext(ctx, path)
	if err != nil {
		return err
	}
	defer unlock()
	list, err := readFile(path)
	if err != nil {
		return err
	}
	_, at := fileCredential(list, server)
	switch {
	case c == nil && at < 0:
		return nil
	case c == nil:
		list = slices.Delete(list, at, at+1)
	default:
		entry, err := c.encode()
		if err != nil {
			return err
		}
		if at < 0 {
			list, at = append(list, nil), len(list)
		}
		list[at] = entry
	}
	if len(list) == 0 {
		return keychain.RemoveFile(path)
	}
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return keychain.WriteFile(path, data)
}
