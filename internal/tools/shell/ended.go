//go:build unix

package shell

import (
	"context"
	"slices"

	"pollux/internal/process"
)

// TakeEnded returns the commands of the model that have ended in the background, oldest first, those of an earlier process
// before them, and then the commands whose processes, left
// running with &, have ended. It leaves out those of which a result has shown that to the model, and returns each once.
func (ps *Processes) TakeEnded() (ended []Process) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.noteEnds()
	for _, p := range ps.history {
		if p.Exited && !p.isKnown && (p.IsGone || !p.IsOrphan && p.execution.asked.isByModel()) {
			ended = append(ended, *p)
		}
		p.isKnown = p.isKnown || p.Exited
	}
	if len(ps.leaving) == 0 {
		return ended
	}
	running := ps.leftovers.List()
	ps.leaving = slices.DeleteFunc(ps.leaving, func(p Process) bool {
		hasEnded := !slices.ContainsFunc(running, func(l process.Leftover) bool { return l.PID() == p.PID })
		if hasEnded {
			p.Exited = true
			ended = append(ended, p)
		}
		return hasEnded
	})
	return ended
}

// noteLeaving records that the model knows of processes that a command has left running.
func (ps *Processes) noteLeaving(pid int, command string) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.leaving = append(ps.leaving, Process{PID: pid, Command: command, IsLeft: true})
	ps.leaving = ps.leaving[max(0, len(ps.leaving)-maxHistory):]
}

// noteKnown records that a result shows the end of a background command, or of the processes that a command has left running, to the model.
func (ps *Processes) noteKnown(pid int) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.leaving = slices.DeleteFunc(ps.leaving, func(p Process) bool { return p.PID == pid })
	for _, p := range slices.Backward(ps.history) {
		if p.PID == pid {
			p.isKnown = true
			return
		}
	}
}

// Inspect makes ps call inspect, once, with each background command of the session whose output is complete: it has ended, or Close is about to
// end it. It may be called on any goroutine.
func (ps *Processes) Inspect(inspect func(Process)) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.inspect = inspect
}

// inspected calls the function of [Processes.Inspect] for a command.
func (ps *Processes) inspected(p *Process, hasEnded bool) {
	ps.mu.Lock()
	inspect, copied := ps.inspect, *p
	p.isSeen = true
	ps.mu.Unlock()
	if copied.Exited = hasEnded; inspect != nil && !copied.isSeen && !p.IsOrphan {
		inspect(copied)
	}
}

// Context returns the context of the call that has started the command.
func (p Process) Context() context.Context { return p.execution.asked.ctx }

// HasFailed reports whether the command has ended by itself, and with an error.
func (p Process) HasFailed() bool {
	return p.Exited && !p.execution.isStopped() && (p.Code != 0 || p.Signal != 0 || len(p.pipe) > 0)
}

// OnEnd makes ps call ended when a background command of the session has ended and its log is complete. It may be called on
// any goroutine, but not after [Processes.Close].
func (ps *Processes) OnEnd(ended func(Process)) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.ended = ended
}

// reportEnd calls the function of [Processes.OnEnd].
func (ps *Processes) reportEnd(p *Process) {
	ps.starting.RLock()
	defer ps.starting.RUnlock()
	ps.mu.Lock()
	ended, copied := ps.ended, *p
	ps.mu.Unlock()
	if copied.Exited = true; ended != nil && !ps.closed {
		ended(copied)
	}
}
