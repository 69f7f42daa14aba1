package hooks

import (
	"strings"
	"sync"
	"time"

	"pollux/internal/guard/hook"
	"pollux/internal/terminal"
)

// LastRun is the result of the last run of a hook.
type LastRun struct {
	At     time.Time // of its end
	Took   time.Duration
	Code   int    // exit code of the command
	Failed bool   // the hook has no usable output
	Cause  string // why it failed, "" if that is unknown
}

// lastRuns are the results of the last runs, by event and ID of the hook.
type lastRuns struct {
	mu   sync.Mutex
	runs map[string]LastRun
}

func keyOf(h *hook.Hook) string { return string(h.Event) + " " + h.ID() }

// note keeps the result of a run.
func (l *lastRuns) note(c hook.Call) {
	const most = 300 // bytes
	r := LastRun{At: time.Now(), Took: c.Duration, Code: c.Code, Failed: c.Failed()}
	switch {
	case c.Err != nil:
		r.Cause = terminal.Cut(c.Err.Error(), most)
	case r.Failed:
		r.Cause = terminal.Cut(strings.TrimSpace(c.Stderr), most)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.runs == nil {
		l.runs = map[string]LastRun{}
	}
	l.runs[keyOf(c.Hook)] = r
}

// Last returns the result of the last run of a hook in this session, false if there is none. It may be called during a
// run.
func (h *Hooks) Last(of *hook.Hook) (LastRun, bool) {
	h.last.mu.Lock()
	defer h.last.mu.Unlock()
	r, ok := h.last.runs[keyOf(of)]
	return r, ok
}
