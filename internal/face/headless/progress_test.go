package headless

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/terminal"
	"pollux/tool"
)

// TestProgress checks the line about a running call: from one second on, for a person at a terminal only.
func TestProgress(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		format    Format
		isWatched bool
		wait      time.Duration
		want      string
	}{
		"long":       {Text, true, 2500 * time.Millisecond, "make: all (1s): one\r" + strings.Repeat(" ", 19) + "\rmake: all (2s): one\r" + strings.Repeat(" ", 19) + "\r"},
		"short":      {Text, true, 900 * time.Millisecond, ""},
		"not shown":  {Text, false, 2500 * time.Millisecond, ""},
		"JSON":       {JSON, true, 2500 * time.Millisecond, ""},
		"JSON lines": {StreamJSON, true, 2500 * time.Millisecond, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var out, err bytes.Buffer
				o := Options{Format: tt.format, Out: terminal.NewWriter(&out), Err: terminal.NewWriter(&err), ErrWidth: func() int { return 60 }, IsWatched: tt.isWatched}
				if failed := Run(t.Context(), o, waiting(tt.wait, agent.Success, "one")); failed != nil {
					t.Fatal(failed)
				}
				if got := err.String(); got != tt.want {
					t.Errorf("got %q, want %q", got, tt.want)
				}
				if tt.format == Text && out.String() != "Done.\n" {
					t.Errorf("the answer is %q", out.String())
				}
			})
		})
	}
}

// TestProgressCancelled checks that a person sees the output of a call that they have cancelled.
func TestProgressCancelled(t *testing.T) {
	t.Parallel()
	for isWatched, want := range map[bool]string{true: "The output:\none\n", false: ""} {
		var err bytes.Buffer
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("enough"))
		o := Options{Out: terminal.NewWriter(&bytes.Buffer{}), Err: terminal.NewWriter(&err), ErrWidth: func() int { return 60 }, IsWatched: isWatched}
		_ = Run(ctx, o, waiting(0, agent.CallCancelled, "The output:\none"))
		if got, _, _ := strings.Cut(err.String(), "Operation cancelled"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestProgressFailed checks that an error follows in a line of its own.
func TestProgressFailed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var err bytes.Buffer
		o := Options{Out: terminal.NewWriter(&bytes.Buffer{}), Err: terminal.NewWriter(&err), ErrWidth: func() int { return 60 }, IsWatched: true}
		_ = Run(t.Context(), o, func(yield func(agent.Event, error) bool) {
			for e, failure := range waiting(1500*time.Millisecond, agent.Failed, "one") {
				if f, ok := e.(agent.ToolFinished); ok {
					f.Result = tool.Fail(tool.ErrExecutionFailed, "broken")
					e = f
				}
				if !yield(e, failure) {
					return
				}
			}
		})
		if got, want := err.String(), strings.Repeat(" ", 19)+"\rError executing tool make: broken\n"; !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// waiting returns the events of a run with one call, which takes some time and ends with this status.
func waiting(d time.Duration, status agent.Status, output string) iter.Seq2[agent.Event, error] {
	make := call("make", "1", "{}")
	return func(yield func(agent.Event, error) bool) {
		yield(agent.ToolRequested{Call: make}, nil)
		yield(agent.ToolUpdated{Call: make, Status: agent.Executing, Summary: "all"}, nil)
		yield(agent.ToolUpdated{Call: make, Status: agent.Executing, Output: tool.TerminalDisplay("none\n" + output)}, nil)
		time.Sleep(d)
		f := agenttest.Finished(make, status, &tool.Result{Display: tool.TerminalDisplay(output)})
		f.Executions[0].HasRun = true
		if yield(f, nil) && status == agent.Success {
			yield(agent.Text{Text: "Done."}, nil)
		} else {
			yield(agent.Cancelled{}, nil)
		}
	}
}
