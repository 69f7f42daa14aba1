package bench

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pollux/internal/face/tui/tuitest"
	"pollux/internal/process/processtest"
	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/gemini"
)

// seat is the program at a terminal of 120 by 40, with a model.
type seat struct {
	*tuitest.Program
	began time.Time

	mu     sync.Mutex
	output []byte // since the last reset
}

// sit starts the program with a model that follows a script.
func sit(b *testing.B, program, script string) *seat {
	b.Helper()
	parsed, err := scriptmodel.Parse(script)
	if err != nil {
		b.Fatal(err)
	}
	model, err := scriptmodel.Start(parsed, scriptmodel.Options{Wires: []scriptmodel.Wire{gemini.Wire{}}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = model.Close() })
	home := b.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(home, ".gemini"), 0o700), os.WriteFile(filepath.Join(home, ".gemini", "settings.json"), []byte("{}"), 0o600)); err != nil {
		b.Fatal(err)
	}
	command := []string{
		"/usr/bin/env", "-i", "-C", b.TempDir(), "PATH=/usr/bin:/bin", "HOME=" + home, "LANG=C.UTF-8", "TERM=xterm-256color",
		"GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_API_KEY=key", "GOOGLE_GEMINI_BASE_URL=" + model.URL(), program,
	}
	s := &seat{began: time.Now()}
	s.Program, err = tuitest.StartAt(tuitest.NewEmulator(120, 40), command, s.note)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	s.see(b, "Type your message")
	return s
}

func (s *seat) note(output []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.output = append(s.output, output...)
}

// reset forgets the output.
func (s *seat) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.output = nil
}

// bytes returns the output since the last reset.
func (s *seat) bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.output)
}

func (s *seat) see(b *testing.B, text string) {
	b.Helper()
	is := func(rows []string) bool {
		return slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, text) })
	}
	if err := s.Wait(is); err != nil {
		b.Fatalf("%q: %v\n%s", text, err, strings.Join(s.Screen(), "\n"))
	}
}

func (s *seat) send(b *testing.B, text string) {
	b.Helper()
	if err := s.Send(text); err != nil {
		b.Fatal(err)
	}
}

// keys types keys one at a time, and returns the milliseconds and the bytes of each.
func (s *seat) keys(b *testing.B, count int) (took, size []float64) {
	b.Helper()
	draft := ""
	for i := range count {
		if i%50 == 0 { // a short draft stays in one row
			s.send(b, "\x15")
			s.see(b, "Type your message")
			s.Settle()
			draft = ""
		}
		draft += string(rune('a' + i%26))
		time.Sleep(20 * time.Millisecond) // longer than a frame, as between the keys of a person
		s.reset()
		began := time.Now()
		s.send(b, draft[len(draft)-1:])
		s.see(b, "> "+draft)
		took = append(took, time.Since(began).Seconds()*1000)
		size = append(size, float64(len(s.bytes())))
	}
	return took, size
}

// percentile returns the value that a part of the values does not exceed.
func percentile(values []float64, part float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)]
}

// BenchmarkPrompt measures the time from the start to a prompt.
func BenchmarkPrompt(b *testing.B) {
	program := processtest.Build(b)
	var took []float64
	for b.Loop() {
		s := sit(b, program, "turn\n  text \"x\"\n")
		took = append(took, time.Since(s.began).Seconds()*1000)
		s.Close()
	}
	b.ReportMetric(median(took), "prompt-ms")
	b.ReportMetric(slices.Max(took), "worst-ms")
}

// BenchmarkKeys measures the time from a key to its paint, and the bytes of it, while nothing else happens and while an answer
// of 500 pieces a second comes.
func BenchmarkKeys(b *testing.B) {
	program := processtest.Build(b)
	for _, name := range []string{"idle", "streaming"} {
		b.Run(name, func(b *testing.B) {
			var took, size []float64
			for b.Loop() {
				s := sit(b, program, stream(10_000))
				if name == "streaming" {
					s.send(b, "go\r")
					s.see(b, "word20 ")
				}
				t, n := s.keys(b, 200)
				took, size = append(took, t...), append(size, n...)
				s.Close()
			}
			b.ReportMetric(median(took), "key-ms")
			b.ReportMetric(percentile(took, 0.99), "p99-ms")
			if name == "idle" {
				b.ReportMetric(median(size), "B/key")
			}
		})
	}
}

