package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// recorder is a journal that lists calls, and messages with results. The events of a run join the list.
type recorder struct {
	book
	mu    sync.Mutex
	lines []string
	ids   map[string]int // of messages with results, in order of their first occurrence
}

func (r *recorder) note(format string, args ...any) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
	return errors.New("the disk is full") // which must not stop a run
}

func (r *recorder) name(e agent.Entry) string {
	if r.ids == nil {
		r.ids = map[string]int{}
	}
	if r.ids[e.ID] == 0 {
		r.ids[e.ID] = len(r.ids) + 1
	}
	var calls []string
	for i, c := range e.Calls {
		calls = append(calls, fmt.Sprint(c.ID, " ", c.Status))
		if id := e.Content.Parts[i].FunctionResponse.ID; id != c.ID {
			calls = append(calls, "with the result of "+id)
		}
	}
	return fmt.Sprintf("%d: %s", r.ids[e.ID], strings.Join(calls, ", "))
}

func (r *recorder) BeginCall(id string) error { return r.note("begin %s", id) }

func (r *recorder) EndCall(e agent.Entry) error {
	if e.ID != "" || e.Time.IsZero() || len(e.Calls) != 1 {
		_ = r.fail("a finished call with an id, without a time, or with others")
	}
	return r.note("end %s %s", e.Calls[0].ID, e.Calls[0].Status)
}

func (r *recorder) EndCalls(e agent.Entry) error {
	if e.Time.IsZero() {
		_ = r.fail("results without a time")
	}
	return r.note("all %s", r.name(e))
}

func (r *recorder) Append(ctx context.Context, e agent.Entry) error {
	if e.Content.HasFunctionResponse() {
		_ = r.note("append %s", r.name(e))
	}
	return r.book.Append(ctx, e)
}

// Each call is recorded before it begins, unless it only reads, and its result before anything else learns of it: with
// all results of the response if it is the last.
func TestCallRecorder(t *testing.T) {
	t.Parallel()
	command := func(r *recorder) tool.Tool {
		c := newToy("command", func(_ context.Context, _ tool.Host, args json.RawMessage) *tool.Result {
			_ = r.note("run %s", args)
			return tool.Text("done")
		})
		c.spec.Kind = tool.KindExecute
		return c
	}
	look := echo("look")
	look.spec.Kind = tool.KindRead
	for name, tt := range map[string]struct {
		calls  []llm.Part
		change func(*agent.Config)
		want   string
	}{
		"one": {
			calls: []llm.Part{call("1", "command", `{"a":1}`)},
			want:  `begin command__1; run {"a":1}; all 1: command__1 success; finished command__1; append 1: command__1 success`,
		},
		"one that reads": {
			calls: []llm.Part{call("1", "look", `{}`)},
			want:  "all 1: look__1 success; finished look__1; append 1: look__1 success",
		},
		"one after the other": {
			calls: []llm.Part{call("1", "command", `{"a":1}`), call("2", "command", `{"a":2}`), call("3", "gone", `{}`)},
			want: `begin command__1; run {"a":1}; end command__1 success; finished command__1; ` +
				`begin command__2; run {"a":2}; end command__2 success; finished command__2; ` +
				`all 1: command__1 success, command__2 success, gone__3 error; finished gone__3; ` +
				`append 1: command__1 success, command__2 success, gone__3 error`,
		},
		"shortened before they are sent": {
			calls:  []llm.Part{call("1", "look", `{}`)},
			change: func(c *agent.Config) { c.Limit = func(string) int { return 1000 }; c.Shortener = always{} },
			want:   "all 1: look__1 success; finished look__1; append 1: look__1 success",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &recorder{}
			s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(chunk(llm.FinishStop, tt.calls...)), says(text("ok"))}}
			a := newAgent(t, s, func(c *agent.Config) {
				c.Journal = r
				if tt.change != nil {
					tt.change(c)
				}
			}, command(r), look)
			for e, err := range a.Run(t.Context(), agent.TextPrompt("go")) {
				if err != nil {
					t.Fatal(err)
				}
				if f, ok := e.(agent.ToolFinished); ok {
					_ = r.note("finished %s", f.Call.ID)
				}
			}
			if diff := cmp.Diff(strings.Split(tt.want, "; "), r.lines); diff != "" || len(r.failures) > 0 {
				t.Errorf("%v %s", r.failures, diff)
			}
		})
	}
}

// Calls that are proposed again are recorded one by one, and then with the results before them. A call of a person's is
// not recorded.
func TestCallRecorderOfOthers(t *testing.T) {
	t.Parallel()
	r := &recorder{}
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
		says(chunk(llm.FinishStop, call("1", "look", `{}`), call("2", "look", `{}`))), says(text("ok")), says(text("again")),
	}}
	look := echo("look")
	look.spec.Kind = tool.KindFetch
	a := newAgent(t, s, func(c *agent.Config) { c.Journal = r }, look)
	play(t.Context(), a, "go")
	r.lines = nil
	results := a.History()[2]
	for range a.Redo(t.Context(), agent.Proposal{Results: results.ID, CallID: "look__2", Records: r.entries[2].Calls}) {
	}
	for range a.RunTool(t.Context(), agent.ToolCall{Name: "look", Args: json.RawMessage(`{}`)}, nil) {
	}
	want := []string{
		"append 2: look__1 success", "begin look__2", "end look__2 success",
		"all 3: look__1 success, look__2 success", "append 3: look__1 success, look__2 success",
	}
	if diff := cmp.Diff(want, r.lines); diff != "" || len(r.failures) > 0 {
		t.Errorf("%v %s", r.failures, diff)
	}
}

// A person who cancels the second of three calls leaves one message with all results.
func TestCallRecorderCancelled(t *testing.T) {
	t.Parallel()
	for _, forgets := range []bool{false, true} {
		r := &recorder{}
		ctx, cancel := context.WithCancel(t.Context())
		stop := newToy("stop", func(ctx context.Context, _ tool.Host, _ json.RawMessage) *tool.Result {
			cancel()
			<-ctx.Done()
			return tool.Text("half")
		})
		stop.spec.Kind = tool.KindExecute
		s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
			says(chunk(llm.FinishStop, call("1", "command", `{}`), call("2", "stop", `{}`), call("3", "command", `{}`))),
		}}
		command := editAndCommand()[1]
		a := newAgent(t, s, func(c *agent.Config) { c.Journal, c.ForgetCancelled = r, forgets }, command, stop)
		play(ctx, a, "go")
		all := "1: command__1 success, stop__2 cancelled, command__3 cancelled"
		want := []string{"begin command__1", "end command__1 success", "begin stop__2", "end stop__2 cancelled", "all " + all, "append " + all}
		if forgets {
			want = want[:len(want)-1]
		}
		if diff := cmp.Diff(want, r.lines); diff != "" || len(r.failures) > 0 || forgets != (len(a.History()) == 0) {
			t.Errorf("%v %v %s", r.failures, a.History(), diff)
		}
	}
}

// always is a Shortener that replaces each message by another one with the same results.
type always struct{}

func (always) Shorten(_ context.Context, m *llm.Content, _ int) *llm.Content {
	return llm.User(m.Parts...)
}
