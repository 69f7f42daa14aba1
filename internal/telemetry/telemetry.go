// Package telemetry records the events of a session, if the user enables it: to a file in Gemini
// CLI's format, or to an OpenTelemetry collector. It takes the records of the session, and observes
// its requests to models, so that other packages do not depend on it.
//
// A nil *Telemetry is off: its methods do nothing.
//
// Recording never blocks a run. Records go into a queue of limited size, and one goroutine
// encodes and writes them. Records that do not fit are counted, and reported at the end. If
// the destination cannot be written, there is one warning.
//
// Records contain no credentials: [Options.Clean] removes them from all texts.
//
// [Activity] and [DebugLog] write two simpler files, which are enabled by environment
// variables.
package telemetry

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pollux/tool"
)

// Options configure a [Telemetry]. Settings, Warn and Session must be set; the rest is
// optional.
type Options struct {
	Settings
	// Path returns the absolute form of a path in the settings.
	Path func(string) string
	// Warn is called with messages for the user about problems that do not stop the session.
	Warn func(string)
	// Clean returns a text without secrets. nil removes none.
	Clean func(text string) string

	Version      string
	Session      func() string // the session's id, which may change between prompts
	Installation func() string // the id of this installation
	Interactive  bool
	AuthType     string
	// Provider returns the provider of a model, in OpenTelemetry's terms.
	Provider func(model string) string
	// Tool returns the tool with a name; nil means that no tool is known.
	Tool func(name string) (tool.Tool, bool)
	// Mode returns the approval mode.
	Mode func() string
}

// Telemetry records the events of a session. It is safe for concurrent use.
type Telemetry struct {
	o      Options
	meters meters
	sink   sink

	queue   chan any // *record or *span
	waiting atomic.Int64
	dropped atomic.Int64
	ctx     context.Context // for all writing
	stop    context.CancelFunc
	closing chan struct{}
	// timeout limits the time for writing the remaining records at the end of the program.
	timeout time.Duration
	done    chan struct{}
	failure error // the first error; must be read only after done is closed
	once    sync.Once

	mu      sync.Mutex
	common  attrs // attributes of all events and metrics; replaced, never changed
	session string
	prompts map[string]*watcher // unfinished prompts by id
	modes   time.Time           // time when the approval mode was set; zero before SessionConfigured
}

const (
	// maxQueue and maxWaiting are the limits of records waiting to be written, in number and
	// approximate bytes.
	maxQueue   = 4096
	maxWaiting = 64 << 20
	// period is the interval for writing metrics.
	period = 10 * time.Second
)

// Start starts telemetry for a session. It returns nil if telemetry is off or cannot be
// written; in the latter case it warns.
func Start(o Options) *Telemetry {
	if !o.Enabled {
		return nil
	}
	if o.Clean == nil {
		o.Clean = asIs
	}
	to := open(&o)
	if to == nil {
		return nil
	}
	ctx, stop := context.WithCancel(context.Background())
	t := &Telemetry{
		o: o, sink: to, prompts: map[string]*watcher{},
		ctx: ctx, stop: stop, queue: make(chan any, maxQueue), closing: make(chan struct{}), done: make(chan struct{}),
		timeout: 2 * time.Second,
	}
	t.setCommon()
	t.meters.add(counter("gemini_cli.session.count", "Sessions begun."), 1, nil)
	go t.work()
	return t
}

// setCommon sets the attributes of all events and metrics.
func (t *Telemetry) setCommon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.session == t.o.Session() && t.common != nil {
		return
	}
	t.session = t.o.Session()
	t.common = attrs{{"session.id", t.session}}
	if t.o.Installation != nil {
		t.common.addText("installation.id", t.o.Installation())
	}
	t.common.add("interactive", t.o.Interactive)
	t.common.addText("auth_type", t.o.AuthType)
	t.meters.setCommon(t.common)
}

// open returns the destination of records, nil if there is none.
func open(o *Options) sink {
	if why := o.DisabledReason(); why != "" {
		o.Warn("Telemetry is off: " + why)
		return nil
	}
	if o.Outfile == "" {
		return newOTLP(o)
	}
	path := o.Outfile
	if o.Path != nil {
		path = o.Path(path)
	}
	f, err := openFile(path)
	if err != nil {
		o.Warn(fmt.Sprintf("Telemetry is off: cannot write the outfile: %v", err))
		return nil
	}
	return newFile(f, resource(o), o.Clean)
}

// resource returns the attributes that all records share. They do not include the command
// line, which may contain the prompt.
func resource(o *Options) attrs {
	host, _ := os.Hostname()
	a := attrs{
		{"service.name", "gemini-cli"},
		{"service.version", o.Version},
		{"session.id", o.Session()},
		{"process.pid", os.Getpid()},
		{"process.runtime.name", "go"},
		{"process.runtime.version", strings.TrimPrefix(runtime.Version(), "go")},
		{"host.arch", runtime.GOARCH},
		{"os.type", runtime.GOOS},
	}
	a.addText("host.name", host)
	return a
}

// emit records an event.
func (t *Telemetry) emit(name, promptID, body string, failed bool, more attrs) {
	now := time.Now()
	t.mu.Lock()
	common := t.common
	t.mu.Unlock()
	in := t.placeOf(promptID)
	r := &record{at: now, body: body, failed: failed, in: in, attrs: slices.Grow(slices.Clone(common), len(more)+2)}
	r.attrs.add("event.name", name)
	r.attrs.add("event.timestamp", stamp(now))
	r.attrs = append(r.attrs, more...)
	t.put(r)
}

// event records one of Gemini CLI's own events that is not an error.
func (t *Telemetry) event(name, promptID, body string, more attrs) {
	t.emit("gemini_cli."+name, promptID, body, false, more)
}

// put queues a record or span, or counts it as dropped.
func (t *Telemetry) put(item any) {
	size := sizeOf(item)
	if t.waiting.Add(size) > maxWaiting {
		t.waiting.Add(-size)
		t.dropped.Add(1)
		return
	}
	select {
	case t.queue <- item:
	default:
		t.waiting.Add(-size)
		t.dropped.Add(1)
	}
}

func sizeOf(item any) int64 {
	switch item := item.(type) {
	case *record:
		return int64(item.attrs.size() + len(item.body))
	case *span:
		return int64(item.attrs.size())
	}
	return 0
}

// Close writes the remaining records within a short time, and warns if records were lost.
func (t *Telemetry) Close() {
	if t == nil {
		return
	}
	t.once.Do(func() {
		t.mu.Lock()
		began := !t.modes.IsZero()
		t.mu.Unlock()
		if began {
			t.duration(t.mode())
		}
		enough := time.AfterFunc(t.timeout, t.stop)
		close(t.closing)
		<-t.done
		enough.Stop()
		t.stop()
		if t.failure != nil {
			t.o.Warn("Telemetry is incomplete: " + t.o.Clean(t.failure.Error()))
		}
		if n := t.dropped.Load(); n > 0 {
			t.o.Warn(fmt.Sprintf("Telemetry is incomplete: %d records were dropped because writing was too slow.", n))
		}
	})
}
