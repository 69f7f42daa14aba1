package journal

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/process/processtest"
	"pollux/llm"
)

// BenchmarkAppend records messages of about 1 KB, as a response with a call is. Syncs happen in the
// background.
func BenchmarkAppend(b *testing.B) {
	j, _ := newJournal(b, b.TempDir())
	must(b, j.Begin(b.Context(), "id", []agent.Message{opening}))
	text := llm.Text(strings.Repeat("A sentence of an answer. ", 40))
	b.ReportAllocs()
	for i := range b.N {
		must(b, j.Append(b.Context(), agent.Entry{Message: message(fmt.Sprint(i), llm.RoleModel, text)}))
	}
}

// BenchmarkSync waits for the disk after each message.
func BenchmarkSync(b *testing.B) {
	j, _ := newJournal(b, b.TempDir())
	must(b, j.Begin(b.Context(), "id", []agent.Message{opening}))
	for i := range b.N {
		must(b, j.Append(b.Context(), agent.Entry{Message: message(fmt.Sprint(i), llm.RoleModel, llm.Text("An answer."))}))
		must(b, j.Sync())
	}
}

// BenchmarkOpen opens sessions of which each 4 MB were compressed. peak-MB is the highest memory
// of the process, kept-MB the memory of the history.
func BenchmarkOpen(b *testing.B) {
	for _, size := range []int64{1 << 20, 100 << 20, 1 << 30} {
		b.Run(fmt.Sprintf("%dMB", size>>20), func(b *testing.B) {
			if !processtest.IsLong() && size > 1<<20 {
				b.Skip("it writes a large file")
			}
			path := filepath.Join(b.TempDir(), "session-x.jsonl")
			must(b, writeSession(path, size))
			debug.FreeOSMemory()
			stop, peak := make(chan struct{}), make(chan uint64)
			go watchMemory(stop, peak)
			var s *Resumed
			for b.Loop() {
				var err error
				s, err = Open(path)
				must(b, err)
				s.Close()
			}
			close(stop)
			b.ReportMetric(float64(<-peak)/(1<<20), "peak-MB")
			runtime.GC()
			b.ReportMetric(float64(memory().HeapAlloc)/(1<<20), "kept-MB")
			runtime.KeepAlive(s)
		})
	}
}

func memory() (m runtime.MemStats) {
	runtime.ReadMemStats(&m)
	return m
}

// watchMemory sends the most memory that was in use until stop is closed, in bytes.
func watchMemory(stop <-chan struct{}, peak chan<- uint64) {
	most := uint64(0)
	for {
		m := memory()
		most = max(most, m.Sys-m.HeapReleased)
		select {
		case <-stop:
			peak <- most
			return
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// writeSession writes a session file of about this size, which ends in the middle of the messages
// to compress.
func writeSession(path string, size int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	const every = 4 << 20
	h := Header{SessionID: "id", ProjectHash: "hash", Start: start, Updated: start, Kind: Main, Pollux: version}
	line := appendHeader(nil, h)
	output := strings.Repeat("a line of a file that the model reads\n", 100)
	for written, last, i := int64(0), int64(0), 0; written < size; i++ {
		if _, err := w.Write(line); err != nil {
			return err
		}
		written += int64(len(line))
		if written-last > every && written < size-every/2 {
			last = written
			line = appendSet(line[:0], []agent.Entry{{Message: message(fmt.Sprint("s", i), llm.RoleUser, llm.Text(output))}}, &h)
			continue
		}
		c := fmt.Sprint("c", i)
		line = appendMessage(line[:0], agent.Entry{Message: message(fmt.Sprint("a", i), llm.RoleModel, llm.Text("I read it."), call(c))})
		result := llm.Part{FunctionResponse: llm.Output(c, "write_file", output)}
		line = appendMessage(line, agent.Entry{Message: message(fmt.Sprint("r", i), llm.RoleUser, result), Calls: []agent.CallRecord{{ID: c, Status: agent.Success}}})
	}
	return w.Flush()
}

// BenchmarkPeek reads the outline of a session of 100 MB.
func BenchmarkPeek(b *testing.B) {
	const size = 100 << 20
	path := filepath.Join(b.TempDir(), "session-x.jsonl")
	must(b, writeSession(path, size))
	b.SetBytes(size)
	for b.Loop() {
		_, err := Peek(path, nil)
		must(b, err)
	}
}
