package config

import (
	"errors"
	"strings"
)

// PeekWorkspace returns the workspace's settings even if the folder is not trusted, so that a user can
// review them; nil if there are none. They do not take effect. The error describes problems
// with the files, like the one of [Load].
func PeekWorkspace(src Sources) (*Settings, error) {
	path := src.Paths.WorkspaceSettings()
	if path == "" {
		return nil, nil
	}
	l := loader{env: src.Env}
	s := &Settings{user: src.Paths.UserSettings()}
	s.layers[Workspace] = l.file(Workspace, path)
	if readsOtherServers(peekOthers(src), s.layers[Workspace]) {
		l.readOtherServers(s, src.Paths)
	}
	for _, o := range s.others {
		if o.Err != nil {
			l.fatal = append(l.fatal, "Error in "+o.File+": "+o.Err.Error())
		}
	}
	var err error
	if len(l.fatal) > 0 {
		err = errors.New(strings.Join(l.fatal, "\n"))
	}
	if s.layers[Workspace] == nil {
		return nil, err
	}
	s.tree = s.layers[Workspace]
	return s, err
}

// peekOthers returns the settings of the other layers, without those that cannot be read.
func peekOthers(src Sources) *Settings {
	s, l := &Settings{}, loader{env: src.Env, broken: func(Scope, string, error) {}}
	for _, scope := range [...]Scope{SystemDefaults, User, System} {
		s.layers[scope] = l.file(scope, src.Paths.File(scope))
	}
	s.merge()
	return s
}
