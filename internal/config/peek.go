package config

import (
	"errors"
	"strings"
)

// PeekWorkspace returns the workspace's settings even if the folder is not trusted, so that a user can
// review them; nil if there is no file. They do not take effect. The error describes problems
// with the file, like the one of [Load].
func PeekWorkspace(src Sources) (*Settings, error) {
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
