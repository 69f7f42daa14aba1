package completion

import (
	"context"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sourceFunc is a source that is a function.
type sourceFunc func(ctx context.Context, r Request) (Result, bool)

func (f sourceFunc) Complete(ctx context.Context, r Request) (Result, bool) { return f(ctx, r) }

// answer returns a source that answers requests for one text with a suggestion.
func answer(text, suggestion string) Source {
	return sourceFunc(func(_ context.Context, r Request) (Result, bool) {
		return Result{Suggestions: []Suggestion{{Insert: suggestion}}}, r.Text == text
	})
}

func TestEngine(t *testing.T) {
	t.Parallel()
	e := NewEngine(answer("a", "first"), answer("a", "second"), answer("b", "third"))
	defer e.Close()
	for _, c := range []struct{ text, want string }{{"a", "first"}, {"b", "third"}, {"b", "third"}, {"c", ""}} {
		e.Ask(Request{Text: c.text, Cursor: 9})
		r := <-e.Found()
		got := ""
		if len(r.Suggestions) > 0 {
			got = r.Suggestions[0].Insert
		}
		if got != c.want || r.Request != (Request{Text: c.text, Cursor: 1}) {
			t.Errorf("%q: %q for %+v", c.text, got, r.Request)
		}
	}
	e.Ask(Request{Text: "a", Cursor: -1})
	if r := <-e.Found(); r.Request.Cursor != 0 {
		t.Errorf("%+v", r.Request)
	}
}

// TestReplacedRequest checks that a new request ends the one before, whether that is searching or waits for someone to
// receive its result.
func TestReplacedRequest(t *testing.T) {
	t.Parallel()
	began := make(chan string)
	e := NewEngine(sourceFunc(func(ctx context.Context, r Request) (Result, bool) {
		began <- r.Text
		if r.Text == "slow" {
			<-ctx.Done()
		}
		return Result{}, true
	}))
	defer e.Close()
	e.Ask(Request{Text: "slow"})
	<-began
	e.Ask(Request{Text: "ready"})
	<-began // its result is not received
	e.Ask(Request{Text: "last"})
	<-began
	if r := <-e.Found(); r.Request.Text != "last" {
		t.Errorf("%+v", r.Request)
	}
	e.Ask(Request{Text: "slow"})
	<-began
	e.Ask(Request{Text: "next"})
	<-began
	if r := <-e.Found(); r.Request.Text != "next" {
		t.Errorf("%+v", r.Request)
	}
	e.Ask(Request{Text: "slow"})
	<-began // Close ends it
}

// closable is a source that is closed.
type closable struct {
	sourceFunc
	isClosed bool
}

func (c *closable) Close() { c.isClosed = true }

func TestClose(t *testing.T) {
	t.Parallel()
	c := &closable{}
	if NewEngine(answer("a", "b"), c).Close(); !c.isClosed {
		t.Error("the source is open")
	}
}

func TestDetached(t *testing.T) {
	t.Parallel()
	d := NewDetached(1)
	hasRun := false
	if !d.Run(context.Background(), func() { hasRun = true }) || !hasRun {
		t.Error("the function has not run")
	}
	release, released := make(chan bool), make(chan bool)
	ctx, cancel := context.WithCancel(context.Background())
	began := make(chan bool)
	go func() {
		<-began
		cancel()
	}()
	if d.Run(ctx, func() { close(began); <-release; close(released) }) {
		t.Error("a function that hangs has returned")
	}
	if d.Run(ctx, func() { t.Error("runs beside another one") }) {
		t.Error("a second function has run")
	}
	close(release)
	<-released
	if !d.Run(context.Background(), func() {}) {
		t.Error("the slot is not free")
	}
}
