package textindex

import (
	"io/fs"
	"time"
)

// File is a session file as it is now.
type File struct {
	Name string // in its directory
	State
}

// State shows whether a file was changed. Where the system has them, it contains the time of the last
// change of any kind, which no program can set, and the number of the file: a file that was replaced or
// has got its old time back is another one.
type State struct {
	Size              int64
	modified, changed int64 // nanoseconds since 1970
	number            uint64
}

// StateOf returns the state of a file.
func StateOf(info fs.FileInfo) State {
	s := State{Size: info.Size(), modified: info.ModTime().UnixNano()}
	s.changed, s.number = change(info)
	return s
}

// isSettled reports whether a change of the file from now on changes its state. Times of files have
// steps of some milliseconds.
func (s State) isSettled(now time.Time) bool {
	const step = time.Second
	return max(s.modified, s.changed) < now.Add(-step).UnixNano()
}
