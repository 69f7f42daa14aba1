package retry_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"testing"
	"time"

	"pollux/llm"
	"pollux/llm/retry"
)

// flaky fails with each of its errors in turn, then answers "ok".
// A stream fails after begun chunks.
type flaky struct {
	llm.Generator
	errs  []error
	begun int
	calls int
}

func (f *flaky) Stream(context.Context, *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		f.calls++
		for range f.begun {
			if !yield(answer(), nil) {
				return
			}
		}
		if f.calls <= len(f.errs) {
			yield(nil, f.errs[f.calls-1])
			return
		}
		yield(answer(), nil)
	}
}

func (f *flaky) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	f.calls++
	if f.calls <= len(f.errs) {
		return nil, f.errs[f.calls-1]
	}
	return answer(), nil
}

func answer() *llm.Response {
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text("ok"))}}}
}

func failing(kind llm.ErrorKind, n int) []error {
	errs := make([]error, n)
	for i := range errs {
		errs[i] = &llm.Error{Kind: kind, Message: "no"}
	}
	return errs
}

// slept keeps the delays instead of waiting.
type slept []time.Duration

func (s *slept) sleep(ctx context.Context, d time.Duration) error {
	*s = append(*s, d)
	return ctx.Err()
}

func TestWhatIsRetried(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		err   error
		fetch bool
		want  int // attempts
	}{
		{"rate limit", &llm.Error{Kind: llm.KindRateLimit}, false, 3},
		{"server", &llm.Error{Kind: llm.KindServer}, false, 3},
		{"capacity", &llm.Error{Kind: llm.KindCapacity}, false, 3},
		{"network with a code", &llm.Error{Kind: llm.KindNetwork, Code: "ECONNRESET"}, false, 3},
		{"network without", &llm.Error{Kind: llm.KindNetwork}, false, 1},
		{"network without, asked for", &llm.Error{Kind: llm.KindNetwork}, true, 3},
		{"incomplete", &llm.Error{Kind: llm.KindIncomplete}, false, 1},
		{"incomplete, asked for", &llm.Error{Kind: llm.KindIncomplete}, true, 3},
		{"bad request", &llm.Error{Kind: llm.KindBadRequest}, true, 1},
		{"unauthorized", &llm.Error{Kind: llm.KindUnauthorized}, true, 1},
		{"quota", &llm.Error{Kind: llm.KindQuota}, true, 1},
		{"no such model", &llm.Error{Kind: llm.KindModelNotFound}, true, 1},
		{"context window", &llm.Error{Kind: llm.KindContextWindow}, true, 1},
		{"something else", io.ErrUnexpectedEOF, true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, how := range []string{"stream", "generate"} {
				f := &flaky{errs: []error{c.err, c.err}}
				var s slept
				g := retry.Wrap(f, retry.Options{FetchErrors: c.fetch, Sleep: s.sleep})
				err := ask(g, how, &llm.Request{})
				if f.calls != c.want || (c.want == 3) != (err == nil) {
					t.Errorf("%s: %d attempts, want %d; error %v", how, f.calls, c.want, err)
				}
				if err != nil && !errors.Is(err, c.err) {
					t.Errorf("%s: error %v, want the last one", how, err)
				}
			}
		})
	}
}

func ask(g llm.Generator, how string, req *llm.Request) error {
	if how == "generate" {
		_, err := g.Generate(context.Background(), req)
		return err
	}
	var last error
	for _, err := range g.Stream(context.Background(), req) {
		last = err
	}
	return last
}

func TestAttemptsAndDelays(t *testing.T) {
	t.Parallel()
	f := &flaky{errs: failing(llm.KindServer, 99)}
	var s slept
	var told []llm.Retry
	req := &llm.Request{Model: "m", OnRetry: func(r llm.Retry) {
		if len(told) != len(s) {
			t.Errorf("told of retry %d after its wait", r.Attempt)
		}
		told = append(told, r)
	}}
	err := ask(retry.Wrap(f, retry.Options{MaxAttempts: 50, Sleep: s.sleep}), "stream", req)
	if err == nil || f.calls != 10 || len(s) != 9 || len(told) != 9 {
		t.Fatalf("%d attempts, %d waits, %d told; error %v", f.calls, len(s), len(told), err)
	}
	base := 5 * time.Second
	for i, d := range s {
		if d < base*7/10 || d > base*13/10 {
			t.Errorf("delay %d is %v, want %v ± 30 %%", i, d, base)
		}
		if r := told[i]; r.Attempt != i+1 || r.MaxAttempts != 10 || r.Delay != d || r.Model != "m" || r.Err == nil {
			t.Errorf("told %+v", r)
		}
		base = min(2*base, 30*time.Second)
	}
}

