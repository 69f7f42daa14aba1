package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/durable"
)

// Integrity remembers what a project's policy files were when they were last
// accepted, so that a change somebody else made is noticed (spec/safety.md §2.1).
type Integrity struct {
	File string // policy_integrity.json, JSON: a hash by "workspace:" and the directory
	Dir  string // the project
}

// Policies returns the directory of the project's policy files.
func (i Integrity) Policies() string { return filepath.Join(i.Dir, ".gemini", "policies") }

// Changed returns the hash of the project's policy files, and whether it is not
// the one that was accepted. No files are never a change.
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

// Accept remembers a hash of [Integrity.Changed].
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
		return nil, fmt.Errorf("%s is no list of hashes: remove it to accept the policies anew", i.File)
	}
	return known, nil
}

// hash is that of all files in the order of their names, "" if there are none.
func (i Integrity) hash() (string, error) {
	entries, err := os.ReadDir(i.Policies())
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		return "", err
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".toml") {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		data, err := durable.ReadFile(filepath.Join(i.Policies(), name), maxFile)
		if err != nil {
			data = nil // loading it tells what is wrong with it
		}
		sum.Write([]byte(name + "\x00"))
		sum.Write(append(data, 0))
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
