package console

import (
	"time"

	"pollux/internal/crash"
	"pollux/internal/process"
)

// Times without output after which a command may wait for input: after its last output, and if it has printed none.
const (
	silenceAfterOutput = 5 * time.Second
	silenceFromStart   = 20 * time.Second
)

// Times between two looks at a silent command. The first one comes after lookFirst without output.
const (
	lookFirst = time.Second
	lookMost  = 5 * time.Second
)

// look is the result of a look at a command: whether it waits for input.
type look struct {
	is        process.Awaiting
	at        time.Time // when it began, zero for never
	output    int64     // bytes before it
	isLooking bool
}

// Hints are the notes about the command that has started last.
type Hints struct {
	CanFocus bool // its silence, or an earlier use, makes the key worth a hint
	Awaits   bool // it waits for input, as far as one can see
}

// Hints returns the notes of this moment.
func (c *Console) Hints(now time.Time) Hints {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.newest()
	if s == nil || c.focused != nil {
		return Hints{}
	}
	isSilent := !now.Before(s.silentFrom())
	switch s.awaits() {
	case process.AwaitsInput:
		return Hints{CanFocus: true, Awaits: true}
	case process.AwaitsNothing:
		return Hints{CanFocus: isSilent || c.wasUsed}
	}
	return Hints{CanFocus: isSilent || c.wasUsed, Awaits: isSilent && !s.isRedirected}
}

// Look begins to look whether a silent command waits for input, if it is time. It does not wait for the result.
func (c *Console) Look(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.newest(); s != nil && c.focused == nil {
		s.look(now)
	}
}

// Deadline returns when the hints or the outcome of a Tab change without an event, or [Console.Look] has something to do, false
// for never.
func (c *Console) Deadline(now time.Time) (at time.Time, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.tabbed.at.IsZero() {
		return c.tabbed.at.Add(tabWait), true
	}
	s := c.newest()
	if s == nil || c.focused != nil {
		return at, false
	}
	at, ok = s.lookDue()
	if silent := s.silentFrom(); silent.After(now) && (!ok || silent.Before(at)) {
		return silent, true
	}
	return at, ok
}

// awaits returns the result of the last look, if there was no output since.
func (s *Screen) awaits() process.Awaiting {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.looked.output != s.bytes {
		return process.AwaitsUnknown
	}
	return s.looked.is
}

// lookDue returns when to look again, soon after output and less often the longer the command is silent; false during a look.
func (s *Screen) lookDue() (time.Time, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	since := s.last
	if since.IsZero() {
		since = s.began
	}
	if s.looked.at.Before(since) {
		return since.Add(lookFirst), !s.looked.isLooking
	}
	return s.looked.at.Add(min(max(s.looked.at.Sub(since), lookFirst), lookMost)), !s.looked.isLooking
}

// silentFrom returns when the command, if it prints nothing until then, may wait for input.
func (s *Screen) silentFrom() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.IsZero() {
		return s.began.Add(silenceFromStart)
	}
	return s.last.Add(silenceAfterOutput)
}

// look begins to look whether the command waits for input, if it is time.
func (s *Screen) look(now time.Time) {
	if at, ok := s.lookDue(); !ok || now.Before(at) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.input.running()
	s.looked.at, s.looked.isLooking = now, true
	output := s.bytes
	go func() {
		defer crash.Recover()
		is := p.Awaits()
		s.mu.Lock()
		hasChanged := is != s.looked.is || output != s.looked.output
		s.looked.is, s.looked.output, s.looked.isLooking = is, output, false
		s.mu.Unlock()
		if hasChanged {
			s.console.change()
		}
	}()
}
