package stats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/records"
	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/tool"
)

// answer is a generator that takes its time and returns fixed responses.
type answer struct {
	llm.Generator
	takes  time.Duration
	chunks []*llm.Response
	err    error
}

func (a *answer) Stream(context.Context, *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		time.Sleep(a.takes)
		for _, c := range a.chunks {
			if !yield(c, nil) {
				return
			}
		}
		if a.err != nil {
			yield(nil, a.err)
		}
	}
}

func (a *answer) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	time.Sleep(a.takes)
	if a.err != nil {
		return nil, a.err
	}
	return a.chunks[len(a.chunks)-1], nil
}

func drain(g llm.Generator, req *llm.Request) {
	for range g.Stream(context.Background(), req) {
	}
}

func finished(name string, status agent.Status, outcome tool.Outcome, r *tool.Result) agent.ToolFinished {
	f := agenttest.FinishedAfter(20*time.Millisecond, &agent.ToolCall{ID: name + "__1", Name: name}, status, r)
	f.Executions[0].Decision.Outcome = outcome
	return f
}

// asked is finished for a call that a person was asked about.
func asked(name string, status agent.Status, outcome tool.Outcome, r *tool.Result) agent.ToolFinished {
	f := finished(name, status, outcome, r)
	f.Executions[0].Decision.By = agent.DecidedByUser
	return f
}

// work is a session in which something of every kind happened.
func work() *Counter {
	s := New()
	s.Price = func(model string) *catalog.Price { return catalog.ForProvider("gemini", model).Price }
	main := &llm.Request{Model: "gemini-2.5-flash", Use: llm.UseMain}
	drain(records.New(s).Observe(&answer{takes: 100 * time.Millisecond, err: &llm.Error{Kind: llm.KindRateLimit, Status: 429}}), main)
	drain(records.New(s).Observe(&answer{takes: 100 * time.Millisecond, err: &llm.Error{Kind: llm.KindRateLimit, Status: 429}}), main)
	drain(records.New(s).Observe(&answer{takes: 100 * time.Millisecond, err: &llm.Error{Kind: llm.KindBadRequest, Status: 400}}), main)
	drain(records.New(s).Observe(&answer{takes: 200 * time.Millisecond, chunks: []*llm.Response{
		{Usage: &llm.Usage{Prompt: 100, Candidates: 1, Total: 101}},
		{},
		{Usage: &llm.Usage{Prompt: 100, Candidates: 20, CachedContent: 60, Thoughts: 5, ToolUsePrompt: 2, Total: 127}},
	}}), main)
	router := records.New(s).Observe(&answer{takes: 30 * time.Millisecond, chunks: []*llm.Response{{Usage: &llm.Usage{Prompt: 7, Candidates: 3, Total: 10}}}})
	_, _ = router.Generate(context.Background(), &llm.Request{Model: "gemini-2.5-flash-lite", Use: llm.UseRouter})
	_, _ = router.Generate(context.Background(), &llm.Request{Model: "gemini-2.5-flash", Use: llm.UseCompressor})

	s.Record(&records.AgentEvent{Event: finished("read_file", agent.Success, tool.ProceedOnce, &tool.Result{})})
	s.Record(&records.AgentEvent{Event: asked("replace", agent.Success, tool.ProceedOnce, &tool.Result{Lines: tool.LineChange{Added: 3, Removed: 1}})})
	s.Record(&records.AgentEvent{Event: finished("replace", agent.CallCancelled, tool.Cancel, &tool.Result{Lines: tool.LineChange{Added: 9}})})
	s.Record(&records.AgentEvent{Event: finished("replace", agent.Success, tool.ModifyWithEditor, nil)})
	s.Record(&records.AgentEvent{Event: finished("replace", agent.Success, tool.ProceedAlways, nil)})
	s.Record(&records.AgentEvent{Event: finished("nosuch", agent.Failed, "", tool.Fail(tool.ErrNotRegistered, "no such tool"))})
	return s
}

func TestAsked(t *testing.T) {
	t.Parallel()
	s := New()
	for _, outcome := range []tool.Outcome{tool.ProceedOnce, tool.ProceedAlwaysTool, tool.Cancel, tool.ModifyWithEditor} {
		s.Record(&records.AgentEvent{Event: asked("edit", agent.Success, outcome, nil)})
		s.Record(&records.AgentEvent{Event: finished("edit", agent.Success, outcome, nil)}) // by a rule
	}
	if got, want := s.Snapshot().Asked, (Decisions{Accept: 1, AutoAccept: 1, Reject: 1, Modify: 1}); got != want {
		t.Errorf("asked %+v, want %+v", got, want)
	}
	s.Record(records.SessionBegan{IsBranch: true})
	if got := s.Snapshot().Asked; got == (Decisions{}) {
		t.Error("a branch has reset the counts")
	}
	s.Record(records.SessionBegan{})
	if got := s.Snapshot().Asked; got != (Decisions{}) {
		t.Errorf("after a reset: %+v", got)
	}
}