// stream returns the script of an answer with paragraphs, 500 pieces a second.
func stream(count int) string {
	var b strings.Builder
	b.WriteString("turn\n  pace 2ms\n")
	for n := range count {
		end := " "
		if n%40 == 39 {
			end = "\n\n"
		}
		fmt.Fprintf(&b, "  text %q\n", fmt.Sprintf("word%d%s", n, end))
	}
	b.WriteString("  text \"\\n\\nThe end.\"\n")
	return b.String()
}

// BenchmarkStream measures the bytes that the terminal gets for each byte of an answer.
func BenchmarkStream(b *testing.B) {
	program := processtest.Build(b)
	const count = 2000
	script := stream(count)
	text := 0
	for n := range count {
		text += len(fmt.Sprintf("word%d ", n))
	}
	var times []float64
	for b.Loop() {
		s := sit(b, program, script)
		s.reset()
		s.send(b, "go\r")
		s.see(b, "The end.")
		s.Settle()
		all := s.bytes()
		times = append(times, float64(len(all))/float64(text))
		if bytes.Contains(all, []byte("\x1b[2J")) || bytes.Contains(all, []byte("\x1b[3J")) || bytes.Contains(all, []byte("\x1b[?1049h")) {
			b.Error("the screen is cleared")
		}
		s.Close()
	}
	b.ReportMetric(median(times), "B/B")
}

// BenchmarkIdle measures the clock ticks of CPU time and the bytes of a minute in which nothing happens.
func BenchmarkIdle(b *testing.B) {
	program := processtest.Build(b)
	var ticks, size float64
	for b.Loop() {
		s := sit(b, program, "turn\n  text \"x\"\n")
		s.Settle()
		time.Sleep(3 * time.Second) // the start leaves work for later
		s.reset()
		before := cpuTicks(b, s.PID())
		time.Sleep(time.Minute)
		ticks, size = max(ticks, cpuTicks(b, s.PID())-before), max(size, float64(len(s.bytes())))
		s.Close()
	}
	b.ReportMetric(ticks, "ticks/min")
	b.ReportMetric(size, "B/min")
}

// cpuTicks returns the user and system time of a process.
func cpuTicks(b *testing.B, pid int) float64 {
	b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	var user, system float64
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		b.Fatal(err)
	}
	return user + system
}

// BenchmarkPaste measures the time until a pasted text is in the draft.
func BenchmarkPaste(b *testing.B) {
	program := processtest.Build(b)
	for _, size := range []int{1, 5} {
		b.Run(fmt.Sprintf("%dMB", size), func(b *testing.B) {
			text := strings.Repeat(strings.Repeat("x", 63)+"\n", size<<14)
			var took []float64
			for b.Loop() {
				s := sit(b, program, "turn\n  text \"x\"\n")
				began := time.Now()
				s.send(b, "\x1b[200~"+text+"\x1b[201~")
				s.see(b, "[Pasted Text")
				took = append(took, time.Since(began).Seconds()*1000)
				s.Close()
			}
			b.ReportMetric(median(took), "paste-ms")
		})
	}
}

// BenchmarkCancel measures the time from Esc to the notice.
func BenchmarkCancel(b *testing.B) {
	program := processtest.Build(b)
	var took []float64
	for b.Loop() {
		s := sit(b, program, stream(10_000))
		s.send(b, "go\r")
		s.see(b, "word20 ")
		began := time.Now()
		s.send(b, "\x1b")
		s.see(b, "Request cancelled.")
		took = append(took, time.Since(began).Seconds()*1000)
		s.Close()
	}
	b.ReportMetric(median(took), "cancel-ms")
}
