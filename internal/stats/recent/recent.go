// Package recent keeps the last events of a session in memory, with the memory use of the program
// at each: for crash reports, and for the log of a session that failed.
//
// A [Ring] takes the records of a session. It keeps names, sizes, counts and durations. It never
// keeps texts of prompts, responses, arguments, results or errors.
package recent

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"pollux/internal/records"
	"pollux/llm"
)

// Size is the number of events that a [Ring] keeps, as in Gemini CLI's activity monitor.
const Size = 100

// Kind is the kind of an [Event].
type Kind string

// The kinds of events.
const (
	Session     Kind = "session"     // a conversation begins; Name is the session's id
	Prompt      Kind = "prompt"      // In is the length of its text in bytes
	End         Kind = "prompt ends" // Status is OK, Failed or Cancelled; Took is set
	Request     Kind = "request"     // Name is the model, In the number of messages
	Response    Kind = "response"    // Name is the model, Status the finish reason or the error; In and Out are tokens
	Tool        Kind = "tool call"   // Name is the tool, In the length of the arguments in bytes
	Result      Kind = "tool result" // Name is the tool; Out is the length of the text for the model in bytes
	Retry       Kind = "retry"       // Name is the model, if known, Status the cause, In the number of the next attempt
	Switch      Kind = "switch"      // another model stands in; Name is that model
	Compression Kind = "compression" // In and Out are tokens of the history before and after
	Rewind      Kind = "rewind"
	Command     Kind = "command" // Name is the name of the / command
	Mode        Kind = "mode"    // Name is the approval mode
	Model       Kind = "model"   // Name is the model that the user has chosen
	Loop        Kind = "loop"    // Status is the kind of the loop, or "continuations" for too many requests
	Signal      Kind = "signal"  // Name is the signal
)

// Kinds returns all kinds of events.
func Kinds() []Kind {
	return []Kind{
		Session, Prompt, End, Request, Response, Tool, Result, Retry, Switch, Compression, Rewind, Command, Mode, Model, Loop, Signal,
	}
}

// The states of [End].
const (
	OK        = string(records.OK)
	Failed    = string(records.Failed)
	Cancelled = string(records.Cancelled)
)

// Event is something that happened. Fields that a kind does not use are zero.
type Event struct {
	Time    time.Time
	Kind    Kind
	Name    string
	Status  string
	Took    time.Duration
	In, Out int
	Memory  Memory
}

// IsFailure reports whether a report should include the causes of the event: a prompt failed, or
// a signal came.
func (e *Event) IsFailure() bool { return e.Kind == End && e.Status == Failed || e.Kind == Signal }

// Ring keeps the last [Size] events. It is safe for concurrent use. A nil *Ring keeps none.
type Ring struct {
	mu       sync.Mutex
	events   [Size]Event
	count    int // of all events so far
	taken    int // count up to which events were taken
	session  string
	failures int
	prompts  int
	log      *slog.Logger // nil for none
	memory   Memory
	measured time.Time
}

// memoryAge is the time from the first event to the first measurement of the memory use, and from one to the next; a
// failure has a measurement of its own.
const memoryAge = 50 * time.Millisecond

// add keeps an event. It sets the time and the memory use, if that is known, and removes from Name and Status
// characters that no name has, because models invent names of tools.
func (r *Ring) add(e Event) {
	e.Name, e.Status = plain(e.Name), plain(e.Status)
	r.mu.Lock()
	e.Time = time.Now()
	if r.count == 0 {
		r.measured = e.Time
	}
	if e.IsFailure() || e.Time.Sub(r.measured) >= memoryAge {
		r.memory, r.measured = ReadMemory(), e.Time
	}
	e.Memory = r.memory
	r.events[r.count%Size] = e
	r.count++
	switch {
	case e.Kind == Session:
		r.session = e.Name
	case e.Kind == Prompt:
		r.prompts++
	case e.IsFailure():
		r.failures++
	}
	log := r.log
	if log != nil {
		r.taken = r.count
	}
	r.mu.Unlock()
	if log != nil {
		e.writeTo(log)
	}
}

// LogTo logs each event from now on at the debug level, except requests and responses, which
// llm/observe logs.
func (r *Ring) LogTo(log *slog.Logger) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = log
}

func (e *Event) writeTo(log *slog.Logger) {
	if e.Kind == Request || e.Kind == Response {
		return
	}
	var fields []slog.Attr
	for key, value := range e.Attrs {
		fields = append(fields, slog.Any(key, value))
	}
	log.LogAttrs(context.Background(), slog.LevelDebug, string(e.Kind), fields...)
}

// Events returns the kept events, the oldest first.
func (r *Ring) Events() []Event {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.since(0)
}

// Take returns the kept events that Take has not returned before and that were not logged.
func (r *Ring) Take() []Event {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	events := r.since(r.taken)
	r.taken = r.count
	return events
}

// since returns the kept events from the nth on, counted over all.
func (r *Ring) since(n int) []Event {
	n = max(n, r.count-Size)
	events := make([]Event, 0, r.count-n)
	for ; n < r.count; n++ {
		events = append(events, r.events[n%Size])
	}
	return events
}

// Session returns the id of the session, "" before it has begun, and whether it has had a prompt.
func (r *Ring) Session() (id string, hasPrompt bool) {
	if r == nil {
		return "", false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session, r.prompts > 0
}

// HasFailure reports whether there has been an event with [Event.IsFailure].
func (r *Ring) HasFailure() bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failures > 0
}

// maxName is the maximum length of a name in bytes.
const maxName = 64

// plain returns a name with a question mark in place of each character that names of models, tools
// and errors do not have, at most maxName bytes of it.
func plain(name string) string {
	name = strings.Map(func(c rune) rune {
		if !isPlain(c) {
			return '?'
		}
		return c
	}, name)
	return name[:min(len(name), maxName)]
}

func isPlain(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("_-.:/@ +", c)
}

// Attrs calls yield with the fields of the event that are set, in a fixed order, for a log. A value
// is a string or an int64.
func (e *Event) Attrs(yield func(key string, value any) bool) {
	for _, field := range [...]struct {
		key  string
		text string
		n    int64
	}{
		{"name", e.Name, 0},
		{"status", e.Status, 0},
		{"ms", "", e.Took.Milliseconds()},
		{"in", "", int64(e.In)},
		{"out", "", int64(e.Out)},
		{"heap", "", int64(e.Memory.Heap)},
		{"rss", "", int64(e.Memory.Resident)},
	} {
		value := any(field.text)
		if field.text == "" {
			if value = field.n; field.n == 0 {
				continue
			}
		}
		if !yield(field.key, value) {
			return
		}
	}
}

// AppendJSON appends the event as an object, in the format of the records of a session's log.
func (e *Event) AppendJSON(b []byte) []byte {
	b = append(b, `{"time":"`...)
	b = e.Time.AppendFormat(b, time.RFC3339Nano)
	level := "INFO"
	if e.IsFailure() {
		level = "ERROR"
	}
	b = append(append(b, `","level":"`+level+`","msg":`...), llm.AppendString(nil, string(e.Kind))...)
	e.Attrs(func(key string, value any) bool {
		b = append(append(b, ',', '"'), key...)
		b = append(b, '"', ':')
		if text, ok := value.(string); ok {
			b = llm.AppendString(b, text)
		} else {
			b = fmt.Append(b, value)
		}
		return true
	})
	return append(b, '}')
}
