package records_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pollux/agent"
	"pollux/internal/records"
	"pollux/llm"
	"pollux/llm/observe"
)

// keeper is a sink that keeps records, and copies of events.
type keeper struct {
	mu   sync.Mutex
	kept []records.Record
}

func (k *keeper) Record(r records.Record) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e, ok := r.(*records.AgentEvent); ok {
		copied := *e
		r = &copied
	}
	k.kept = append(k.kept, r)
}

// played returns a runner that takes a second, yields these events, and then an error if there is one.
func played(err error, events ...agent.Event) records.Runner {
	return func(context.Context, agent.Prompt) iter.Seq2[agent.Event, error] {
		return func(yield func(agent.Event, error) bool) {
			time.Sleep(time.Second)
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
	boom := errors.New("boom")
	interrupted := fmt.Errorf("interrupted: %w", context.Canceled)
	text, done := agent.Text{Text: "x"}, agent.Finished{}
	for _, tt := range []struct {
		name   string
		err    error
		events []agent.Event
		leave  int // the number of events after which the consumer leaves, 0 for never
		want   records.Status
	}{
		{"an answer", nil, []agent.Event{text, done}, 0, records.OK},
		{"an error", boom, []agent.Event{text}, 0, records.Failed},
		{"an error first", boom, nil, 0, records.Failed},
		{"cancelled", nil, []agent.Event{text, agent.Cancelled{}}, 0, records.Cancelled},
		{"interrupted", interrupted, []agent.Event{text}, 0, records.Cancelled},
		{"left", nil, []agent.Event{text, text, text}, 2, records.Cancelled},
		{"left at an error", boom, []agent.Event{text}, 2, records.Failed},
		{"no events", nil, nil, 0, records.OK},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				first, second := &keeper{}, &keeper{}
				s := records.New(first, second)
				p := agent.Prompt{ID: "p", Shown: "hello"}
				events := s.Run(t.Context(), p, played(tt.err, tt.events...))
				if len(first.kept) > 0 {
					t.Error("a run that nothing consumes is recorded")
				}
				want := []records.Record{records.PromptBegan{Prompt: p}}
				n := 0
				for e, err := range events {
					if err == nil {
						want = append(want, &records.AgentEvent{PromptID: "p", Event: e})
					} else if !errors.Is(err, tt.err) {
						t.Errorf("the error is %v", err)
					}
					if len(second.kept) != len(want) {
						t.Errorf("%d records when an event arrives, want %d", len(second.kept), len(want))
					}
					if n++; n == tt.leave {
						break
					}
				}
				end := records.PromptEnded{PromptID: "p", Status: tt.want, Err: tt.err, Took: time.Second}
				want = append(want, end)
				for _, sink := range []*keeper{first, second} {
					if diff := cmp.Diff(want, sink.kept, cmpopts.EquateErrors()); diff != "" {
						t.Errorf("(-want +got)\n%s", diff)
					}
				}
			})
		})
	}
}

// A panic in a run ends the prompt, and goes on.
func TestRunPanics(t *testing.T) {
	t.Parallel()
	k := &keeper{}
	defer func() {
		if end, ok := k.kept[len(k.kept)-1].(records.PromptEnded); recover() == nil || !ok || end.Status != records.Failed {
			t.Errorf("the panic did not go on, or the last record is %+v", k.kept[len(k.kept)-1])
		}
	}()
	run := func(context.Context, agent.Prompt) iter.Seq2[agent.Event, error] {
		return func(yield func(agent.Event, error) bool) {
			yield(agent.Text{}, nil)
			panic("bug")
		}
	}
	for range records.New(k).Run(t.Context(), agent.Prompt{ID: "p"}, run) {
	}
}

// A stream without sinks returns its arguments.
func TestEmpty(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testEmpty)
}

func testEmpty(t *testing.T) {
	for _, s := range []*records.Stream{nil, records.New()} {
		s.Emit(records.Rewound{})
		n := 0
		for range s.Run(t.Context(), agent.Prompt{}, played(nil, agent.Text{}, agent.Finished{})) {
			n++
		}
		g := &model{}
		if n != 2 || s.Observe(g) != llm.Generator(g) || s.Masker(step{}) != agent.Masker(step{}) ||
			s.Compressor(step{}) != agent.Compressor(step{}) || s.NextSpeaker(step{}) != agent.NextSpeaker(step{}) {
			t.Errorf("%d events, or a decorator without a sink", n)
		}
	}
	s := records.New(&keeper{})
	if s.Masker(nil) != nil || s.Compressor(nil) != nil || s.NextSpeaker(nil) != nil {
		t.Error("a decorator of nothing")
	}
}

// Several prompts at once, each with its records in order.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testConcurrentUse)
}

