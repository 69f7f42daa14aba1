package subagent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"pollux/internal/durable"
)

// Acknowledgements is the file with the definitions of projects that the user has accepted, by project and
// name. Gemini CLI reads and writes it too.
type Acknowledgements struct{ File string }

// acknowledged are hashes, by project and name.
type acknowledged map[string]map[string]string

// Has returns a function that reports whether the user has accepted a definition of the project as it is.
func (a Acknowledgements) Has(project string) (func(*Definition) bool, error) {
	all, err := a.read()
	return func(d *Definition) bool {
		return all[project][d.Name] == d.Hash && all[project][d.contentKey()] == d.Content
	}, err
}

// contentKey is the key of [Definition.Content]. It is the name of no subagent.
func (d *Definition) contentKey() string { return d.Name + " (files)" }

// Add stores that the user has accepted these definitions of the project.
func (a Acknowledgements) Add(project string, list []*Definition) error {
	if err := os.MkdirAll(filepath.Dir(a.File), 0o700); err != nil {
		return durable.Cause(err)
	}
	unlock, err := durable.Lock(a.File)
	if err != nil {
		return err
	}
	defer unlock()
	all, err := a.read()
	if err != nil {
		return err
	}
	if all[project] == nil {
		all[project] = map[string]string{}
	}
	for _, d := range list {
		all[project][d.Name] = d.Hash
		delete(all[project], d.contentKey())
		if d.Content != "" {
			all[project][d.contentKey()] = d.Content
		}
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(a.File, append(data, '\n'), 0o600)
}

func (a Acknowledgements) read() (acknowledged, error) {
	all := acknowledged{}
	data, err := durable.ReadFile(a.File, 4<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", a.File, durable.Cause(err))
	}
	if all == nil { // the file has null
		all = acknowledged{}
	}
	return all, nil
}
