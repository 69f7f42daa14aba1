package shellcmd

import (
	"slices"
	"sync"
)

// recent holds the last commands that were parsed. A command is read several times before it runs: by the rules, by the
// question, by the search for files outside the workspace, by the shell tool.
var recent struct {
	sync.Mutex
	list []reading // the newest last
}

// reading is a command and the results of [Parse] for it.
type reading struct {
	command string
	script  *Script
	err     error
}

const (
	maxRecent       = 32      // readings; the calls of one response are judged side by side
	maxRecentLength = 4 << 10 // of a command, in bytes
)

// recall returns a recent reading of a command.
func recall(command string) (reading, bool) {
	recent.Lock()
	defer recent.Unlock()
	i := slices.IndexFunc(recent.list, func(r reading) bool { return r.command == command })
	if i < 0 {
		return reading{}, false
	}
	return recent.list[i], true
}

// remember notes a reading, in place of the oldest one if there are too many.
func remember(r reading) {
	if len(r.command) > maxRecentLength {
		return
	}
	recent.Lock()
	defer recent.Unlock()
	if len(recent.list) == maxRecent {
		recent.list = slices.Delete(recent.list, 0, 1)
	}
	recent.list = append(recent.list, r)
}
