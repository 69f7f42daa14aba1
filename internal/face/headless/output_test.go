package headless

import (
	"context"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pollux/agent"
	"pollux/internal/terminal"
)

// writes records each write with its time.
type writes struct {
	mu  sync.Mutex
	all []string
	at  []time.Duration
	t0  time.Time
}

func (w *writes) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, string(p))
	w.at = append(w.at, time.Since(w.t0))
	return len(p), nil
}

// The first chunk after a pause is written at once, a burst in few writes, and no chunk
// waits longer than the window.
func TestFlushing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &writes{t0: time.Now()}
		out := newOutput(w)
		out.writeString("first")
		if len(w.all) != 1 {
			t.Fatalf("the first chunk was held back")
		}
		for range 1000 {
			out.writeString("burst ")
		}
		time.Sleep(batchWindow)
		synctest.Wait()
		if len(w.all) != 2 || w.at[1] != batchWindow {
			t.Errorf("a burst took %d writes, the last at %v", len(w.all)-1, w.at)
		}
		time.Sleep(time.Second)
		out.writeString("later")
		if w.all[len(w.all)-1] != "later" {
			t.Errorf("a chunk after a pause was held back")
		}
		out.writeString("end")
		_ = out.close()
		if got := strings.Join(w.all, ""); got != "first"+strings.Repeat("burst ", 1000)+"laterend" {
			t.Errorf("lost or mixed up: %.200q", got)
		}
	})
}

// Text is broken at the width of a terminal, but JSON is not.
func TestOutputWidth(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	out := newOutput(&b)
	out.width = func() int { return 20 }
	for _, chunk := range strings.Split("- one two three four five", "") {
		out.writeString(chunk)
	}
	out.endLine()
	out.writeJSON([]byte("one two three four five\n"))
	out.writeString("six")
	out.endLine()
	if err := out.close(); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "- one two three four\n  five\none two three four five\nsix\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.Reset()
	e := errOutput{w: terminal.NewNoteWriter(&b), width: out.width}
	e.printFailure(explanation{line: "one two three four five", isFatal: true}, true)
	if got, want := b.String(), "\x1b[31mone two three four\nfive\x1b[0m\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The buffer stays small for fast chunks.
func TestBufferIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &writes{t0: time.Now()}
		out := newOutput(w)
		for range 10000 {
			out.writeString("0123456789abcdef")
		}
		if len(out.buf) > maxBuffer || cap(out.buf) > 2*maxBuffer {
			t.Errorf("%d bytes buffered, capacity %d", len(out.buf), cap(out.buf))
		}
		if n := len(w.all); n > 10 {
			t.Errorf("%d writes for 160 KB", n)
		}
		out.writeString(strings.Repeat("x", 1<<20))
		if cap(out.buf) > 2*maxBuffer {
			t.Errorf("a large chunk left a buffer of %d bytes", cap(out.buf))
		}
		_ = out.close()
	})
}

// All output is written when Run returns, for slow readers and for more output than the
// 64 KiB of a pipe.
func TestSlowPipe(t *testing.T) {
	t.Parallel()
	for _, format := range formats {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		read := make(chan string)
		go func() {
			b, _ := io.ReadAll(r)
			read <- string(b)
		}()
		const chunks = 3000
		err = Run(t.Context(), Options{Format: format, Out: terminal.NewWriter(w), Err: terminal.NewNoteWriter(io.Discard)}, func(yield func(agent.Event, error) bool) {
			for i := range chunks {
				if !yield(agent.Text{Text: strconv.Itoa(i) + strings.Repeat(".", 100) + "\n"}, nil) {
					return
				}
			}
		})
		_ = w.Close()
		got := <-read
		_ = r.Close()
		if err != nil || strings.Count(got, strings.Repeat(".", 100)) != chunks || !strings.HasSuffix(got, "\n") {
			t.Errorf("%s: %v, %d bytes arrived", format, err, len(got))
		}
	}
}

func TestBatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ asked, finished, want, rest string }{
		{"abc", "abc", "a|b|c", ""},
		{"abc", "cba", "||abc", ""},
		{"abc", "bac", "|ab|c", ""},
		{"abc", "cb", "|", "bc"},
		{"aab", "aba", "a||ab", ""}, // ids come from a model and may repeat
		{"baa", "aab", "||baa", ""},
		{"a", "xa", "x|a", ""},
	} {
		var b batch
		for _, id := range tt.asked {
			b.add(&agent.ToolCall{ID: string(id)})
		}
		var got []string
		for _, id := range tt.finished {
			got = append(got, ids(b.finish(&agent.ToolFinished{Call: &agent.ToolCall{ID: string(id)}})))
		}
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("%s finishing as %s: %q, want %q", tt.asked, tt.finished, s, tt.want)
		}
		if s := ids(b.drain()); s != tt.rest {
			t.Errorf("%s finishing as %s: rest %q, want %q", tt.asked, tt.finished, s, tt.rest)
		}
	}
}

func ids(calls []*agent.ToolFinished) string {
	var s string
	for _, c := range calls {
		s += c.Call.ID
	}
	return s
}

// BenchmarkRun renders 20,000 small chunks; ns/chunk is the cost of each.
func BenchmarkRun(b *testing.B) {
	const chunks = 20000
	events := func(yield func(agent.Event, error) bool) {
		for range chunks {
			if !yield(agent.Text{Text: "a word or two, "}, nil) {
				return
			}
		}
	}
	for _, format := range formats {
		b.Run(string(format), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := Run(context.Background(), Options{Format: format, Out: terminal.NewWriter(io.Discard), Err: terminal.NewNoteWriter(io.Discard)}, events); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/chunks, "ns/chunk")
		})
	}
}

// BenchmarkPipe renders the same chunks into a real pipe that is read as fast as
// possible.
func BenchmarkPipe(b *testing.B) {
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(io.Discard, r)
	}()
	const chunks = 20000
	for b.Loop() {
		err := Run(context.Background(), Options{Out: terminal.NewWriter(w), Err: terminal.NewNoteWriter(io.Discard)}, func(yield func(agent.Event, error) bool) {
			for range chunks {
				if !yield(agent.Text{Text: "a word or two, "}, nil) {
					return
				}
			}
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/chunks, "ns/chunk")
	_ = w.Close()
	<-read
	_ = r.Close()
}
