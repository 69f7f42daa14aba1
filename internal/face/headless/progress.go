package headless

import (
	"sync"
	"time"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/tool"
)

// progress shows the running calls in a status line of Err, for a person who waits at a terminal: from one second on,
// and each second again.
type progress struct {
	show  func(status string) error
	width func() int
	names kit.Names
	err   *errOutput

	mu    sync.Mutex
	calls kit.Calls
	timer *time.Timer
}

const (
	progressInterval = time.Second
	cancelledLines   = 15 // of the output of a cancelled call
)

// observe takes an event before it is rendered.
func (p *progress) observe(e agent.Event) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	hasBegun := p.calls.Observe(e)
	if _, isUpdate := e.(agent.ToolUpdated); !isUpdate {
		_ = p.show("") // the line is not needed
	}
	switch {
	case hasBegun && p.timer == nil:
		p.timer = time.AfterFunc(progressInterval, p.update)
	case hasBegun:
		p.timer.Reset(progressInterval)
	}
}

// update shows the line, and again later.
func (p *progress) update() {
	p.mu.Lock()
	defer p.mu.Unlock()
	running := p.calls.Running()
	if len(running) == 0 {
		return
	}
	const fewest = 20 // columns
	if columns := p.width() - 1; columns >= fewest {
		_ = p.show(kit.StatusText(running, p.names, time.Now(), columns)) // the line is not needed
	}
	p.timer.Reset(progressInterval)
}

// showCancelled shows the output of a call that the person has cancelled.
func (p *progress) showCancelled(e agent.Event) {
	f, isEnd := e.(agent.ToolFinished)
	if p == nil || !isEnd || f.Status != agent.CallCancelled || !f.HasRun() {
		return
	}
	text, isText := tool.DisplayText(f.Result.Display)
	if !isText {
		return
	}
	lines, _ := kit.LastLines(text, cancelledLines)
	for _, line := range lines {
		p.err.line(line)
	}
}

// stop removes the line at the end of the run.
func (p *progress) stop() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.show("") // the line is not needed
	p.calls = kit.Calls{}
	if p.timer != nil {
		p.timer.Stop()
	}
}
