package terminal

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// TestStatus: whatever is written to the terminal, by whichever of its writers, replaces the status.
func TestStatus(t *testing.T) {
	t.Parallel()
	const shown, blank = "make (1s)", "\r         \r"
	for name, write := range map[string]func(out, err *Writer) error{
		"text":    func(out, _ *Writer) error { _, err := io.WriteString(out, "x"); return err },
		"a note":  func(_, err *Writer) error { _, e := io.WriteString(err, "x"); return e },
		"JSON":    func(out, _ *Writer) error { _, err := io.WriteString(out.JSON(), "x"); return err },
		"styled":  func(out, _ *Writer) error { _, err := io.WriteString(out.Styled(), "x"); return err },
		"raw":     func(out, _ *Writer) error { _, err := io.WriteString(out.Unsanitized(), "x"); return err },
		"through": func(out, _ *Writer) error { _, err := io.WriteString(out.Through(same), "x"); return err },
		"another": func(_, err *Writer) error { return err.SetStatus("x\x1b[2J") },
	} {
		var screen bytes.Buffer
		out, err := NewWriter(&screen), NewNoteWriter(&screen)
		err.line = out.line
		if failed := err.SetStatus(shown); failed != nil {
			t.Fatal(failed)
		}
		if failed := write(out, err); failed != nil {
			t.Fatal(failed)
		}
		if got, want := screen.String(), shown+blank+"x"; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		screen.Reset()
		_ = err.SetStatus("")
		_, _ = io.WriteString(out, "y")
		if got := strings.TrimPrefix(screen.String(), "\r \r"); got != "y" {
			t.Errorf("%s, then a line: got %q", name, got)
		}
	}
}

func same(stream io.Writer) io.Writer { return stream }

// TestStatusBesideText: text that is written while the status changes stands in lines of its own.
func TestStatusBesideText(t *testing.T) {
	t.Parallel()
	var screen bytes.Buffer
	out, err := NewWriter(&screen), NewNoteWriter(&screen)
	err.line = out.line
	var all sync.WaitGroup
	for _, w := range []*Writer{out, err} {
		all.Go(func() {
			for i := range 1000 {
				fmt.Fprintf(w, "line %d\n", i)
			}
		})
	}
	for i := range 1000 {
		_ = err.SetStatus(fmt.Sprintf("status %d", i))
	}
	all.Wait()
	for line := range strings.Lines(screen.String()) {
		if i := strings.LastIndexByte(line, '\r'); strings.HasPrefix(line, "status") != (i >= 0) || !strings.HasPrefix(line[i+1:], "line") && line[i+1:] != "status 999" {
			t.Fatalf("%q", line)
		}
	}
}
