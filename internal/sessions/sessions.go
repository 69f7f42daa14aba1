// Package sessions finds the sessions of a project on disk: it lists and deletes them, and finds the
// one that a user names. Package journal reads and writes their files.
package sessions

import (
	"time"
)

// Store is the sessions of a project.
type Store struct {
	// Dir is the directory of the session files, tmp/<slug>/chats. It may not exist.
	Dir string
}

// Info describes a session.
type Info struct {
	ID      string
	Path    string // of its file
	Title   string // the summary, or the first prompt, on one line
	Start   time.Time
	Updated time.Time
	Prompts int
}
