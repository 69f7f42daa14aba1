package recent

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/records"
	"pollux/llm"
	"pollux/tool"
)

// brief returns the kept events without times and memory use.
func brief(r *Ring) []Event {
	events := r.Events()
	for i := range events {
		events[i].Time, events[i].Memory, events[i].Took = time.Time{}, Memory{}, 0
	}
	return events
}

func TestRing(t *testing.T) {
	t.Parallel()
	r := new(Ring)
	for i := range Size + 50 {
		r.add(Event{Kind: Tool, In: i})
	}
	events := r.Events()
	if len(events) != Size || events[0].In != 50 || events[Size-1].In != Size+49 {
		t.Fatalf("%d events from %d to %d", len(events), events[0].In, events[len(events)-1].In)
	}
	if events[0].Time.IsZero() {
		t.Errorf("the event is %+v", events[0])
	}
	if n := len(r.Take()); n != Size {
		t.Errorf("took %d events", n)
	}
	r.add(Event{Kind: Rewind})
	if taken := r.Take(); len(taken) != 1 || taken[0].Kind != Rewind {
		t.Errorf("took %v", taken)
	}
	var log strings.Builder
	r.LogTo(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	r.add(Event{Kind: Request, Name: "m"})
	r.add(Event{Kind: Mode, Name: "plan", In: 7})
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "level=DEBUG msg=mode name=plan in=7") || len(r.Take()) != 0 {
		t.Errorf("the log is %s, or Take returns its content", text)
	}
}

// The memory use is measured from memoryAge after the first event on, and not for each event.
func TestMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := new(Ring)
		var kept [][]byte // what the heap grows by
		for range 4 {
			r.add(Event{Kind: Tool})
			time.Sleep(memoryAge / 2)
			kept = append(kept, make([]byte, 1<<20))
		}
		e := r.Events()
		if e[0].Memory != (Memory{}) || e[1].Memory != e[0].Memory || e[2].Memory == e[1].Memory || e[3].Memory != e[2].Memory {
			t.Errorf("the events are %+v", e)
		}
		if m := e[2].Memory; m.Heap < 2<<20 || m.Resident == 0 || m.HeapTotal < m.Heap || m.Other == 0 {
			t.Errorf("the memory use is %+v", m)
		}
		r.add(Event{Kind: End, Status: Failed})
		if after := r.Events()[4].Memory; after == e[3].Memory || after.Heap < 4<<20 {
			t.Errorf("the memory use at the failure is %+v", after)
		}
		runtime.KeepAlive(kept)
	})
}

// A nil ring does nothing.
func TestNil(t *testing.T) {
	t.Parallel()
	var r *Ring
	r.Record(records.Rewound{})
	r.LogTo(nil)
	id, hasPrompt := r.Session()
	if r.Events() != nil || r.Take() != nil || id != "" || hasPrompt || r.HasFailure() {
		t.Error("a nil ring has something")
	}
}

