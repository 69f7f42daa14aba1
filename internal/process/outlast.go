package process

import "time"

// GroupStays reports whether processes of the group go on running after the program itself has ended. It waits a
// moment for those that are about to end, such as the children of a shell that was killed.
func (p *Process) GroupStays() bool { return outlasts(moment, p.GroupRuns) }

// AwaitEnd waits until nothing runs any more that Keep noted, after [Process.Stop], which has killed it, for at most a
// second.
func (p *Process) AwaitEnd() { outlasts(time.Second, p.Runs) }

// Stays reports whether what a program has left goes on running. It waits a moment for processes that are about to end,
// such as one that was just killed.
func (l Leftover) Stays() bool { return outlasts(moment, l.Runs) }

// moment is the time in which a process that was killed usually ends.
const moment = 100 * time.Millisecond

// outlasts reports whether processes still run after a time. They are not children of Pollux, so that the system cannot
// wait for them.
func outlasts(limit time.Duration, isRunning func() bool) bool {
	const step = 5 * time.Millisecond
	for end := time.Now().Add(limit); isRunning(); time.Sleep(step) {
		if time.Now().After(end) {
			return true
		}
	}
	return false
}
