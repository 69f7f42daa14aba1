//go:build unix

package shell

import (
	"slices"
	"syscall"

	"pollux/internal/process"
)

// keep notes a command that has ended and left processes running.
func (ps *Processes) keep(p *execution, command string) {
	ps.leftovers.Add(p.Process, command)
	ps.noteDaemons()
	ps.mu.Lock()
	delete(ps.running, p)
	ps.mu.Unlock()
	ps.poll()
}

// addLeft records processes that a command started with & and left running.
func (ps *Processes) addLeft(pids []int) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.left = append(ps.left, pids...)
	ps.left = ps.left[max(0, len(ps.left)-maxHistory):]
}

// explainLeft reports whether the model has yet to learn that the output of processes which a command leaves running is not kept. It is true
// once in a session.
func (ps *Processes) explainLeft() bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	isFirst := !ps.leftIsExplained
	ps.leftIsExplained = true
	return isFirst
}

// noteDaemons writes notes about processes that have left the session of their command.
func (ps *Processes) noteDaemons() {
	for _, l := range ps.leftovers.List() {
		for _, pid := range l.Apart() {
			ps.mu.Lock()
			_, isNoted := ps.notes[pid]
			ps.mu.Unlock()
			if !isNoted {
				ps.note(pid, l.Command, true)
			}
		}
	}
}

// Left returns the commands that left processes running, the latest last.
func (ps *Processes) Left() []process.Leftover { return ps.leftovers.List() }

// leftBeside returns the commands that have ended and have left something running, without those that are listed by their process.
func (ps *Processes) leftBeside(listed map[int]bool) []process.Leftover {
	return slices.DeleteFunc(ps.Left(), func(l process.Leftover) bool { return !l.Runs() || listed[l.PID()] })
}

// wasLeft reports whether a command started this process with & and left it running.
func (ps *Processes) wasLeft(pid int) bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return slices.Contains(ps.left, pid)
}

// findLeft returns the command whose process group has this number, or that has left this process running in its group,
// and of which something still runs; nil if there is none.
func (ps *Processes) findLeft(pid int) *process.Leftover {
	group := pid
	if ps.wasLeft(pid) {
		if id, err := syscall.Getpgid(pid); err == nil {
			group = id
		}
	}
	for _, l := range ps.Left() {
		if l.PID() == group && l.Runs() {
			return &l
		}
	}
	return nil
}
