package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/durable"
)

// Selection decides which of the configured servers are used. Names are compared without regard to case.
type Selection struct {
	// Allowed are the servers that may be used. If it is empty, all may, unless OnlyAllowed is set.
	Allowed     []string
	OnlyAllowed bool
	// Excluded are servers that may not be used, and Disabled those that the user has switched off.
	Excluded, Disabled []string
}

// State returns [Blocked] or [Disabled] for a server that is not used, "" for others.
func (s *Selection) State(server string) State {
	has := func(list []string) bool {
		return slices.ContainsFunc(list, func(name string) bool { return IsSameName(name, server) })
	}
	switch {
	case (len(s.Allowed) > 0 || s.OnlyAllowed) && !has(s.Allowed), has(s.Excluded):
		return Blocked
	case has(s.Disabled):
		return Disabled
	}
	return ""
}

// IsSameName reports whether two names stand for the same server in lists of the settings.
func IsSameName(a, b string) bool { return normal(a) == normal(b) }

func normal(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// Switches is the file in which the user's choice to disable servers is kept, for all projects.
type Switches struct{ Path string }

type switchEntry struct {
	Enabled bool `json:"enabled"`
}

// Disabled returns the names of the servers that are disabled, in lower case.
func (s Switches) Disabled() ([]string, error) {
	entries, err := s.read()
	var list []string
	for name, raw := range entries {
		var e switchEntry
		if json.Unmarshal(raw, &e) == nil && !e.Enabled {
			list = append(list, normal(name))
		}
	}
	slices.Sort(list)
	return list, err
}

// Set enables or disables a server.
func (s Switches) Set(server string, enabled bool) error {
	entries, err := s.read()
	if err != nil {
		return err
	}
	delete(entries, normal(server))
	if !enabled {
		entries[normal(server)] = json.RawMessage(`{"enabled": false}`)
	}
	data, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		return err
	}
	if err := durable.MkdirAll(filepath.Dir(s.Path), 0o700); err != nil {
		return err
	}
	return durable.WriteFile(s.Path, append(data, '\n'), 0o600)
}

// maxSwitches limits the file, in bytes.
const maxSwitches = 4 << 20

func (s Switches) read() (map[string]json.RawMessage, error) {
	entries := map[string]json.RawMessage{}
	data, err := durable.ReadFile(s.Path, maxSwitches)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return entries, nil
	case err != nil:
		return entries, err
	}
	if err := json.Unmarshal(data, &entries); err != nil || entries == nil {
		return map[string]json.RawMessage{}, fmt.Errorf("%s is not a JSON object", s.Path)
	}
	return entries, nil
}