func testConcurrentUse(t *testing.T) {
	k := &keeper{}
	s := records.New(k)
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			events := slices.Repeat([]agent.Event{agent.Text{Text: "x"}}, 50)
			for range s.Run(t.Context(), agent.Prompt{ID: fmt.Sprint(n)}, played(nil, events...)) {
				s.Emit(records.Rewound{})
			}
		})
	}
	wg.Wait()
	got := map[string]string{}
	for _, r := range k.kept {
		switch r := r.(type) {
		case records.PromptBegan:
			got[r.ID] += "<"
		case *records.AgentEvent:
			got[r.PromptID] += "."
		case records.PromptEnded:
			got[r.PromptID] += ">"
		}
	}
	want := "<" + strings.Repeat(".", 50) + ">"
	for n := range 8 {
		if got[fmt.Sprint(n)] != want {
			t.Errorf("prompt %d: %s", n, got[fmt.Sprint(n)])
		}
	}
}

// TestAdd checks that an added sink gets the records from then on, also of steps that the stream has wrapped before,
// and that sinks may be added while others take records.
func TestAdd(t *testing.T) {
	t.Parallel()
	first, second := &keeper{}, &keeper{}
	sinks := append(make([]records.Sink, 0, 4), first) // which have room for another one
	s := records.New(sinks...)
	masker := s.Masker(step{saved: 1})
	s.Emit(records.Rewound{})
	s.Add(second)
	records.New(sinks...).Add(&keeper{})
	s.Emit(records.PlanApproved{})
	masker.Mask(t.Context(), nil, 0)
	kinds := func(k *keeper) (names string) {
		for _, r := range k.kept {
			names += " " + kind(r)
		}
		return names
	}
	if got := kinds(first) + "," + kinds(second); got != " Rewound PlanApproved HistoryMasked, PlanApproved HistoryMasked" {
		t.Errorf("the sinks got%s", got)
	}
	var wg sync.WaitGroup
	var added [8][100]keeper
	for i := range added {
		wg.Go(func() {
			for j := range added[i] {
				s.Add(&added[i][j])
			}
			s.Emit(records.ExitForced{})
		})
	}
	wg.Wait()
	for i := range added {
		for j := range added[i] {
			if len(added[i][j].kept) == 0 {
				t.Errorf("sink %d %d got no record", i, j)
			}
		}
	}
}

// model is a model that returns fixed chunks, and then an error if there is one, after a second.
type model struct {
	llm.Generator
	chunks []*llm.Response
	err    error
}

func (m *model) Stream(context.Context, *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		time.Sleep(time.Second)
		for _, c := range m.chunks {
			if !yield(c, nil) {
				return
			}
		}
		if m.err != nil {
			yield(nil, m.err)
		}
	}
}

func (m *model) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	time.Sleep(time.Second)
	if m.err != nil {
		return nil, m.err
	}
	return m.chunks[0], nil
}

func TestRequests(t *testing.T) {
	t.Parallel()
	boom := &llm.Error{Kind: llm.KindServer}
	finish := &llm.Response{Candidates: []llm.Candidate{{FinishReason: llm.FinishStop}}}
	for _, tt := range []struct {
		name  string
		model model
		leave bool
		want  records.RequestEnded
	}{
		{
			"totals",
			model{chunks: []*llm.Response{{Usage: &llm.Usage{Prompt: 1}}, finish, {Usage: &llm.Usage{Prompt: 7, Total: 9}}, {}}},
			false,
			records.RequestEnded{IsAnswered: true, Usage: &llm.Usage{Prompt: 7, Total: 9}, Reason: llm.FinishStop},
		},
		{"no counts", model{chunks: []*llm.Response{{}}}, false, records.RequestEnded{IsAnswered: true}},
		{"refused", model{err: boom}, false, records.RequestEnded{Err: boom}},
		{"broken", model{chunks: []*llm.Response{finish}, err: boom}, false, records.RequestEnded{IsAnswered: true, Reason: llm.FinishStop, Err: boom}},
		{
			"left",
			model{chunks: []*llm.Response{{Usage: &llm.Usage{Prompt: 1}}, finish}, err: boom},
			true,
			records.RequestEnded{IsAnswered: true, Usage: &llm.Usage{Prompt: 1}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := &keeper{}
				req := &llm.Request{Model: "m", Use: llm.UseRouter}
				for range records.New(k).Observe(&tt.model).Stream(t.Context(), req) {
					if tt.leave {
						break
					}
				}
				tt.want.Request, tt.want.Took = req, time.Second
				want := []records.Record{records.RequestBegan{Request: req}, tt.want}
				if diff := cmp.Diff(want, k.kept, cmpopts.EquateErrors()); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			})
		})
	}
}

