package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"pollux/internal/durable"
)

// Integrity stores a hash of a project's policy files at the time when the user accepted them,
// to detect changes by others.
type Integrity struct {
	File string // path of policy_integrity.json, which maps "workspace:" and the directory to a hash
	Dir  string // the project's directory
}

// Policies returns the directory of the project's policy files.
func (i Integrity) Policies() string { return filepath.Join(i.Dir, ".gemini", "policies") }

// Changed returns the hash of the project's policy files, and whether it differs from the
// accepted one. If there are no files, changed is false and hash "".
func (i Integrity) Changed() (hash string, changed bool, err error) {
	hash, err = i.hash()
	if err != nil || hash == "" {
		return "", false, err
	}
	known, err := i.read()
	if err != nil {
		return hash, true, err
	}
	return hash, known[i.key()] != hash, nil
}

// Accept stores a hash returned by [Integrity.Changed].
func (i Integrity) Accept(hash string) error {
	if err := i.accept(hash); err != nil {
		return fmt.Errorf("remember the accepted policies in %s: %w", i.File, durable.Cause(err))
	}
	return nil
}

func (i Integrity) accept(hash string) error {
	if err := durable.MkdirAll(filepath.Dir(i.File), 0o700); err != nil {
		return err
	}
	unlock, err := durable.Lock(i.File)
	if err != nil {
		return err
	}
	defer unlock()
	known, err := i.read()
	if err != nil {
		return err
	}
	known[i.key()] = hash
	data, err := json.MarshalIndent(known, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(i.File, append(data, '\n'), 0o600)
}

func (i Integrity) key() string { return "workspace:" + i.Dir }

func (i Integrity) read() (map[string]string, error) {
	known := map[string]string{}
	data, err := durable.ReadFile(i.File, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &known); err != nil {
		return nil, fmt.Errorf("%s is not a list of hashes; delete it to accept the policies again", i.File)
	}
	return known, nil
}

// hash returns the hash of all files in order of their names, "" if there are none.
func (i Integrity) hash() (string, error) {
	paths, err := tomlFiles(i.Policies())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil || len(paths) == 0:
		return "", err
	}
	sum := sha256.New()
	for _, path := range paths {
		data, err := durable.ReadFile(path, maxFile)
		if err != nil {
			data = nil // loading the file reports the error
		}
		sum.Write([]byte(filepath.Base(path) + "\x00"))
		sum.Write(append(data, 0))
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
