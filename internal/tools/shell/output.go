package shell

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"pollux/tool"
)

// liveUnits is how much of the output a person sees while a command runs, in
// characters.
const liveUnits = 100_000

// output takes what a command prints, as it comes: it looks whether that is
// text, cleans it, and hands it to whoever wants it. It holds a bounded part.
type output struct {
	changed chan struct{} // there is something new to show; never blocks the writer
	last    atomic.Int64  // when output came last, in nanoseconds of time.Since(start)
	start   time.Time

	mu     sync.Mutex
	seen   int64 // bytes
	binary bool
	clean  cleaner
	live   *tool.Tail
	model  *modelText // nil once nobody waits for it
	log    io.Writer  // nil unless in the background
}

func newOutput(collect *tool.Collector) *output {
	return &output{
		changed: make(chan struct{}, 1),
		start:   time.Now(),
		live:    tool.NewTail(liveUnits),
		model:   &modelText{to: collect},
	}
}

// write takes what was read.
func (o *output) write(p []byte) {
	if len(p) == 0 {
		return
	}
	o.last.Store(int64(time.Since(o.start)))
	o.mu.Lock()
	o.sniff(p)
	if !o.binary && (o.model != nil || o.log != nil) {
		o.pass(o.clean.clean(p))
	}
	o.seen += int64(len(p))
	o.mu.Unlock()
	select {
	case o.changed <- struct{}{}:
	default:
	}
}

// idle is how long no output has come.
func (o *output) idle() time.Duration {
	return time.Since(o.start) - time.Duration(o.last.Load())
}

// sniff looks for what no text has at its beginning (spec/tools.md §3.9): a
// NUL in the first 512 bytes.
func (o *output) sniff(p []byte) {
	const beginning = 512
	if o.binary || o.seen >= beginning {
		return
	}
	o.binary = bytes.IndexByte(p[:min(len(p), beginning-int(o.seen))], 0) >= 0
}

// pass hands clean text on.
func (o *output) pass(p []byte) {
	if len(p) == 0 {
		return
	}
	if o.live != nil {
		_, _ = o.live.Write(p) // never fails
	}
	if o.model != nil {
		o.model.write(p)
	}
	if o.log != nil {
		_, _ = o.log.Write(p) // a log that fails is given up
	}
}

// finish ends the output for the model and keeps none from here on. It
// returns what a person should see of it.
func (o *output) finish() (shown string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.binary {
		o.pass(o.clean.finish())
	}
	o.model.finish()
	shown = o.live.String()
	o.model, o.live = nil, nil
	return shown
}

// isBinary reports whether what came is no text.
func (o *output) isBinary() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.binary
}

// logTo has all output written to w too.
func (o *output) logTo(w io.Writer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.log = w
}

// background goes on without a model and a person who look on: what there is
// so far goes to w, unless there is a log already, and so does what comes. It
// returns what there is.
func (o *output) background(w io.Writer) (soFar string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	soFar = o.live.String()
	if o.log == nil {
		if tool.Units(soFar) >= liveUnits-1 {
			_, _ = io.WriteString(w, "[of the output so far, only the last 100,000 characters]\n")
		}
		_, _ = io.WriteString(w, soFar) // a log that fails is given up
		o.log = w
	}
	o.model, o.live = nil, nil
	return soFar
}

// endLog writes what is left to the log.
func (o *output) endLog() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.binary {
		o.pass(o.clean.finish())
	}
	o.log = nil
}

// show returns what a person sees while the command runs.
func (o *output) show() tool.Display {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.binary {
		text := "[Binary output detected. Halting stream...]"
		if o.seen > 4096 {
			text = fmt.Sprintf("[Receiving binary output... %s received]", size(o.seen))
		}
		return tool.TerminalDisplay(text)
	}
	return tool.TerminalDisplay(o.live.String())
}

func size(n int64) string {
	switch {
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.2f GB", float64(n)/(1<<30))
}
