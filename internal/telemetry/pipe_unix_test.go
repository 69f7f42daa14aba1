//go:build unix

package telemetry

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pollux/llm"
	"pollux/llm/observe"
)

// Telemetry does not wait for a pipe without a reader.
func TestPipeWithoutReader(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	var s warnings
	if tel := Start(options(pipe, &s)); tel != nil {
		tel.Close()
		t.Error("it began")
	}
	if len(s.lines) != 1 || !strings.HasPrefix(s.lines[0], "Telemetry is off: cannot write the outfile: ") {
		t.Errorf("warnings: %q", s.lines)
	}
}

// A reader that does not read holds nothing up: records that do not fit are counted.
func TestNeverWaits(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var s warnings
	tel := Start(options(pipe, &s))
	g := observe.Wrap(&model{chunks: []*llm.Response{answerOf("x")}}, tel)
	for range maxQueue {
		drain(g, ask("y"))
	}
	tel.timeout = 10 * time.Millisecond
	tel.Close()
	if len(s.lines) != 2 || !strings.Contains(s.lines[1], "records were dropped because writing was too slow") {
		t.Errorf("warnings: %q", s.lines)
	}
}
