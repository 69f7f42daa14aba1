//go:build !linux && !darwin

package state

import (
	"os"
	"slices"
	"strings"
)

// Named is the state of an entry of a directory.
type Named struct {
	Name string
	State
}

// List returns the entries of a directory, sorted by name. An entry that disappears meanwhile is left out.
func List(path string) ([]Named, error) {
	list, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	entries := make([]Named, 0, len(list))
	for _, e := range list {
		if info, err := e.Info(); err == nil {
			entries = append(entries, Named{Name: e.Name(), State: Of(info)})
		}
	}
	slices.SortFunc(entries, func(a, b Named) int { return strings.Compare(a.Name, b.Name) })
	return entries, nil
}
