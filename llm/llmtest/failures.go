package llmtest

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/llm"
)

func testErrors(t *testing.T, v Vendor) {
	for status, kinds := range map[int][]llm.ErrorKind{
		400: {llm.KindBadRequest},
		401: {llm.KindUnauthorized},
		403: {llm.KindForbidden},
		404: {llm.KindModelNotFound},
		429: {llm.KindRateLimit},
		500: {llm.KindServer},
		503: {llm.KindServer, llm.KindCapacity},
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			send(w, v.Error(status, "the model says no"))
		})
		g := v.New(t, s.URL)
		_, err := g.Generate(t.Context(), Prompt("hello"))
		for where, err := range map[string]error{"stream": onlyError(t, g.Stream(t.Context(), Prompt("hello"))), "generate": err} {
			e := asError(t, err)
			if e.Status != status || !slices.Contains(kinds, e.Kind) {
				t.Errorf("%d: %s: kind %v, status %d: %v", status, where, e.Kind, e.Status, e)
			}
			if e.Message == "" || e.Body == "" {
				t.Errorf("%d: %s: no message or no body: %#v", status, where, e)
			}
		}
		if n := s.requests.Load(); n != 2 {
			t.Errorf("%d: %d requests for 2 calls: trying again is not an adapter's business", status, n)
		}
	}
}

func testRetryAfter(t *testing.T, v Vendor) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
		send(w, v.Error(http.StatusTooManyRequests, "slow down"))
	})
	e := asError(t, onlyError(t, v.New(t, s.URL).Stream(t.Context(), Prompt("hello"))))
	if e.Kind != llm.KindRateLimit || e.RetryAfter != 7*time.Second {
		t.Errorf("kind %v, retry after %v", e.Kind, e.RetryAfter)
	}
}

// testBrokenAfter checks that a connection that breaks behind the finish reason does not spoil the response.
func testBrokenAfter(t *testing.T, v Vendor) {
	for name, chunks := range damaged() {
		whole := bytes.Join(v.Stream(chunks), nil)
		ends := [][]byte{whole}
		for _, mark := range []string{"data: [DONE]", "event: message_stop"} { // which follow the finish reason
			if i := bytes.LastIndex(whole, []byte(mark)); i >= 0 {
				ends = append(ends, whole[:i], whole[:i+len(mark)/2])
			}
		}
		var want Answer
		for _, c := range chunks {
			want.Add(c)
		}
		for _, end := range ends {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				v.open(w)
				send(w, end)
				conn, _, err := w.(http.Hijacker).Hijack()
				if err != nil {
					t.Errorf("hijack: %v", err)
					return
				}
				_ = conn.Close()
			})
			got, err := collect(t, v.New(t, s.URL))
			if err != nil || got.content() != want.content() || got.Finish != want.Finish {
				t.Errorf("%s, %d of %d bytes: %s, finish reason %s, error %v", name, len(end), len(whole), got.content(), got.Finish, err)
			}
		}
	}
}

// testByteOrderMark checks that a byte order mark before a response means nothing.
func testByteOrderMark(t *testing.T, v Vendor) {
	const mark = "\ufeff"
	pieces := v.Stream([]*llm.Response{chunk("", llm.Text("a")), chunk(llm.FinishStop, llm.Text("b"))})
	pieces[0] = append([]byte(mark), pieces[0]...)
	s := serve(t, v.streams(pieces))
	if a := Ask(t, v.New(t, s.URL), "hello"); a.Text != "ab" || a.Finish != llm.FinishStop {
		t.Errorf("stream: %q, %s", a.Text, a.Finish)
	}
	whole := chunk(llm.FinishStop, llm.Text("ab"))
	whole.Usage = &llm.Usage{Prompt: 1, Candidates: 1, Total: 2}
	s = serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		send(w, append([]byte(mark), v.Answer(whole)...))
	})
	r, err := v.New(t, s.URL).Generate(t.Context(), Prompt("hello"))
	if err != nil || r.Text() != "ab" {
		t.Errorf("generate: %v, %v", r, err)
	}
}

