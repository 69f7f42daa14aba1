package session

import (
	"path/filepath"
	"pollux/internal/sessions"
	"pollux/internal/usage"
)

// chats returns the directory of the project's session files, and makes its parent the project's.
func (r *Record) chats() (string, error) {
	temp, err := r.project.Paths.ProjectTemp()
	return filepath.Join(temp, "chats"), err
}

// store returns the project's sessions. It creates nothing.
func (r *Record) store() *sessions.Store {
	dir := r.project.Paths.ExistingProjectTemp()
	if dir == "" {
		return &sessions.Store{}
	}
	return &sessions.Store{Dir: filepath.Join(dir, "chats")}
}

// UsageSources returns the sessions of this project, or of all projects, for statistics. They include what
// this session has recorded so far.
func (r *Record) UsageSources(all bool) []usage.Source {
	if !all {
		return []usage.Source{{Project: r.project.Options.Dir, Store: r.store()}}
	}
	return usage.All(r.project.Paths)
}

// Tags returns the conversations that the user has saved in this project.
func (r *Record) Tags() sessions.Tags {
	return sessions.Tags{Dir: r.project.Paths.ExistingProjectTemp()}
}