// Names that a model invents cannot hold secrets in other characters, nor control a terminal.
func TestPlain(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"read_file":                  "read_file",
		"gemini-2.5-flash":           "gemini-2.5-flash",
		"a\x1b[31mb":                 "a??31mb",
		"schlüssel":                  "schl?ssel",
		"\xff":                       "?",
		strings.Repeat("long", 1000): strings.Repeat("long", 16),
	} {
		if got := plain(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// played returns a runner that yields these events, and then an error if there is one.
func played(err error, events ...agent.Event) records.Runner {
	return func(context.Context, agent.Prompt) iter.Seq2[agent.Event, error] {
		return func(yield func(agent.Event, error) bool) {
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
			}
		}
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	const private = "private words"
	call := &agent.ToolCall{Name: "read_file", Args: json.RawMessage(`{"file_path":"private words"}`)}
	prompt := agent.Prompt{Parts: []llm.Part{llm.Text(private)}}
	for _, tt := range []struct {
		name   string
		err    error
		events []agent.Event
		want   []Event
		fails  bool
	}{
		{"calls", nil, []agent.Event{
			agent.Text{Text: private},
			agent.ToolRequested{Call: call},
			agenttest.Finished(call, agent.Success, tool.Text(private)),
			agent.Nested{Call: call, Event: agenttest.Finished(call, agent.Failed, tool.Fail(tool.ErrUnhandled, private))},
		}, []Event{
			{Kind: Tool, Name: "read_file", In: 29},
			{Kind: Result, Name: "read_file", Status: "success", Out: 13},
			{Kind: Result, Name: "read_file", Status: "unhandled_exception"},
			{Kind: End, Status: OK},
		}, false},
		{"retries", &llm.Error{Kind: llm.KindServer, Message: private}, []agent.Event{
			agent.Waiting{Retry: llm.Retry{Attempt: 1, Err: &llm.Error{Kind: llm.KindServer, Message: private}, Model: "m"}},
			agent.Retried{Cause: agent.InvalidStream{Type: "NO_RESPONSE_TEXT", Message: private}, Attempt: 2},
			agent.Switched{Switch: llm.Switch{From: "m", To: "n", Err: &llm.Error{Kind: llm.KindQuota}}},
			agent.LoopDetected{Kind: "tool"},
		}, []Event{
			{Kind: Retry, Name: "m", Status: "SERVER_ERROR", In: 2},
			{Kind: Retry, Status: "NO_RESPONSE_TEXT", In: 2},
			{Kind: Switch, Name: "n", Status: "QUOTA_EXCEEDED"},
			{Kind: Loop, Status: "tool"},
			{Kind: End, Status: Failed},
		}, true},
		{"cancelled", nil, []agent.Event{agent.Cancelled{}}, []Event{{Kind: End, Status: Cancelled}}, false},
		{"interrupted", context.Canceled, nil, []Event{{Kind: End, Status: Cancelled}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := new(Ring)
			for range records.New(r).Run(t.Context(), prompt, played(tt.err, tt.events...)) {
			}
			want := append([]Event{{Kind: Prompt, In: len(private)}}, tt.want...)
			if diff := cmp.Diff(want, brief(r), cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			if r.HasFailure() != tt.fails {
				t.Errorf("HasFailure is %v", r.HasFailure())
			}
			for _, e := range r.Events() {
				line := e.AppendJSON(nil)
				if !json.Valid(line) || strings.Contains(string(line), "private") {
					t.Errorf("the record is %s", line)
				}
			}
		})
	}
}

// A panic in a run is a failure, and goes on.
func TestRunPanics(t *testing.T) {
	t.Parallel()
	r := new(Ring)
	defer func() {
		if recover() == nil || !r.HasFailure() {
			t.Error("the panic did not go on, or is no failure")
		}
	}()
	run := func(context.Context, agent.Prompt) iter.Seq2[agent.Event, error] {
		return func(func(agent.Event, error) bool) { panic("bug") }
	}
	for range records.New(r).Run(t.Context(), agent.Prompt{}, run) {
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	r := new(Ring)
	req := &llm.Request{Model: "m", Contents: []*llm.Content{llm.User(llm.Text("private"))}}
	for _, end := range []records.RequestEnded{
		{IsAnswered: true, Reason: llm.FinishStop, Usage: &llm.Usage{Prompt: 7, Candidates: 2, Thoughts: 1}},
		{Err: &llm.Error{Kind: llm.KindUnauthorized, Status: 401, Message: "private"}},
		{IsAnswered: true, Reason: llm.FinishStop, Err: errors.New("private")},
	} {
		r.Record(records.RequestBegan{Request: req})
		end.Request = req
		r.Record(end)
	}
	want := []Event{
		{Kind: Request, Name: "m", In: 1},
		{Kind: Response, Name: "m", Status: "STOP", In: 7, Out: 3},
		{Kind: Request, Name: "m", In: 1},
		{Kind: Response, Name: "m", Status: "HTTP_401"},
		{Kind: Request, Name: "m", In: 1},
		{Kind: Response, Name: "m", Status: "AbortError"},
	}
	if diff := cmp.Diff(want, brief(r)); diff != "" {
		t.Error(diff)
	}
}

// TestRecords checks the events of records that come from neither a run nor a request.
func TestRecords(t *testing.T) {
	t.Parallel()
	call := agenttest.Finished(&agent.ToolCall{Name: "look"}, agent.Success, tool.Text("private"))
	for _, tt := range []struct {
		record records.Record
		want   Event
	}{
		{records.SessionBegan{ID: "id"}, Event{Kind: Session, Name: "id"}},
		{records.ClientCall{Finished: call}, Event{Kind: Result, Name: "look", Status: "success", Out: 7}},
		{records.HistoryCompressed{Compression: agent.Compression{Status: agent.CompressedOK, Before: 9, After: 3}}, Event{Kind: Compression, Status: "1", In: 9, Out: 3}},
		{records.Rewound{}, Event{Kind: Rewind}},
		{records.CommandRun{Name: "memory show"}, Event{Kind: Command, Name: "memory show"}},
		{records.CommandRun{Name: "nosuch", Failed: true}, Event{Kind: Command, Name: "nosuch", Status: Failed}},
		{records.ModeSwitched{From: "default", To: "plan"}, Event{Kind: Mode, Name: "plan"}},
		{records.ModelChosen{Model: "m"}, Event{Kind: Model, Name: "m"}},
		{records.SignalReceived{Name: "terminated"}, Event{Kind: Signal, Name: "terminated"}},
	} {
		r := new(Ring)
		r.Record(tt.record)
		if diff := cmp.Diff([]Event{tt.want}, brief(r)); diff != "" {
			t.Errorf("%T: %s", tt.record, diff)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	r := new(Ring)
	b.ReportAllocs()
	for b.Loop() {
		r.add(Event{Kind: Tool, Name: "read_file", In: 100})
	}
}

func BenchmarkReadMemory(b *testing.B) {
	for b.Loop() {
		ReadMemory()
	}
}