// watcher is a sink that also sees chunks, or an observer of its own.
type watcher struct {
	name string
	log  *[]string
}

func (w watcher) Record(r records.Record) {
	*w.log = append(*w.log, fmt.Sprintf("%s %T", w.name, r))
}

func (w watcher) Begin(*llm.Request) observe.Call {
	*w.log = append(*w.log, w.name+" begin")
	return w
}

func (w watcher) See(*llm.Response, error) { *w.log = append(*w.log, w.name+" see") }
func (w watcher) End()                     { *w.log = append(*w.log, w.name+" end") }

// A record comes before the matching call of observers, sinks before other observers.
func TestObservers(t *testing.T) {
	t.Parallel()
	var log []string
	s := records.New(watcher{"a", &log}, watcher{"b", &log})
	_, _ = s.Observe(&model{chunks: []*llm.Response{{}}}, watcher{"c", &log}).Generate(t.Context(), &llm.Request{})
	want := []string{
		"a records.RequestBegan", "b records.RequestBegan", "a begin", "b begin", "c begin", "a see", "b see", "c see",
		"a records.RequestEnded", "b records.RequestEnded", "a end", "b end", "c end",
	}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	log = nil
	_, _ = records.New().Observe(&model{chunks: []*llm.Response{{}}}, watcher{"c", &log}).Generate(t.Context(), &llm.Request{})
	if diff := cmp.Diff([]string{"c begin", "c see", "c end"}, log); diff != "" {
		t.Errorf("without sinks: %s", diff)
	}
}

// step is a step of the agent of each kind.
type step struct {
	status agent.CompressionStatus
	saved  int
	role   llm.Role
}

var shorter = []agent.Message{{ID: "after"}}

func (s step) Compress(context.Context, agent.CompressRequest) ([]agent.Message, agent.Compression) {
	return shorter, agent.Compression{Status: s.status, Before: 9, After: 3}
}

func (s step) Mask(context.Context, []agent.Message, int) ([]agent.Message, int) {
	return shorter, s.saved
}

func (s step) Next(context.Context, []agent.Message) llm.Role { return s.role }

// seer is a compressor that forecasts its effect.
type seer struct{ step }

func (seer) Forecast(o agent.CompressRequest) int { return o.Tokens - 1 }

func TestDecorators(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end()
	before := []agent.Message{{ID: "before"}}
	summary := agent.Compression{Status: agent.CompressedOK, Before: 9, After: 3}
	compress := func(ctx context.Context, s *records.Stream, status agent.CompressionStatus) {
		got, c := s.Compressor(step{status: status}).Compress(ctx, agent.CompressRequest{PromptID: "p"})
		if got[0].ID != "after" || c.Status != status {
			t.Errorf("compressed: %v, %v", got, c)
		}
	}
	mask := func(s *records.Stream, saved int) {
		if got, n := s.Masker(step{saved: saved}).Mask(t.Context(), before, 0); got[0].ID != "after" || n != saved {
			t.Errorf("masked: %v, %d", got, n)
		}
	}
	for name, tt := range map[string]struct {
		do   func(s *records.Stream)
		want records.Record // nil for none
	}{
		"a summary": {func(s *records.Stream) { compress(t.Context(), s, agent.CompressedOK) }, records.HistoryCompressed{PromptID: "p", Compression: summary}},
		"a forecast": {func(s *records.Stream) {
			if n := s.Compressor(seer{}).(agent.Forecaster).Forecast(agent.CompressRequest{Tokens: 9}); n != 8 {
				t.Errorf("forecast: %d", n)
			}
			if n := s.Compressor(step{}).(agent.Forecaster).Forecast(agent.CompressRequest{Tokens: 9}); n != 9 {
				t.Errorf("no forecast: %d", n)
			}
		}, nil},
		"none":               {func(s *records.Stream) { compress(t.Context(), s, agent.CompressNoOp) }, nil},
		"a cancelled one":    {func(s *records.Stream) { compress(ended, s, agent.CompressedOK) }, nil},
		"masked":             {func(s *records.Stream) { mask(s, 7) }, records.HistoryMasked{Before: before, After: shorter, Saved: 7}},
		"nothing masked":     {func(s *records.Stream) { mask(s, 0) }, nil},
		"the user continues": {func(s *records.Stream) { s.NextSpeaker(step{role: llm.RoleUser}).Next(t.Context(), nil) }, records.NextSpeakerChecked{Role: llm.RoleUser}},
	} {
		k := &keeper{}
		tt.do(records.New(k))
		var want []records.Record
		if tt.want != nil {
			want = append(want, tt.want)
		}
		if diff := cmp.Diff(want, k.kept, cmpopts.EquateErrors()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}
