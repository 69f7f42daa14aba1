package pollux_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"pollux"
	"pollux/agent"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/llm"
)

// open returns an agent that is closed when the test ends.
func open(tb testing.TB, o pollux.Options) *pollux.Agent {
	tb.Helper()
	a, err := pollux.New(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(a.Close)
	return a
}

// say runs a prompt, and returns the text of the response.
func say(tb testing.TB, a *pollux.Agent, prompt string) (text string) {
	tb.Helper()
	for e, err := range a.Run(tb.Context(), pollux.Prompt{Text: prompt}) {
		if err != nil {
			tb.Error(err)
		}
		if e, ok := e.(agent.Text); ok {
			text += e.Text
		}
	}
	return text
}

// write writes a file, with the directories above it.
func write(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// TestSteer checks that a prompt joins a run in progress, with the files that it names.
func TestSteer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir+"/notes.txt", "The code word is heron.")
	a := open(t, pollux.Options{Dir: dir, Home: t.TempDir(), Model: "gemini-2.5-flash", Generator: scripttest.Gemini(t, `
turn
  expect not anywhere heron
  call list_directory {"dir_path": "."}
turn
  expect result list_directory_1 notes.txt
  expect prompt heron
  expect media image/png
  text Done.
`)})
	joined := 0
	for e, err := range a.Run(t.Context(), pollux.Prompt{Text: "List the files."}) {
		if err != nil {
			t.Error(err)
		}
		switch e.(type) {
		case agent.ToolRequested:
			p := pollux.Prompt{Text: "Look at @notes.txt", Attachments: []pollux.Attachment{{MIMEType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}}}
			if err := a.Steer(t.Context(), p); err != nil {
				t.Error(err)
			}
		case agent.Joined:
			joined++
		}
	}
	if joined != 1 {
		t.Errorf("%d prompts joined", joined)
	}
}

// TestSetModel checks that another model answers the next prompt, and that an error keeps the model.
func TestSetModel(t *testing.T) {
	t.Parallel()
	a := open(t, pollux.Options{Dir: t.TempDir(), Home: t.TempDir(), Model: "gemini-2.5-flash", Generator: scripttest.Gemini(t, `
turn
  expect model gemini-2.5-flash
  text One.
turn
  expect model gemini-2.5-pro
  text Two.
`)})
	say(t, a, "Hi.")
	if err := a.SetModel(t.Context(), "gemini-2.5-pro"); err != nil || a.Model() != "gemini-2.5-pro" {
		t.Error(a.Model(), err)
	}
	if err := a.SetModel(t.Context(), ""); err == nil || a.Model() != "gemini-2.5-pro" {
		t.Error(a.Model(), err)
	}
	say(t, a, "Hi.")
}

// mute is a model that does not answer. It reports each request.
type mute struct {
	llm.Generator
	asked chan struct{}
}

func (m mute) Stream(ctx context.Context, _ *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		m.asked <- struct{}{}
		<-ctx.Done()
		yield(nil, context.Cause(ctx))
	}
}

