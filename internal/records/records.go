// Package records is the stream of records about a session: its prompts and their events, its
// requests to models, its hooks, its commands. Parts of the session emit each [Record] once, to a
// [Stream], which passes it to all sinks: statistics, recent events, telemetry, the session file, logs.
//
//	stream := records.New(stats, recent, telemetry)
//	generator := stream.Observe(models)          // requests
//	events := stream.Run(ctx, prompt, agent.Run) // prompts
//	stream.Emit(records.Rewound{})               // all else
//
// A new kind of record is a struct in kinds.go, a line in [Kinds], and a case in the sinks that take
// it. A new sink is a type with the method Record, and an argument of [New] or [Stream.Add].
package records

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pollux/agent"
)

// Sink takes records. It ignores those that it does not need, also of kinds that it does not know.
type Sink interface {
	// Record takes a record. Several goroutines may call it at once, but the records of one prompt, from
	// [PromptBegan] to [PromptEnded], come in order and one at a time. Record returns soon: the session
	// waits for it. It does not change the record, and keeps no [*AgentEvent] after it returns, because
	// the stream uses that again.
	Record(r Record)
}

// Stream passes records to sinks. It is safe for concurrent use. A nil *Stream has no sinks.
type Stream struct {
	adding sync.Mutex
	sinks  atomic.Pointer[[]Sink]
}

// New returns a stream to these sinks, each of which gets each record, in their order.
func New(sinks ...Sink) *Stream {
	s := new(Stream)
	s.sinks.Store(&sinks)
	return s
}

// Add adds a sink, which gets the records from now on, and sees the chunks of models that [Stream.Observe] wraps
// from now on.
func (s *Stream) Add(sink Sink) {
	s.adding.Lock()
	defer s.adding.Unlock()
	sinks := append(slices.Clip(s.list()), sink)
	s.sinks.Store(&sinks)
}

// Emit passes a record to all sinks. It returns when all have taken it.
func (s *Stream) Emit(r Record) {
	for _, sink := range s.list() {
		sink.Record(r)
	}
}

func (s *Stream) list() []Sink {
	if s == nil {
		return nil
	}
	return *s.sinks.Load()
}

func (s *Stream) isEmpty() bool { return len(s.list()) == 0 }

// Runner processes a prompt, like [agent.Agent.Run].
type Runner = func(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error]

// Run processes a prompt with run, and yields its events. It emits [PromptBegan], then an [*AgentEvent]
// for each event before it yields that, and [PromptEnded] at the end, also if run panics. The prompt must have
// an ID.
func (s *Stream) Run(ctx context.Context, p agent.Prompt, run Runner) iter.Seq2[agent.Event, error] {
	if s.isEmpty() {
		return run(ctx, p)
	}
	return func(yield func(agent.Event, error) bool) {
		began, end := time.Now(), PromptEnded{PromptID: p.ID, Status: Failed}
		s.Emit(PromptBegan{p})
		defer func() {
			end.Took = time.Since(began)
			s.Emit(end)
		}()
		status := OK // once run has ended without a panic
		event := &AgentEvent{PromptID: p.ID}
		for e, err := range run(ctx, p) {
			if err != nil {
				end.Err = err
				status = Failed
			} else {
				event.Event = e
				s.Emit(event)
			}
			if _, isCancelled := e.(agent.Cancelled); isCancelled || errors.Is(err, context.Canceled) {
				status = Cancelled
			}
			if !yield(e, err) {
				if status == OK {
					status = Cancelled
				}
				break
			}
		}
		end.Status = status
	}
}