// A request may be tried less often than others, never more often.
func TestAttemptsOfARequest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ asked, want int }{{0, 4}, {-1, 4}, {1, 1}, {3, 3}, {4, 4}, {10, 4}} {
		for _, how := range []string{"stream", "generate"} {
			f := &flaky{errs: failing(llm.KindServer, 99)}
			var s slept
			told := 0
			err := ask(retry.Wrap(f, retry.Options{MaxAttempts: 4, Sleep: s.sleep}), how, &llm.Request{
				MaxAttempts: c.asked, OnRetry: func(r llm.Retry) { told = r.MaxAttempts },
			})
			if err == nil || f.calls != c.want || c.want > 1 && told != c.want {
				t.Errorf("%s: asked for %d, tried %d times, told %d; error %v", how, c.asked, f.calls, told, err)
			}
		}
	}
}

func TestServerDelay(t *testing.T) {
	t.Parallel()
	for _, asked := range []time.Duration{time.Second, 20 * time.Second, 2 * time.Minute} {
		for range 50 {
			f := &flaky{errs: []error{&llm.Error{Kind: llm.KindRateLimit, RetryAfter: asked}}}
			var s slept
			if err := ask(retry.Wrap(f, retry.Options{Sleep: s.sleep}), "generate", &llm.Request{}); err != nil {
				t.Fatal(err)
			}
			want := max(asked, 5*time.Second)
			if s[0] < want || s[0] > want*12/10 {
				t.Fatalf("delay %v, want %v to 20 %% more", s[0], want)
			}
		}
	}
}

func TestNothingAfterTheFirstChunk(t *testing.T) {
	t.Parallel()
	f := &flaky{errs: failing(llm.KindNetwork, 1), begun: 2}
	var s slept
	chunks := 0
	var last error
	for _, err := range retry.Wrap(f, retry.Options{FetchErrors: true, Sleep: s.sleep}).Stream(t.Context(), &llm.Request{}) {
		if last = err; err == nil {
			chunks++
		}
	}
	if f.calls != 1 || chunks != 2 || last == nil {
		t.Errorf("%d calls, %d chunks, error %v", f.calls, chunks, last)
	}
}

func TestBreak(t *testing.T) {
	t.Parallel()
	f := &flaky{begun: 2}
	for range retry.Wrap(f, retry.Options{}).Stream(t.Context(), &llm.Request{}) {
		break
	}
	if f.calls != 1 {
		t.Errorf("%d calls", f.calls)
	}
}

// TestAbort cancels in the middle of a real wait of hours.
func TestAbort(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	for _, how := range []string{"stream", "generate"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		f := &flaky{errs: failing(llm.KindServer, 5)}
		g := retry.Wrap(f, retry.Options{InitialDelay: 5 * time.Hour, MaxDelay: 5 * time.Hour})
		req := &llm.Request{OnRetry: func(llm.Retry) { cancel(gone) }}
		var err error
		if how == "generate" {
			_, err = g.Generate(ctx, req)
		} else {
			for _, e := range g.Stream(ctx, req) {
				err = e
			}
		}
		if !errors.Is(err, gone) || f.calls != 1 {
			t.Errorf("%s: %d calls, error %v", how, f.calls, err)
		}
	}
}

// A longer wait than the limit is not waited for: the failure is returned at once.
func TestLongestWait(t *testing.T) {
	t.Parallel()
	for _, kind := range []llm.ErrorKind{llm.KindRateLimit, llm.KindServer, llm.KindCapacity} {
		f := &flaky{errs: []error{&llm.Error{Kind: kind, RetryAfter: 365 * 24 * time.Hour}}}
		var s slept
		if err := ask(retry.Wrap(f, retry.Options{Sleep: s.sleep}), "stream", &llm.Request{}); err == nil || f.calls != 1 || len(s) != 0 {
			t.Errorf("%v: %d attempts, waits %v, error %v", kind, f.calls, s, err)
		}
	}
}

