package config

import (
	"errors"
	"strings"
)

// Peek returns what the settings file of the workspace says, whether the folder is
// trusted or not, for a person to judge; nil if there is none. Nothing in it counts
// by that. An error says what is wrong with the file, as [Load] would.
func Peek(src Sources) (*Settings, error) {
	path := src.Paths.WorkspaceSettings()
	if path == "" {
		return nil, nil
	}
	l := loader{env: src.Env}
	tree := l.file(Workspace, path)
	switch {
	case len(l.fatal) > 0:
		return nil, errors.New(strings.Join(l.fatal, "\n"))
	case tree == nil:
		return nil, nil
	}
	s := &Settings{user: src.Paths.UserSettings(), tree: tree}
	s.layers[Workspace] = tree
	return s, nil
}
