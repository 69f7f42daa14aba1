//go:build unix

package shell

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"pollux/internal/durable"
	"pollux/internal/process"
)

// note is a file about a background command or a daemon, beside its log. A session that resumes reads from it which
// commands were running when Pollux ended.
type note struct {
	Session string `json:"session"`
	PID     int    `json:"pid"`
	Started string `json:"started"` // see [process.Started]
	Command string `json:"command"`
	// IsApart is set of a process that has left the session of its command, which goes on at the end
	// of Pollux.
	IsApart bool `json:"isApart,omitempty"`
	// HasEnded is set when Pollux ends, and the command with it.
	HasEnded bool `json:"hasEnded,omitempty"`
}

const (
	notePrefix = "background-"
	noteSuffix = ".json"
	// maxNote is how long a note may be, in bytes. The commands in notes are shorter.
	maxNote = 16 << 10
	// maxNoteAge is the age of notes about sessions that were not resumed.
	maxNoteAge = 30 * 24 * time.Hour
)

func (ps *Processes) notePath(pid int) string {
	return filepath.Join(ps.dir, notePrefix+strconv.Itoa(pid)+noteSuffix)
}

// note writes a note about a process. Errors have no effect: only a resumed session needs it.
func (ps *Processes) note(pid int, command string, isApart bool) {
	const maxCommand = 2000 // bytes
	n := note{PID: pid, Started: process.Started(pid), Command: strings.ToValidUTF8(command[:min(len(command), maxCommand)], ""), IsApart: isApart}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	n.Session = ps.session
	if n.Session == "" || n.Started == "" {
		return
	}
	ps.notes[pid] = n
	ps.writeNote(n)
}

// writeNote writes a note. The caller holds ps.mu.
func (ps *Processes) writeNote(n note) {
	data, err := json.Marshal(n)
	if err == nil && os.MkdirAll(ps.dir, 0o700) == nil {
		_ = os.Remove(ps.notePath(n.PID)) // a link could lead to any file
		_ = durable.WriteFile(ps.notePath(n.PID), data, 0o600)
	}
}

func (ps *Processes) forgetNote(pid int) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if _, ok := ps.notes[pid]; ok {
		delete(ps.notes, pid)
		_ = os.Remove(ps.notePath(pid)) // it may be gone
	}
}

// closeNotes marks the notes about the processes that end with the session, so that a session that resumes can tell the model
// that they no longer run.
func (ps *Processes) closeNotes() {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for pid, n := range ps.notes {
		if !n.IsApart {
			delete(ps.notes, pid)
			n.HasEnded = true
			ps.writeNote(n)
		}
	}
}

// SetSession sets the id of the session that the processes belong to.
func (ps *Processes) SetSession(id string) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.session = id
	for pid, n := range ps.notes {
		n.Session = id
		ps.notes[pid] = n
		ps.writeNote(n)
	}
}

// Recover adds the processes of the session to the list that another process of Pollux has left behind
// because it crashed, and returns them. Those that still run are no processes of this Pollux, and do
// not end with it. Those that ended in order with that process are added to the list, and not returned. It is called after
// SetSession, by the only process that has the session.
func (ps *Processes) Recover() []Process {
	entries, err := os.ReadDir(ps.dir)
	if err != nil {
		return nil
	}
	var found []Process
	for _, e := range entries {
		number, ok := strings.CutPrefix(strings.TrimSuffix(e.Name(), noteSuffix), notePrefix)
		pid, err := strconv.Atoi(number)
		if !ok || err != nil || !strings.HasSuffix(e.Name(), noteSuffix) {
			continue
		}
		n, err := ps.readNote(pid)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil, n.Session != ps.session:
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > maxNoteAge {
				_ = os.Remove(ps.notePath(pid)) // the next session tries again
			}
		default:
			if p, ok := ps.recover(n); ok {
				found = append(found, p)
			}
		}
	}
	if len(found) > 0 {
		ps.poll()
	}
	return found
}

// readNote reads the note about a process. It does not follow a link.
func (ps *Processes) readNote(pid int) (n note, err error) {
	path := ps.notePath(pid)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return n, errors.Join(err, syscall.EINVAL)
	}
	data, err := durable.ReadFile(path, maxNote)
	if err == nil {
		err = json.Unmarshal(data, &n)
	}
	if err == nil && n.PID != pid {
		err = syscall.EINVAL
	}
	return n, err
}

// recover adds the process of a note to the list. ok is false if the user need not know about it.
func (ps *Processes) recover(n note) (_ Process, ok bool) {
	p := &Process{
		PID: n.PID, Command: n.Command, Log: filepath.Join(ps.dir, notePrefix+strconv.Itoa(n.PID)+".log"),
		IsOrphan: true, isApart: n.IsApart, started: n.Started,
	}
	p.Exited = n.HasEnded || !p.runs()
	if p.IsGone = p.Exited; p.Exited {
		_ = os.Remove(ps.notePath(n.PID)) // the next session tries again
		if n.IsApart {
			return Process{}, false
		}
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.history = append(ps.history, p)
	return *p, !n.HasEnded
}

// runs reports whether an orphan still runs, and not another process with its number.
func (p *Process) runs() bool { return p.started != "" && process.Started(p.PID) == p.started }
