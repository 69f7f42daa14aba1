//go:build unix

package shell

import (
	"fmt"
	"strings"
	"time"

	"pollux/internal/crash"
	"pollux/internal/terminal"
)

// Alive returns the commands that go on in the background, or of which something does that was started with &. Daemons, which
// have left the session of their command, are not among them.
func (ps *Processes) Alive() (commands []string) {
	for _, p := range ps.List() {
		if !p.Exited && !p.isApart {
			commands = append(commands, p.Command)
		}
	}
	for _, l := range ps.Left() {
		if l.Runs() {
			commands = append(commands, l.Command)
		}
	}
	return commands
}

// pollStep is the time between two looks at processes of which the system does not tell when they end, because they are no
// children of Pollux.
const pollStep = 200 * time.Millisecond

// poll reports ends of processes that commands have left running, and of orphans, as long as there are any.
func (ps *Processes) poll() {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	before := ps.polled()
	if ps.isPolling || before == 0 {
		return
	}
	ps.isPolling = true
	go func() {
		defer crash.Recover()
		ticks := time.NewTicker(pollStep)
		defer ticks.Stop()
		for before > 0 {
			select {
			case <-ps.over:
				return
			case <-ticks.C:
			}
			ps.mu.Lock()
			now := ps.polled()
			ps.isPolling = now > 0
			ps.mu.Unlock()
			if now < before {
				ps.noteDaemons()
				ps.report()
			}
			before = now
		}
	}()
}

// polled returns the number of processes to look at that run. The caller holds mu.
func (ps *Processes) polled() (n int) {
	for _, l := range ps.leftovers.List() {
		if l.Runs() {
			n++
		}
	}
	for _, p := range ps.history {
		if p.IsOrphan && p.runs() {
			n++
		}
	}
	return n
}

// mostOfCommand is the length of a command in an overview.
const mostOfCommand = 200

// Overview lists the commands that run in the background, and the processes that others left running, one on a line, for the model.
func (ps *Processes) Overview() string {
	var lines []string
	listed := map[int]bool{}
	for _, p := range ps.List() {
		listed[p.PID] = true
		if !p.Exited {
			lines = append(lines, fmt.Sprintf("PID %d: %s", p.PID, terminal.Cut(terminal.Line(p.Command), mostOfCommand)))
		}
	}
	for _, l := range ps.leftBeside(listed) {
		lines = append(lines, fmt.Sprintf("PGID %d: left running by: %s", l.PID(), terminal.Cut(terminal.Line(l.Command), mostOfCommand)))
	}
	return strings.Join(lines, "\n")
}