func TestAppendJSON(t *testing.T) {
	t.Parallel()
	const want = `{"models":{` +
		`"gemini-2.5-flash":{` +
		`"api":{"totalRequests":5,"totalErrors":3,"totalLatencyMs":530,"errorsByType":{"QUOTA_EXCEEDED":2,"HTTP_400":1}},` +
		`"tokens":{"input":47,"prompt":107,"candidates":23,"total":137,"cached":60,"thoughts":5,"tool":2},` +
		`"roles":{` +
		`"main":{"totalRequests":4,"totalErrors":3,"totalLatencyMs":500,"tokens":{"input":40,"prompt":100,"candidates":20,"total":127,"cached":60,"thoughts":5,"tool":2}},` +
		`"utility_compressor":{"totalRequests":1,"totalErrors":0,"totalLatencyMs":30,"tokens":{"input":7,"prompt":7,"candidates":3,"total":10,"cached":0,"thoughts":0,"tool":0}}},"cost":0.000087},` +
		`"gemini-2.5-flash-lite":{` +
		`"api":{"totalRequests":1,"totalErrors":0,"totalLatencyMs":30,"errorsByType":{}},` +
		`"tokens":{"input":7,"prompt":7,"candidates":3,"total":10,"cached":0,"thoughts":0,"tool":0},` +
		`"roles":{"utility_router":{"totalRequests":1,"totalErrors":0,"totalLatencyMs":30,"tokens":{"input":7,"prompt":7,"candidates":3,"total":10,"cached":0,"thoughts":0,"tool":0}}},"cost":null}},` +
		`"tools":{"totalCalls":6,"totalSuccess":4,"totalFail":2,"totalDurationMs":120,` +
		`"totalDecisions":{"accept":2,"reject":1,"modify":1,"auto_accept":1},` +
		`"byName":{` +
		`"read_file":{"count":1,"success":1,"fail":0,"durationMs":20,"decisions":{"accept":1,"reject":0,"modify":0,"auto_accept":0}},` +
		`"replace":{"count":4,"success":3,"fail":1,"durationMs":80,"decisions":{"accept":1,"reject":1,"modify":1,"auto_accept":1}},` +
		`"nosuch":{"count":1,"success":0,"fail":1,"durationMs":20,"decisions":{"accept":0,"reject":0,"modify":0,"auto_accept":0}}}},` +
		`"files":{"totalLinesAdded":3,"totalLinesRemoved":1}}`
	synctest.Test(t, func(t *testing.T) {
		s := work().Snapshot()
		if diff := cmp.Diff(want, string(s.AppendJSON(nil))); diff != "" {
			t.Errorf("stats (-want +got):\n%s", diff)
		}
	})
}

