package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"

	"github.com/google/go-cmp/cmp"
)

// editAndCommand returns a tool whose calls fail if a path has "bad" in it, and a tool for commands.
func editAndCommand() []tool.Tool {
	edit := pathToy{newToy("edit", func(_ context.Context, _ tool.Host, args json.RawMessage) *tool.Result {
		if strings.Contains(string(args), "bad") {
			return tool.Fail(tool.ErrExecutionFailed, "no such text")
		}
		return tool.Text("done")
	})}
	edit.spec.Kind = tool.KindEdit
	command := echo("command")
	command.spec.Kind = tool.KindExecute
	return []tool.Tool{edit, command}
}

// TestGroupEvents checks that calls that run side by side start in their order, and that each ends as soon as it has
// ended, those that may not run first. The model gets the results in the order of the calls.
func TestGroupEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		look := newToy("look", func(_ context.Context, _ tool.Host, args json.RawMessage) *tool.Result {
			var a struct{ Takes int }
			_ = json.Unmarshal(args, &a)
			time.Sleep(time.Duration(a.Takes) * time.Second) // in the time of the bubble
			return tool.Text("done")
		})
		var parts []llm.Part
		for i, seconds := range []int{40, 2, 3, 1} {
			parts = append(parts, call(fmt.Sprint(i+1), "look", fmt.Sprintf(`{"Takes":%d}`, seconds)))
		}
		for i := range 40 { // more than may run at the same time
			parts = append(parts, call(fmt.Sprintf("more%02d", i), "look", `{"Takes":20}`))
		}
		parts = append(parts, call("missing", "gone", `{}`))
		s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(chunk(llm.FinishStop, parts...)), says(text("ok"))}}
		var started, ended []string
		began := time.Now()
		for e, err := range newAgent(t, s, nil, look).Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("go")}}) {
			if err != nil {
				t.Fatal(err)
			}
			switch e := e.(type) {
			case agent.ToolUpdated:
				if e.Status == agent.Executing {
					started = append(started, e.Call.ID)
				}
			case agent.ToolFinished:
				if !strings.Contains(e.Call.ID, "more") {
					ended = append(ended, fmt.Sprintf("%s %s after %s", e.Call.ID, e.Status, time.Since(began)))
				}
			}
		}
		want := []string{"gone__missing error after 0s", "look__4 success after 1s", "look__2 success after 2s", "look__3 success after 3s", "look__1 success after 40s"}
		if diff := cmp.Diff(want, ended); diff != "" {
			t.Error(diff)
		}
		var all, sent []string
		for _, p := range parts {
			all = append(all, p.FunctionCall.Name+"__"+p.FunctionCall.ID)
		}
		if diff := cmp.Diff(all[:len(all)-1], started); diff != "" {
			t.Error(diff)
		}
		results := s.requests[1].Contents
		for _, p := range results[len(results)-1].Parts {
			sent = append(sent, p.FunctionResponse.ID)
		}
		if diff := cmp.Diff(all, sent); diff != "" {
			t.Error(diff)
		}
	})
}

// TestReasons checks what people and the model learn about calls that did not complete.
func TestReasons(t *testing.T) {
	t.Parallel()
	path := func(p string) string { return fmt.Sprintf(`{"Paths":[%q],"file_path":%[1]q}`, p) }
	for name, tt := range map[string]struct {
		calls  []llm.Part
		change func(*agent.Config)
		refuse bool
		want   map[string]string // by the id of the call: its reason, "" for none
		model  map[string]string // the beginning of the result
	}{
		"an edit fails": {
			calls: []llm.Part{call("1", "edit", path("/bad")), call("2", "command", `{}`), call("3", "edit", path("/good"))},
			want:  map[string]string{"edit__1": "", "command__2": "Not run, because the edit of /bad before it failed.", "edit__3": ""},
			model: map[string]string{"command__2": "Not run, because the edit of /bad before it failed. Call it again if it does not need that change, or once the change is made."},
		},
		"a person refuses": {
			calls:  []llm.Part{call("1", "edit", path("/a")), call("2", "command", `{}`)},
			refuse: true,
			want:   map[string]string{"edit__1": "", "command__2": "Not run, because a call before it was refused."},
		},
		"the request is cancelled": {
			calls: []llm.Part{call("1", "stop", `{}`), call("2", "command", `{}`)},
			want:  map[string]string{"stop__1": "", "command__2": "Not run, because the request was cancelled before."},
			model: map[string]string{
				"stop__1":    "[Operation Cancelled] Reason: User cancelled tool execution. This call had begun: ",
				"command__2": "[Operation Cancelled] Reason: Operation cancelled. This call had not begun: it was not run.",
			},
		},
		"the process ends": {
			calls:  []llm.Part{call("1", "stop", `{}`), call("2", "command", `{}`)},
			change: func(c *agent.Config) { c.KeepUnanswered = func(error) bool { return true } },
			want:   map[string]string{"stop__1": "", "command__2": "Not run, because Pollux ended before."},
			model:  map[string]string{"stop__1": "Interrupted: Pollux ended before this call did.", "command__2": "Interrupted: Pollux ended before this call began. It was not run."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			stop := newToy("stop", func(context.Context, tool.Host, json.RawMessage) *tool.Result {
				cancel(errors.New("enough"))
				return tool.Text("half")
			})
			stop.spec.Serial = true
			s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(chunk(llm.FinishStop, tt.calls...)), says(text("ok"))}}
			a := newAgent(t, s, func(c *agent.Config) {
				c.Gate = openGate{asks: tt.refuse}
				if tt.change != nil {
					tt.change(c)
				}
			}, append(editAndCommand(), stop)...)
			got := map[string]string{}
			for e := range a.Run(ctx, agent.Prompt{Parts: []llm.Part{llm.Text("go")}}) {
				switch e := e.(type) {
				case agent.ToolAsked:
					e.Answer(tool.Answer{Outcome: tool.Cancel})
				case agent.ToolFinished:
					got[e.Call.ID] = e.Reason
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			results := map[string]string{}
			for _, m := range a.History() {
				for _, p := range m.Content.Parts {
					if r := p.FunctionResponse; r != nil {
						var answer struct{ Error string }
						_ = json.Unmarshal(r.Response, &answer)
						results[r.ID] = answer.Error
					}
				}
			}
			for id, want := range tt.model {
				if !strings.HasPrefix(results[id], want) {
					t.Errorf("the model reads about %s: %q, want %q", id, results[id], want)
				}
			}
		})
	}
}
