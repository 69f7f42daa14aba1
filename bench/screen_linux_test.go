package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/anthropic"
	"pollux/internal/scriptmodel/gemini"
	"pollux/internal/scriptmodel/ollama"
	"pollux/internal/scriptmodel/openai"
)

// protocols are the protocols of models, with the variables that select a model at ADDRESS.
var protocols = []struct {
	name     string
	wire     scriptmodel.Wire
	environ  []string
	settings string
}{
	{"gemini", gemini.Wire{}, []string{"GOOGLE_GEMINI_BASE_URL=ADDRESS", "GEMINI_API_KEY=key"}, "{}"},
	{"openai", openai.Chat{}, []string{"OPENAI_BASE_URL=ADDRESS/v1", "OPENAI_API_KEY=key", "OPENAI_MODEL=gpt-4.1"}, "{}"},
	{"responses", openai.Responses{}, []string{"OPENAI_BASE_URL=ADDRESS/v1", "OPENAI_API_KEY=key", "OPENAI_MODEL=gpt-5.2"}, `{"modelProviders": {"openai": {"protocol": "responses"}}}`},
	{"anthropic", anthropic.Wire{}, []string{"ANTHROPIC_BASE_URL=ADDRESS", "ANTHROPIC_API_KEY=key", "ANTHROPIC_MODEL=claude-sonnet-4-6"}, "{}"},
	{"ollama", ollama.Wire{}, []string{"OLLAMA_HOST=ADDRESS", "OLLAMA_MODEL=qwen3"}, "{}"},
	{"text", openai.Text{}, []string{"OPENAI_BASE_URL=ADDRESS/v1", "OPENAI_API_KEY=key", "OPENAI_MODEL=gemma-3"}, "{}"},
}

// BenchmarkScreen measures how long a piece of an answer takes from the server's write to the terminal: the first
// piece, and the others. The pieces come as slowly as those of a model, so that none waits for another. The figures are
// medians, and the worst.
func BenchmarkScreen(b *testing.B) {
	program := pollux(b)
	for _, p := range protocols {
		for _, face := range []string{"terminal", "headless", "stream-json"} {
			b.Run(p.name+"/"+face, func(b *testing.B) {
				var first, others []float64
				for b.Loop() {
					took := watch(b, program, face, p.wire, p.environ, p.settings)
					first, others = append(first, took[0]), append(others, took[1:]...)
				}
				b.ReportMetric(median(first), "first-ms")
				b.ReportMetric(median(others), "others-ms")
				b.ReportMetric(slices.Max(slices.Concat(first, others)), "worst-ms")
			})
		}
	}
}

// pieces is the number of pieces of an answer.
const pieces = 20

// piece returns a piece of an answer, and the part of it that shows that it has come. The first one is the beginning of
// a word, as that of a model may be; the others end words, because a terminal gets whole words.
func piece(n int) (text, sign string) {
	if n == 0 {
		return "Zebra", "Zeb"
	}
	sign = fmt.Sprintf("piece%02d", n)
	return sign + " ", sign
}

// watch runs the program at a terminal, and returns how many milliseconds each piece of the answer takes.
func watch(b *testing.B, program, face string, wire scriptmodel.Wire, environ []string, settings string) []float64 {
	b.Helper()
	text := "pace 20ms\nturn\n"
	for n := range pieces {
		content, _ := piece(n)
		text += fmt.Sprintf("  text %q\n", content)
	}
	script, err := scriptmodel.Parse(text)
	if err != nil {
		b.Fatal(err)
	}
	model, err := scriptmodel.Start(script, scriptmodel.Options{Wires: []scriptmodel.Wire{wire}})
	if err != nil {
		b.Fatal(err)
	}
	defer model.Close()
	sent, shown := newTimes(), newTimes()
	url := through(b, strings.TrimPrefix(model.URL(), "http://"), sent)

	home := b.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(home, ".gemini"), 0o700), os.WriteFile(filepath.Join(home, ".gemini", "settings.json"), []byte(settings), 0o600)); err != nil {
		b.Fatal(err)
	}
	args := map[string][]string{"terminal": {"-i", "hi"}, "headless": {"-p", "hi"}, "stream-json": {"-p", "hi", "-o", "stream-json"}}[face]
	cmd := exec.Command(program, args...)
	cmd.Dir = b.TempDir()
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + home, "LANG=C.UTF-8", "TERM=xterm", "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_SYSTEM_SETTINGS_PATH=" + filepath.Join(home, "none.json")}
	for _, v := range environ {
		cmd.Env = append(cmd.Env, strings.ReplaceAll(v, "ADDRESS", url))
	}
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		b.Fatal(err)
	}
	defer terminal.Close()
	go func() {
		_, _ = io.Copy(shown, terminal) // until the program ends
		shown.end()
	}()
	if !shown.await(10 * time.Second) {
		b.Fatalf("%s shows only %q", face, shown.text())
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
	took := make([]float64, pieces)
	for n := range took {
		took[n] = shown.at(n).Sub(sent.at(n)).Seconds() * 1000
	}
	return took
}

// through returns the URL of a server that passes everything on to another, and back. It notes when it passes on each
// piece of an answer.
func through(b *testing.B, to string, sent *times) (url string) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to)
			if err != nil {
				_ = client.Close()
				continue
			}
			go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
			go func() { _, _ = io.Copy(io.MultiWriter(sent, client), server); _ = client.Close() }()
		}
	}()
	return "http://" + l.Addr().String()
}

// times notes when each piece of an answer is written to it.
type times struct {
	mu   sync.Mutex
	all  bytes.Buffer
	seen []time.Time
	done chan struct{} // is closed when all pieces were written, or no more come
}

func newTimes() *times { return &times{done: make(chan struct{})} }

// Write implements [io.Writer].
func (t *times) Write(p []byte) (int, error) {
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all.Write(p)
	for len(t.seen) < pieces {
		if _, sign := piece(len(t.seen)); !bytes.Contains(t.all.Bytes(), []byte(sign)) {
			break
		}
		if t.seen = append(t.seen, now); len(t.seen) == pieces {
			close(t.done)
		}
	}
	return len(p), nil
}

// end notes that no more pieces come.
func (t *times) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.seen) < pieces {
		close(t.done)
	}
}

// await reports whether all pieces are written in time.
func (t *times) await(most time.Duration) bool {
	select {
	case <-t.done:
	case <-time.After(most):
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.seen) == pieces
}

// at returns when a piece was written, the zero time if it was not.
func (t *times) at(n int) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n >= len(t.seen) {
		return time.Time{}
	}
	return t.seen[n]
}

func (t *times) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all.String()
}