// TestChanges counts the lines and files that commands change, also if they fail. An edit's lines count once.
func TestChanges(t *testing.T) {
	t.Parallel()
	s := New()
	for _, f := range []agent.ToolFinished{
		finished("run_shell_command", agent.Failed, tool.ProceedOnce, &tool.Result{}),
		finished("replace", agent.Success, tool.ProceedOnce, &tool.Result{Lines: tool.LineChange{Added: 3, Removed: 1}}),
	} {
		f.Executions[0].Changes = &tool.Changes{Created: 1, Changed: 2, Deleted: 3, Added: 3, Removed: 1}
		s.Record(&records.AgentEvent{Event: agent.Nested{Event: f}})
	}
	counts := s.Snapshot()
	const want = `"files":{"totalLinesAdded":6,"totalLinesRemoved":2,"totalCreated":2,"totalChanged":4,"totalDeleted":6}}`
	if got := string(counts.AppendJSON(nil)); !strings.HasSuffix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestChangedFiles names each file once, with the sum of its changes.
func TestChangedFiles(t *testing.T) {
	t.Parallel()
	s := New()
	record := func(list ...tool.FileChange) {
		f := finished("run_shell_command", agent.Success, tool.ProceedOnce, &tool.Result{})
		f.Executions[0].Changes = &tool.Changes{Files: list}
		s.Record(&records.AgentEvent{Event: f})
	}
	const created, changed, deleted = tool.FileCreated, tool.FileChanged, tool.FileDeleted
	one := func(path string, c tool.Change) tool.FileChange {
		return tool.FileChange{Path: path, Change: c, Added: 1, Removed: 2}
	}
	record(one("new", created), one("gone", deleted), one("brief", created), one("again", deleted), one("edited", changed), one("lost", changed))
	record(one("new", changed), one("brief", deleted), one("again", created), one("edited", changed), one("lost", deleted), one("ü\xff", created))
	counts := s.Snapshot()
	counts.Paths, counts.MorePaths = s.ChangedFiles()
	const want = `,"paths":[{"path":"again","change":"changed","linesAdded":2,"linesRemoved":4},{"path":"edited","change":"changed","linesAdded":2,"linesRemoved":4},` +
		`{"path":"gone","change":"deleted","linesAdded":1,"linesRemoved":2},{"path":"lost","change":"deleted","linesAdded":2,"linesRemoved":4},` +
		`{"path":"new","change":"created","linesAdded":2,"linesRemoved":4},{"path":"ü�","change":"created","linesAdded":1,"linesRemoved":2}]}}`
	if got := string(counts.AppendJSON(nil)); !strings.HasSuffix(got, want) || !json.Valid([]byte(got)) {
		t.Errorf("%s\nwant %s", got, want)
	}
	for i := range 3 * maxFiles / 2 {
		record(one(fmt.Sprint(i), created))
	}
	if list, more := s.ChangedFiles(); len(list) != maxFiles-1 || more != maxFiles/2+7 { // one of the list is as before
		t.Errorf("%d files and %d more", len(list), more)
	}
}

func TestAppendStreamJSON(t *testing.T) {
	t.Parallel()
	const want = `{"total_tokens":147,"input_tokens":114,"output_tokens":26,"cached":60,"input":54,"duration_ms":1500,"tool_calls":6,` +
		`"models":{"gemini-2.5-flash":{"total_tokens":137,"input_tokens":107,"output_tokens":23,"cached":60,"input":47,"cost":0.000087},` +
		`"gemini-2.5-flash-lite":{"total_tokens":10,"input_tokens":7,"output_tokens":3,"cached":0,"input":7,"cost":null}},"cost":null}`
	synctest.Test(t, func(t *testing.T) {
		s := work().Snapshot()
		if diff := cmp.Diff(want, string(s.AppendStreamJSON(nil, 1500*time.Millisecond))); diff != "" {
			t.Errorf("stats (-want +got):\n%s", diff)
		}
	})
}

func TestNothingCounted(t *testing.T) {
	t.Parallel()
	s := New().Snapshot()
	const full = `{"models":{},"tools":{"totalCalls":0,"totalSuccess":0,"totalFail":0,"totalDurationMs":0,` +
		`"totalDecisions":{"accept":0,"reject":0,"modify":0,"auto_accept":0},"byName":{}},"files":{"totalLinesAdded":0,"totalLinesRemoved":0}}`
	if got := string(s.AppendJSON(nil)); got != full {
		t.Errorf("AppendJSON = %s", got)
	}
	const short = `{"total_tokens":0,"input_tokens":0,"output_tokens":0,"cached":0,"input":0,"duration_ms":0,"tool_calls":0,"models":{},"cost":0}`
	if got := string(s.AppendStreamJSON(nil, 0)); got != short {
		t.Errorf("AppendStreamJSON = %s", got)
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	usage := func(u llm.Usage) *answer { return &answer{chunks: []*llm.Response{{}, {Usage: &u}}} }
	refused := &answer{err: &llm.Error{Kind: llm.KindRateLimit}}
	mute := &answer{chunks: []*llm.Response{{}}}
	free := &catalog.Price{}
	plain := &catalog.Price{Input: 2, Output: 8}
	full := &catalog.Price{Input: 2, Output: 8, CacheRead: new(0.5), CacheWrite: new(2.5)}
	for _, c := range []struct {
		name    string
		price   *catalog.Price
		answers []*answer
		want    string
	}{
		{"per kind of token", full, []*answer{usage(llm.Usage{Prompt: 1000, CachedContent: 200, CacheWrite: 100, Candidates: 10, Thoughts: 5, ToolUsePrompt: 50})}, "0.00197"},
		{"over requests", plain, []*answer{usage(llm.Usage{Prompt: 1_000_000}), usage(llm.Usage{Candidates: 1_000_000})}, "10"},
		{"no noise", &catalog.Price{Input: 0.1, Output: 0.2}, []*answer{usage(llm.Usage{Prompt: 1_000_000, Candidates: 1_000_000})}, "0.3"},
		{"at most six decimals", plain, []*answer{usage(llm.Usage{Prompt: 1, Candidates: 1}), usage(llm.Usage{Prompt: 3})}, "0.000016"},
		{"much", plain, []*answer{usage(llm.Usage{Prompt: 1 << 50})}, "2251799813.685248"},
		{"free", free, []*answer{usage(llm.Usage{Prompt: 1000, Candidates: 10})}, "0"},
		{"nothing but refusals", plain, []*answer{refused, refused}, "0"},
		{"a refusal costs nothing", plain, []*answer{refused, usage(llm.Usage{Prompt: 1_000_000})}, "2"},
		{"an answer without counts", plain, []*answer{mute, usage(llm.Usage{Prompt: 1_000_000})}, "null"},
		{"half an answer", plain, []*answer{{chunks: mute.chunks, err: refused.err}}, "null"},
		{"no rate for the cache", plain, []*answer{usage(llm.Usage{Prompt: 1000, CachedContent: 1})}, "null"},
		{"no price", nil, []*answer{usage(llm.Usage{Prompt: 1000})}, "null"},
		{"a price that is none", &catalog.Price{Input: math.Inf(1), Output: math.NaN()}, []*answer{usage(llm.Usage{Prompt: 1})}, "null"},
	} {
		s := New()
		s.Price = func(string) *catalog.Price { return c.price }
		for _, a := range c.answers {
			drain(records.New(s).Observe(a), &llm.Request{Model: "m"})
		}
		snap := s.Snapshot()
		for _, b := range [][]byte{snap.AppendJSON(nil), snap.AppendStreamJSON(nil, 0)} {
			var v struct {
				Models map[string]struct{ Cost json.RawMessage }
				Cost   json.RawMessage
			}
			if err := json.Unmarshal(b, &v); err != nil {
				t.Fatalf("%s: %v in %s", c.name, err, b)
			}
			if got := string(v.Models["m"].Cost); got != c.want || v.Cost != nil && string(v.Cost) != c.want {
				t.Errorf("%s: %s, all %s; want %s", c.name, got, v.Cost, c.want)
			}
		}
	}
}

// A sum with something unknown in it is not known.
func TestCostOfAll(t *testing.T) {
	t.Parallel()
	s := New()
	prices := map[string]*catalog.Price{"a": {Input: 1}, "b": {Input: 2}}
	s.Price = func(model string) *catalog.Price { return prices[model] }
	g := records.New(s).Observe(&answer{chunks: []*llm.Response{{Usage: &llm.Usage{Prompt: 500_000}}}})
	for _, name := range []string{"a", "b"} {
		drain(g, &llm.Request{Model: name})
	}
	snap := s.Snapshot()
	if usd := snap.Cost(); usd == nil || *usd != 1.5 {
		t.Errorf("cost %v", usd)
	}
	drain(g, &llm.Request{Model: "c"})
	if snap = s.Snapshot(); snap.Cost() != nil {
		t.Errorf("cost %v", *snap.Cost())
	}
	// A price that arrives later applies to earlier requests.
	prices["c"] = &catalog.Price{Input: 3}
	if snap = s.Snapshot(); snap.Cost() == nil || *snap.Cost() != 3 {
		t.Errorf("cost %v", snap.Cost())
	}
}

// Names come from models and settings: whatever they hold, the JSON is valid.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	s := New()
	for _, name := range []string{"", "a\"b", "line\nbreak", "\x00\x1b", "bad\xff\xfeutf8", "\u2028"} {
		s.Record(&records.AgentEvent{Event: finished(name, agent.Success, tool.ProceedOnce, nil)})
		drain(records.New(s).Observe(&answer{}), &llm.Request{Model: name})
	}
	snap := s.Snapshot()
	for _, b := range [][]byte{snap.AppendJSON(nil), snap.AppendStreamJSON(nil, 0)} {
		var v map[string]any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatalf("%v in %s", err, b)
		}
		if got := len(v["models"].(map[string]any)); got != 6 {
			t.Errorf("%d models in %s", got, b)
		}
	}
}

