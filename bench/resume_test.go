//go:build linux

package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pollux/bench/recorded"
	"pollux/internal/config"
	"pollux/internal/process/processtest"
)

// BenchmarkResume measures the time from the start of the program, with --resume, to its first request,
// the CPU time of the run, the most memory that it needs, and the requests that it makes, for sessions of
// 10 MB, or with POLLUX_LONG=1 of 100 MB. Times are the least of all runs. In the first run, which the figures
// that begin with "cold" are about, there is no index of the sessions. A session that was never compressed
// does not fit into the window of its model: it is compressed first.
func BenchmarkResume(b *testing.B) {
	program := pollux(b)
	asked := make(chan time.Time, 1000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- time.Now()
		_, _ = io.Copy(io.Discard, r.Body) // an error means that the client has closed the connection
		if strings.HasSuffix(r.URL.Path, ":generateContent") {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"candidates":[{"content":{"role":"model","parts":[{"text":"<state_snapshot><overall_goal>Read.</overall_goal></state_snapshot>"}]},"finishReason":"STOP"}]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, said("gemini", 1, false))
	}))
	defer server.Close()
	size := 10 << 20
	if processtest.IsLong() {
		size = 100 << 20
	}
	for _, kind := range []struct {
		name  string
		write func(b *testing.B, dir string, size, every int)
		every int // bytes between compressions
	}{
		{"pollux", recordSession, 1 << 20},
		{"gemini", writeGeminiSession, 1 << 20},
		{"pollux/never-compressed", recordSession, size * 2},
		{"gemini/never-compressed", writeGeminiSession, size * 2},
	} {
		b.Run(kind.name, func(b *testing.B) {
			s := bare(b, server.URL)
			chats, err := chatsOf(s)
			if err != nil {
				b.Fatal(err)
			}
			kind.write(b, chats, size, kind.every)
			kept := filepath.Join(b.TempDir(), "chats")
			if err := os.CopyFS(kept, os.DirFS(chats)); err != nil {
				b.Fatal(err)
			}
			syscall.Sync() // else the first run waits until the session is on the disk
			var waits, cpus, peaks []float64
			requests := 0
			run := func() {
				wait, cpu, peak, n := s.resume(b, program, asked)
				waits, cpus, peaks, requests = append(waits, wait), append(cpus, cpu), append(peaks, peak), n
			}
			run()
			b.ResetTimer()
			for b.Loop() {
				if kind.every > size { // it is compressed now
					b.StopTimer()
					restore(b, chats, kept)
					b.StartTimer()
				}
				run()
			}
			b.ReportMetric(waits[0], "cold-first-request-ms")
			b.ReportMetric(cpus[0], "cold-cpu-ms")
			b.ReportMetric(slices.Min(waits), "first-request-ms")
			b.ReportMetric(slices.Min(cpus), "cpu-ms")
			b.ReportMetric(slices.Max(peaks), "peak-MB")
			b.ReportMetric(float64(requests), "requests")
		})
	}
}

// chatsOf creates the directory of a start's session files.
func chatsOf(s start) (string, error) {
	temp, err := config.NewPaths(config.NewEnv(s.env...), s.dir).ProjectTemp()
	if err != nil {
		return "", err
	}
	chats := filepath.Join(temp, "chats")
	return chats, os.MkdirAll(chats, 0o700)
}

// restore restores the original session files.
func restore(b *testing.B, chats, kept string) {
	b.Helper()
	if err := os.RemoveAll(chats); err != nil {
		b.Fatal(err)
	}
	if err := os.CopyFS(chats, os.DirFS(kept)); err != nil {
		b.Fatal(err)
	}
}

// resume runs the program with --resume. It returns the time to the first request and the CPU time of the
// run in milliseconds, the most memory in MB, and the number of requests.
func (s start) resume(b *testing.B, program string, asked chan time.Time) (wait, cpu, peak float64, requests int) {
	b.Helper()
	cmd := exec.Command(program, "--resume", "latest", "-p", "hi")
	cmd.Dir, cmd.Env = s.dir, s.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	if err := cmd.Run(); err != nil || out.String() != "Done.\n" {
		b.Fatalf("%v: %s%s", err, &out, &errs)
	}
	peak = float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / (1 << 10)
	for len(asked) > 0 {
		at := <-asked
		if requests++; requests == 1 {
			wait = float64(at.Sub(began)) / 1e6
		}
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return wait, float64(used) / 1e6, peak, requests
}

func recordSession(b *testing.B, dir string, size, every int) {
	if err := recorded.Pages(b.Context(), dir, size, every); err != nil {
		b.Fatal(err)
	}
}

// writeGeminiSession writes such a session as Gemini CLI does: each response twice, the second time with
// its calls and their results.
func writeGeminiSession(b *testing.B, dir string, size, every int) {
	f, err := os.Create(filepath.Join(dir, "session-2026-01-01T00-00-00000000.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	const at = `"timestamp":"2026-01-01T00:00:00.000Z"`
	written := 0
	line := func(format string, args ...any) {
		n, err := fmt.Fprintf(w, format+"\n", args...)
		if err != nil {
			b.Fatal(err)
		}
		written += n
	}
	line(`{"sessionId":"00000000-0000-4000-8000-000000000000","projectHash":"hash","startTime":"2026-01-01T00:00:00.000Z","lastUpdated":"2026-01-01T00:00:00.000Z","kind":"main"}`)
	line(`{"id":"p",%s,"type":"user","content":[{"text":"Read all."}]}`, at)
	output, _ := json.Marshal(strings.Repeat(recorded.Line, 100)) // a text
	for i, last := 0, 0; written < size; i++ {
		line(`{"id":"a%d",%s,"type":"gemini","content":"I read.","thoughts":[],"tokens":null,"model":"gemini-2.5-flash"}`, i, at)
		line(`{"id":"a%d",%s,"type":"gemini","content":"I read.","thoughts":[],"tokens":null,"model":"gemini-2.5-flash","toolCalls":[{"id":"c%d","name":"read_file","args":{"file_path":"a"},`+
			`"result":[{"functionResponse":{"id":"c%d","name":"read_file","response":{"output":%s}}}],"status":"success",%s,"displayName":"ReadFile","description":"a","resultDisplay":"","renderOutputAsMarkdown":true}]}`,
			i, at, i, i, output, at)
		if written-last > every && size-written > every/10 {
			last = written
			line(`{"$set":{"messages":[{"id":"s%d",%s,"type":"user","content":[{"text":%s}]},{"id":"t%d",%s,"type":"gemini","content":[{"text":"Got it."}]}],"lastUpdated":"2026-01-01T00:00:00.000Z"}}`, i, at, output, i, at)
		}
	}
	line(`{"id":"end",%s,"type":"gemini","content":"All is read.","thoughts":[],"tokens":null,"model":"gemini-2.5-flash"}`, at)
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
}
