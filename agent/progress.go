package agent

import "sync"

// progress passes on the reports of a running job. A tool may report from its own goroutines, even after it returned:
// nothing is passed on then.
type progress struct {
	emit   func(Event)
	mu     sync.Mutex  // guards the rest
	update ToolUpdated // as last reported
	isOver bool
}

// show passes on an event, and reports whether it did.
func (p *progress) show(e Event) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.isOver {
		p.emit(e)
	}
	return !p.isOver
}

// report passes on a change of the state of the job.
func (p *progress) report(change func(*ToolUpdated)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.isOver {
		change(&p.update)
		p.emit(p.update)
	}
}

// end passes on nothing any more.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isOver = true
}
