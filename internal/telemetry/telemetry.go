// Package telemetry tells, where the user wants it, what a session did: as records
// in a file that scripts for Gemini CLI read, or to a collector of OpenTelemetry
// (spec/cli.md §9). Nothing else in the program mentions it: it looks on as a
// decorator of what the session is made of.
//
//	Generator   requests and answers
//	Run         the events of a prompt: tool calls, retries, compressions
//	Masker, NextSpeaker   what they decided
//
// A nil *Telemetry is off. Its methods may then be called too: they return what
// they were given and do nothing.
//
// The run never waits. What is to be told goes into a queue of bounded size, and
// one goroutine makes records of it and writes them; what does not fit is counted
// and said at the end. A place that cannot be written to costs one warning.
//
// What proves who asks is in no record: [Options.Secrets] are taken out of every
// text.
//
// [Activity] and [DebugLog] are two smaller files that users know by the names of
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

// Options are what a [Telemetry] tells of, and where. Settings, Warn and Session
// must be set; the rest may be zero.
type Options struct {
	Settings
	// Path returns the absolute path that the user means by another.
	Path func(string) string
	// Warn takes what the user should know and can live with.
	Warn func(string)
	// Secrets returns the texts that no record may hold.
	Secrets func() []string

	Version      string
	Session      func() string // the session's id, which may change between prompts
	Installation func() string // the id of this installation
	Interactive  bool
	AuthType     string
	// Provider says who serves a model, in OpenTelemetry's words.
	Provider func(model string) string
	// Tool returns the tool of a name; nil knows none.
	Tool func(name string) (tool.Tool, bool)
	// Mode returns the approval mode.
	Mode func() string
}

// Telemetry tells what a session does. Its methods may be called from several
// goroutines.
type Telemetry struct {
	o      Options
	meters meters
	sink   sink
	clean  func(string) string

	queue   chan any // *record or *span
	waiting atomic.Int64
	dropped atomic.Int64
	ctx     context.Context // of all writing
	stop    context.CancelFunc
	closing chan struct{}
	// patience is how long the end of the program waits for records to be written.
	patience time.Duration
	done     chan struct{}
	failure  error // the first; to be read when done is closed
	once     sync.Once

	mu      sync.Mutex
	common  attrs // of events and counts; it is replaced, never changed
	session string
	prompts int
	places  map[string]place // of prompts being worked on, by their id
	modes   time.Time        // when the approval mode was set; zero before Config
}

const (
	// maxQueue and maxWaiting bound what waits to be written: in number, and
	// about in bytes.
	maxQueue   = 4096
	maxWaiting = 64 << 20
	// period is how often counts are written.
	period = 10 * time.Second
)

// Start begins to tell of a session. It returns nil where telemetry is off, or
// where there is no place for it, of which it warns.
func Start(o Options) *Telemetry {
	if !o.Enabled {
		return nil
	}
	return start(o)
}

func start(o Options) *Telemetry {
	// What is secret is looked up when there is something to write, by who writes.
	cleaner := sync.OnceValue(func() func(string) string { return cleaner(o.Secrets) })
	clean := func(text string) string { return cleaner()(text) }
	to := open(&o, clean)
	if to == nil {
		return nil
	}
	ctx, stop := context.WithCancel(context.Background())
	t := &Telemetry{
		o: o, sink: to, clean: clean, places: map[string]place{},
		ctx: ctx, stop: stop, queue: make(chan any, maxQueue), closing: make(chan struct{}), done: make(chan struct{}),
		patience: 2 * time.Second,
	}
	t.setCommon()
	t.meters.add(counter("gemini_cli.session.count", "Sessions begun."), 1, nil)
	go t.work()
	return t
}

// setCommon makes what all events and counts have.
func (t *Telemetry) setCommon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.session == t.o.Session() && t.common != nil {
		return
	}
	t.session, t.prompts = t.o.Session(), 0
	t.common = attrs{{"session.id", t.session}}
	if t.o.Installation != nil {
		t.common.some("installation.id", t.o.Installation())
	}
	t.common.add("interactive", t.o.Interactive)
	t.common.some("auth_type", t.o.AuthType)
	t.meters.setCommon(t.common)
}

// open returns where records go; nil is nowhere.
func open(o *Options, clean func(string) string) sink {
	if why := o.Nowhere(); why != "" {
		o.Warn("Telemetry is off: " + why)
		return nil
	}
	if o.Outfile == "" {
		return newOTLP(o, clean)
	}
	path := o.Outfile
	if o.Path != nil {
		path = o.Path(path)
	}
	f, err := openFile(path)
	if err != nil {
		o.Warn(fmt.Sprintf("Telemetry is off: the outfile cannot be written: %v", err))
		return nil
	}
	return newFile(f, resource(o), clean)
}

// resource is what all records have in common. The command line is not in it: it
// may hold the prompt.
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
	a.some("host.name", host)
	return a
}

// emit tells of an event.
func (t *Telemetry) emit(name, promptID, body string, failed bool, more attrs) {
	now := time.Now()
	t.mu.Lock()
	common, in := t.common, t.places[promptID]
	t.mu.Unlock()
	r := &record{at: now, body: body, failed: failed, in: in, attrs: slices.Grow(slices.Clone(common), len(more)+2)}
	r.attrs.add("event.name", name)
	r.attrs.add("event.timestamp", stamp(now))
	r.attrs = append(r.attrs, more...)
	t.put(r)
}

// event is emit for Gemini CLI's own events that say nothing bad.
func (t *Telemetry) event(name, promptID, body string, more attrs) {
	t.emit("gemini_cli."+name, promptID, body, false, more)
}

// put queues a record or a span, or counts it as lost.
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

// Close writes what is left, which takes no longer than a bearable time, and warns
// of what could not be written.
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
		enough := time.AfterFunc(t.patience, t.stop)
		close(t.closing)
		<-t.done
		enough.Stop()
		t.stop()
		if t.failure != nil {
			t.o.Warn("Telemetry is incomplete: " + t.clean(t.failure.Error()))
		}
		if n := t.dropped.Load(); n > 0 {
			t.o.Warn(fmt.Sprintf("Telemetry is incomplete: %d records came faster than they could be written.", n))
		}
	})
}