func TestErrorTypes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&llm.Error{Kind: llm.KindQuota, Status: 429}, "QUOTA_EXCEEDED"},
		{&llm.Error{Kind: llm.KindServer, Status: 503}, "SERVER_ERROR"},
		{&llm.Error{Kind: llm.KindModelNotFound, Status: 404}, "HTTP_404"},
		{&llm.Error{Kind: llm.KindNetwork, Code: "ECONNRESET"}, "ECONNRESET"},
		{&llm.Error{Kind: llm.KindNetwork}, "FETCH_FAILED"},
		{&llm.Error{Kind: llm.KindIncomplete}, "INCOMPLETE_JSON"},
		{&llm.Error{}, "UNKNOWN"},
		{context.Canceled, "AbortError"},
		{errors.New("the signal's cause"), "AbortError"},
	} {
		if got := ErrorType(tt.err); got != tt.want {
			t.Errorf("ErrorType(%#v) = %s, want %s", tt.err, got, tt.want)
		}
	}
}

// A consumer that stops listening has still had an answer.
func TestStreamLeftEarly(t *testing.T) {
	t.Parallel()
	s := New()
	g := records.New(s).Observe(&answer{chunks: []*llm.Response{{Usage: &llm.Usage{Prompt: 5, Total: 5}}, {}, {}}})
	for range g.Stream(context.Background(), &llm.Request{Model: "m"}) {
		break
	}
	m := s.Snapshot().Models[0]
	if m.API.Requests != 1 || m.API.Errors != 0 || m.API.Tokens.Prompt != 5 {
		t.Errorf("counted %+v", m.API)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	s := New()
	g := records.New(s).Observe(&answer{chunks: []*llm.Response{{Usage: &llm.Usage{Total: 1}}}})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				drain(g, &llm.Request{Model: "m"})
				s.Record(&records.AgentEvent{Event: finished("t", agent.Success, tool.ProceedOnce, nil)})
				_ = s.Snapshot()
			}
		})
	}
	wg.Wait()
	got := s.Snapshot()
	if got.Models[0].API.Requests != 800 || got.Tools.Calls != 800 {
		t.Errorf("lost counts: %+v", got)
	}
}

