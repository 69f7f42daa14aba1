//go:build unix

package shell

import (
	"maps"
	"slices"
)

// mark is how far the model has read the log of a background command, in positions of it.
type mark struct {
	to   int64 // the end of the last line that it has read
	size int64 // the size of the log at that time
	// found has, by pattern, the end of the last line that the model has waited for, or of the lines in which an earlier one was named. The map
	// does not change.
	found map[string]int64
}

// withFound returns the mark with a position for a pattern.
func (m mark) withFound(pattern string, at int64) mark {
	const most = 100 // patterns
	found := map[string]int64{}
	if len(m.found) < most {
		maps.Copy(found, m.found)
	}
	found[pattern] = at
	m.found = found
	return m
}

// noteRead records how far the model has read the log of a background command.
func (ps *Processes) noteRead(pid int, read mark) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for _, p := range slices.Backward(ps.history) {
		if p.PID == pid {
			p.read = read
			return
		}
	}
}