// TestClose checks that Close ends the run in progress and those that wait, and that no method works after it.
func TestClose(t *testing.T) {
	t.Parallel()
	model := mute{asked: make(chan struct{})}
	a := open(t, pollux.Options{Dir: t.TempDir(), Home: t.TempDir(), Model: "mute-1", Generator: model})
	var all sync.WaitGroup
	var mu sync.Mutex
	var ends []string
	for range 2 {
		all.Go(func() {
			for e, err := range a.Run(context.Background(), pollux.Prompt{Text: "Hi."}) {
				mu.Lock()
				if _, cancelled := e.(agent.Cancelled); cancelled {
					ends = append(ends, "cancelled")
				}
				if errors.Is(err, pollux.ErrClosed) {
					ends = append(ends, "closed")
				}
				mu.Unlock()
			}
		})
	}
	<-model.asked
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for e := range a.Run(ctx, pollux.Prompt{Text: "Hi."}) {
		if _, cancelled := e.(agent.Cancelled); !cancelled {
			t.Errorf("a run that waits ends with %T", e)
		}
	}
	if err := a.SetModel(ctx, "mute-2"); !errors.Is(err, context.Canceled) {
		t.Errorf("SetModel during a run: %v", err)
	}
	a.Close()
	a.Close()
	all.Wait()
	if len(ends) != 2 || ends[0] == ends[1] {
		t.Errorf("the runs end with %q", ends)
	}
	for _, err := range a.Run(t.Context(), pollux.Prompt{Text: "Hi."}) {
		if !errors.Is(err, pollux.ErrClosed) {
			t.Errorf("Run: %v", err)
		}
	}
	if err := a.SetModel(t.Context(), "mute-2"); !errors.Is(err, pollux.ErrClosed) {
		t.Errorf("SetModel: %v", err)
	}
	if err := a.Steer(t.Context(), pollux.Prompt{Text: "Hi."}); !errors.Is(err, pollux.ErrClosed) {
		t.Errorf("Steer: %v", err)
	}
}

// TestNewContext checks that the context of New ends a start, and that an agent outlives it.
func TestNewContext(t *testing.T) {
	t.Parallel()
	o := pollux.Options{Dir: t.TempDir(), Home: t.TempDir(), Model: "gemini-2.5-flash", Generator: scripttest.Gemini(t, "turn\n  text Hello.\n")}
	ctx, cancel := context.WithCancel(t.Context())
	a, err := pollux.New(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	cancel()
	if got := say(t, a, "Hi."); got != "Hello." {
		t.Errorf("got %q", got)
	}
	if _, err := pollux.New(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("New with a context that has ended: %v", err)
	}
}

// TestManyAgents checks that 100 agents that have worked and are closed leave nothing running. It is not parallel, so
// that no other test of the package runs.
func TestManyAgents(t *testing.T) {
	before := goleak.IgnoreCurrent()
	for _, a := range idle(t, 100) {
		a.Close()
	}
	goleak.VerifyNone(t, before)
}

// idle returns n agents that have answered one prompt, each in a directory of its own, with a recorded conversation.
func idle(tb testing.TB, n int) []*pollux.Agent {
	tb.Helper()
	home := tb.TempDir()
	agents := make([]*pollux.Agent, n)
	var all sync.WaitGroup
	for i := range agents {
		dir := tb.TempDir()
		write(tb, dir+"/note.txt", "buy milk")
		all.Go(func() {
			a, err := pollux.New(tb.Context(), pollux.Options{Dir: dir, Home: home, Model: "clerk-1", Generator: clerk{}, Recorded: true})
			if err != nil {
				tb.Error(err)
				return
			}
			agents[i] = a
			say(tb, a, "What does my note say?")
		})
	}
	all.Wait()
	if tb.Failed() {
		tb.FailNow()
	}
	return agents
}

// BenchmarkIdle measures the costs of an agent that has answered one prompt, with a tool call, and waits: goroutines,
// memory that is in use after a collection of garbage, and the time to open it and to answer.
func BenchmarkIdle(b *testing.B) {
	const agents = 100
	measure := func() (heap, stacks uint64, goroutines int) {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc, m.StackInuse, runtime.NumGoroutine()
	}
	for b.Loop() {
		heap, stacks, goroutines := measure()
		list := idle(b, agents)
		heapNow, stacksNow, goroutinesNow := measure()
		b.ReportMetric(float64(int64(heapNow-heap))/agents/1024, "heap-KB/agent")
		b.ReportMetric(float64(int64(stacksNow-stacks))/agents/1024, "stack-KB/agent")
		b.ReportMetric(float64(goroutinesNow-goroutines)/agents, "goroutines/agent")
		for _, a := range list {
			a.Close()
		}
	}
}