// A snapshot does not change when the session goes on.
func TestSnapshotIsACopy(t *testing.T) {
	t.Parallel()
	s := New()
	fail := records.New(s).Observe(&answer{err: &llm.Error{Kind: llm.KindServer}})
	drain(fail, &llm.Request{Model: "m"})
	s.Record(&records.AgentEvent{Event: finished("t", agent.Success, "", nil)})
	before := s.Snapshot()
	text := string(before.AppendJSON(nil))
	drain(fail, &llm.Request{Model: "m"})
	s.Record(&records.AgentEvent{Event: finished("t", agent.Success, "", nil)})
	if after := string(before.AppendJSON(nil)); after != text {
		t.Errorf("snapshot changed:\n%s\n%s", text, after)
	}
}

// BenchmarkMeterChunk measures the cost of a metered stream per chunk, and checks that it does not
// allocate for it.
func BenchmarkMeterChunk(b *testing.B) {
	chunk := &llm.Response{Usage: &llm.Usage{Prompt: 1, Total: 2}}
	chunks := make([]*llm.Response, 1000)
	for i := range chunks {
		chunks[i] = chunk
	}
	g := records.New(New()).Observe(&answer{chunks: chunks})
	b.ReportAllocs()
	for n := 0; n < b.N; n += len(chunks) {
		drain(g, &llm.Request{Model: "m"})
	}
}

// TestInvalid checks that an unusable response is an error of the model that an agent asked
// last, whatever Pollux has asked another one meanwhile, and that one that is requested again
// is no error.
func TestInvalid(t *testing.T) {
	t.Parallel()
	s := New()
	ask := func(model string, use llm.Use) {
		g := records.New(s).Observe(&answer{chunks: []*llm.Response{{Usage: &llm.Usage{Prompt: 1, Total: 1}}}})
		drain(g, &llm.Request{Model: model, Use: use})
	}
	ask("large", llm.UseMain)
	s.Record(&records.AgentEvent{Event: agent.Retried{Cause: agent.InvalidStream{Type: "NO_RESPONSE_TEXT"}}})
	ask("large", llm.UseMain)
	ask("small", llm.UseRouter)
	s.Record(&records.AgentEvent{Event: agent.InvalidStream{Type: "SAFETY_BLOCKED"}})
	ask("other", llm.UseSubagent)
	s.Record(&records.AgentEvent{Event: agent.Nested{Event: agent.InvalidStream{Type: "NO_RESPONSE_TEXT"}}})
	got := map[string]API{}
	kinds := map[string][]ErrorCount{}
	c := s.Snapshot()
	for _, m := range c.Models {
		got[m.Name], kinds[m.Name] = API{Requests: m.API.Requests, Errors: m.API.Errors}, m.Errors
	}
	want := map[string]API{"large": {Requests: 2, Errors: 1}, "small": {Requests: 1}, "other": {Requests: 1, Errors: 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	wantKinds := map[string][]ErrorCount{"large": {{"SAFETY_BLOCKED", 1}}, "small": nil, "other": {{"NO_RESPONSE_TEXT", 1}}}
	if diff := cmp.Diff(wantKinds, kinds); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
}