// testBroken checks the error of a connection that breaks after the first chunk.
func testBroken(t *testing.T, v Vendor) {
	pieces := v.Stream([]*llm.Response{chunk("", llm.Text("a")), chunk(llm.FinishStop, llm.Text("b"))})
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		v.open(w)
		send(w, pieces[0])
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Errorf("hijack: %v", err)
			return
		}
		_ = conn.Close()
	})
	var a Answer
	var got error
	for chunk, err := range v.New(t, s.URL).Stream(t.Context(), Prompt("hello")) {
		if err != nil {
			got = err
			continue
		}
		a.Add(chunk)
	}
	if e := asError(t, got); e.Kind != llm.KindNetwork {
		t.Errorf("kind %v: %v", e.Kind, e)
	}
	if a.Text != "a" {
		t.Errorf("text %q", a.Text)
	}
}

func testRefused(t *testing.T, v Vendor) {
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	s.Close()
	e := asError(t, onlyError(t, v.New(t, s.URL).Stream(t.Context(), Prompt("hello"))))
	if e.Kind != llm.KindNoServer || e.Retryable() || !strings.HasPrefix(e.Message, "Cannot reach 127.0.0.1:") || !strings.HasSuffix(e.Message, " (connection refused)") {
		t.Errorf("kind %v: %v", e.Kind, e)
	}
}

var errUser = errors.New("the user pressed escape")

func testCancelledBefore(t *testing.T, v Vendor) {
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errUser)
	g := v.New(t, s.URL)
	if err := onlyError(t, g.Stream(ctx, Prompt("hello"))); !errors.Is(err, errUser) {
		t.Errorf("stream: %v", err)
	}
	if _, err := g.Generate(ctx, Prompt("hello")); !errors.Is(err, errUser) {
		t.Errorf("generate: %v", err)
	}
	if n := s.requests.Load(); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// testCancelledWaiting cancels a request before the response starts.
func testCancelledWaiting(t *testing.T, v Vendor) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	gone := make(chan struct{})
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel(errUser)
		<-r.Context().Done()
		close(gone)
	})
	if err := onlyError(t, v.New(t, s.URL).Stream(ctx, Prompt("hello"))); !errors.Is(err, errUser) {
		t.Errorf("error %v", err)
	}
	<-gone
}

// testCancelled checks that a stream yields nothing but the cause after cancellation,
// even if more has arrived, and that the server sees the connection close.
func testCancelled(t *testing.T, v Vendor) {
	pieces := v.Stream([]*llm.Response{
		chunk("", llm.Text("a")), chunk("", llm.Text("b")), chunk("", llm.Text("c")), chunk(llm.FinishStop, llm.Text("d")),
	})
	gone := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		v.open(w)
		for _, p := range pieces[:3] {
			send(w, p)
		}
		<-r.Context().Done()
		close(gone)
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	after := -1 // chunks after the cancel
	var got error
	for _, err := range v.New(t, s.URL).Stream(ctx, Prompt("hello")) {
		if err != nil {
			got = err
			continue
		}
		after++
		cancel(errUser)
	}
	if !errors.Is(got, errUser) || after != 0 {
		t.Errorf("%d chunks after the cancel, then %v", after, got)
	}
	<-gone
}

func testBreak(t *testing.T, v Vendor) {
	pieces := v.Stream([]*llm.Response{chunk("", llm.Text("a")), chunk(llm.FinishStop, llm.Text("b"))})
	gone := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		v.open(w)
		send(w, pieces[0])
		<-r.Context().Done()
		close(gone)
	})
	for _, err := range v.New(t, s.URL).Stream(t.Context(), Prompt("hello")) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	<-gone
}

// onlyError returns the error of a stream that yields no chunks.
func onlyError(t *testing.T, seq func(func(*llm.Response, error) bool)) error {
	t.Helper()
	var got error
	for chunk, err := range seq {
		switch {
		case got != nil:
			t.Errorf("something is yielded after the error")
		case err == nil:
			t.Errorf("a chunk where an error was due: %s", show(chunk))
		}
		got = err
	}
	if got == nil {
		t.Errorf("the stream ends without an error")
	}
	return got
}

func asError(t *testing.T, err error) *llm.Error {
	t.Helper()
	var e *llm.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T) is no *llm.Error", err, err)
	}
	return e
}