// A model without room is not waited for where another one stands by.
func TestStandby(t *testing.T) {
	t.Parallel()
	full, longer := &llm.Error{Kind: llm.KindCapacity}, &llm.Error{Kind: llm.KindCapacity, RetryAfter: 2 * time.Second}
	busy := &llm.Error{Kind: llm.KindServer}
	for _, c := range []struct {
		name    string
		standby bool
		errs    []error
		want    []time.Duration // nil: as usual
		told    int
		fails   bool
	}{
		{"full", true, []error{full, full, full}, []time.Duration{time.Second, 3 * time.Second}, 0, true},
		{"a moment", true, []error{full, full}, []time.Duration{time.Second, 3 * time.Second}, 0, false},
		{"asks for longer at once", true, []error{longer}, []time.Duration{}, 0, true},
		{"asks for longer then", true, []error{full, longer, longer}, []time.Duration{time.Second, 3 * time.Second}, 0, true},
		{"no stand-in", false, []error{full, full, full, full}, nil, 4, false},
		{"another failure", true, []error{busy, busy, busy, busy}, nil, 4, false},
	} {
		for _, how := range []string{"stream", "generate"} {
			f := &flaky{errs: c.errs}
			var s slept
			told := 0
			g := retry.Wrap(f, retry.Options{Sleep: s.sleep})
			err := ask(g, how, &llm.Request{Standby: c.standby, OnRetry: func(llm.Retry) { told++ }})
			if (err != nil) != c.fails || told != c.told || c.want != nil && !slices.Equal(s, c.want) || c.want == nil && (len(s) != 4 || s[0] < 3*time.Second) {
				t.Errorf("%s, %s: waits %v, told %d times, error %v", c.name, how, s, told, err)
			}
		}
	}
}

// Auxiliary requests do not wait long: one is sent once
// more, soon or not at all.
func TestQuestionsOnTheSide(t *testing.T) {
	t.Parallel()
	limited := func(after time.Duration) error { return &llm.Error{Kind: llm.KindRateLimit, RetryAfter: after} }
	for _, c := range []struct {
		use  llm.Use
		errs []error
		want int // attempts
	}{
		{llm.UseCompressor, failing(llm.KindServer, 9), 2},
		{llm.UseLoopDetector, failing(llm.KindServer, 1), 2},
		{llm.UseNextSpeaker, []error{limited(5 * time.Second), limited(0), limited(0)}, 2},
		{llm.UseEditCorrector, []error{limited(30 * time.Second)}, 1},
		{llm.UseRouter, []error{limited(11 * time.Second)}, 1},
		{llm.UseMain, []error{limited(30 * time.Second)}, 2},
		{llm.UseTool, failing(llm.KindServer, 3), 4},
		{"", failing(llm.KindServer, 3), 4},
	} {
		for _, how := range []string{"stream", "generate"} {
			f := &flaky{errs: c.errs}
			var s slept
			err := ask(retry.Wrap(f, retry.Options{Sleep: s.sleep}), how, &llm.Request{Use: c.use})
			if f.calls != c.want || (err == nil) != (c.want > len(c.errs)) {
				t.Errorf("%s, %s: %d attempts, want %d; error %v", c.use, how, f.calls, c.want, err)
			}
		}
	}
}

// A wait that the caller will not see the end of is not begun.
func TestNoWaitBeyondTheDeadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	f := &flaky{errs: []error{&llm.Error{Kind: llm.KindRateLimit, RetryAfter: 2 * time.Minute}}}
	var s slept
	_, err := retry.Wrap(f, retry.Options{Sleep: s.sleep}).Generate(ctx, &llm.Request{})
	var e *llm.Error
	if !errors.As(err, &e) || f.calls != 1 || len(s) != 0 {
		t.Errorf("%d attempts, %d waits; error %v", f.calls, len(s), err)
	}
}

// After more than 5 minutes without a byte, a request is repeated once.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	for waited, want := range map[time.Duration]int{2 * time.Minute: 4, 5 * time.Minute: 4, 30 * time.Minute: 2} {
		silent := &llm.Error{Kind: llm.KindNetwork, Code: "ETIMEDOUT", Waited: waited}
		f := &flaky{errs: []error{silent, silent, silent, silent}}
		var naps slept
		g := retry.Wrap(f, retry.Options{MaxAttempts: 4, Sleep: naps.sleep})
		var told []int
		req := &llm.Request{Use: llm.UseMain, OnRetry: func(r llm.Retry) { told = append(told, r.MaxAttempts) }}
		if _, err := g.Generate(t.Context(), req); err == nil || f.calls != want || len(told) != want-1 || told[0] != want {
			t.Errorf("after %s: %d attempts, told %v: %v", waited, f.calls, told, err)
		}
	}
}
